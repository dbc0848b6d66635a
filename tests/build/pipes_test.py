#!/usr/bin/env python3
"""pipes_test.py SOURCE: in a script under pipefail no producer may be piped into a reader that stops early. The producer is then ended by
SIGPIPE, now and then, and the pipeline counts as failed: a machine's package lists were "empty" that way three times of ten."""
import pathlib
import re
import sys

EARLY = re.compile(r"\|\s*(head\b|grep\s+(-\w*[qm]|--quiet|--max-count)|sed\s[^|]*[\d/'\"; ]q(?=['\"\s;}]|$)|awk\s+[^|]*\bexit\b|read\b)")


def scripts(root):
    for folder in ("scripts", "tests", ".ci", ".clusterfuzzlite"):
        for file in sorted((root / folder).rglob("*")):
            if file.is_file() and file.suffix in ("", ".sh"):
                text = file.read_text(errors="replace")
                if re.match(r"#!.*\b(ba)?sh\b", text) and "pipefail" in text:
                    yield file, text


def main():
    root = pathlib.Path(sys.argv[1])
    for line in ("apt-cache policy x | grep -q y", "find . | head -n 1", "a | sed -n 1q", "a | awk '{ exit }'", "a | grep --max-count=1 b"):
        assert EARLY.search(line), line
    for line in ("a || read_file", "grep -q x file", "head -n 3 file | cut -c1-3", "a | sed -n 1p"):
        assert not EARLY.search(line), line
    bad, seen = [], 0
    for file, text in scripts(root):
        seen += 1
        for number, line in enumerate(text.splitlines(), 1):
            if EARLY.search(line.split(" # ")[0]) and not line.lstrip().startswith("#"):
                bad.append(f"{file.relative_to(root)}:{number}: a pipe into a reader that stops early: {line.strip()}")
    print("\n".join(bad) or f"{seen} scripts")
    return 1 if bad or seen < 10 else 0


sys.exit(main())
