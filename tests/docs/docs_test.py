#!/usr/bin/env python3
"""docs_test.py links|paths|commands|findings SOURCE BIN: what README, CONTRIBUTING and docs/ say is there.
links     every link leads to a file of the tree, and to a heading of it where it names one
paths     every file of the tree that is named in `code` exists
commands  every command line in an indented block names a script, a target or a subcommand that exists, with options that it has
findings  README's "Work with findings" runs as it stands, on a kept finding"""
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

FENCE = "    "
KEPT = "crashes/softmax_tail_mask"
TOP = "src|scripts|docs|tests|kernels|fuzz_targets|seeds|crashes|cmake|bench|python"


def pages(source):
    return [source / "README.md", source / "CONTRIBUTING.md", *sorted((source / "docs").rglob("*.md"))]


def anchor(heading):
    """As code hosts make it."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def headings(page):
    return {anchor(m) for m in re.findall(r"^#+ (.*)$", page.read_text(), re.M)}


def check_links(source, _):
    for page in pages(source):
        for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
            if re.match(r"[a-z]+:", link):
                continue
            path, _, fragment = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            if not target.exists():
                yield f"{page.relative_to(source)}: the link to '{link}' leads nowhere"
            elif fragment and fragment not in headings(target):
                yield f"{page.relative_to(source)}: '{link}' names a heading that {target.name} lacks"


def check_paths(source, _):
    for page in pages(source):
        for code in re.findall(r"`([^`\n]+)`", page.read_text()):
            path = code.split()[0].rstrip(".,:;")
            if not re.match(rf"({TOP})/[\w./-]+$", path) or re.search(r"NAME|FILE|FAMILY|DIR|/new/|my_", path):
                continue  # no path, or a pattern of one
            if not (source / path).exists():
                yield f"{page.relative_to(source)}: `{code}` names '{path}', which is not in the tree"


def command_lines(source):
    """(page, words) of lines that a reader would paste."""
    for page in pages(source):
        for line in page.read_text().splitlines():
            if not line.startswith(FENCE):
                continue
            text = re.split(r"\s{3,}|;|&&|  #", line.strip())[0]
            if re.match(r"((build/\w+/bin/)?(warpfuzz|fuzz_\w+)|scripts/[\w/-]+)( |$)", text) and not text.startswith("warpfuzz: "):
                yield page.relative_to(source), text.replace("[", " ").replace("]", " ").split()


def help_of(binary, *words):
    done = subprocess.run([binary, *words, "--help"], capture_output=True, text=True, timeout=60)
    return done.stdout + done.stderr


def check_commands(source, bins):
    known, seen = {}, 0
    for page, words in command_lines(source):
        seen += 1
        program = words[0].split("/")[-1]
        if words[0].startswith("scripts/"):
            if not (source / words[0]).exists():
                yield f"{page}: '{words[0]}' is not in the tree"
            continue
        if program.startswith("fuzz_") and not (bins / program).exists():
            yield f"{page}: '{program}' is no target of the build"
        if program != "warpfuzz":
            continue
        sub = words[1]
        text = known.setdefault(sub, help_of(bins / "warpfuzz", sub))
        if f"Usage: {sub} " not in text:
            yield f"{page}: 'warpfuzz {sub}' is no command"
            continue
        for option in [w.split("=")[0] for w in words[2:] if w.startswith("--")]:
            if not re.search(rf"(^|[ ,]){re.escape(option)}\b", text, re.M) and option not in help_of(bins / "warpfuzz"):
                yield f"{page}: 'warpfuzz {sub}' has no option '{option}'"
    if seen < 20:
        yield f"expected at least 20 command lines in the pages, found {seen}: this test reads them no longer"


def check_findings(source, bins):
    """Each line in its order; the finding is one that the tree keeps, brought to where a campaign would have put it."""
    section = (source / "README.md").read_text().split("## Work with findings")[1].split("\n## ")[0]
    lines = [re.split(r"\s{3,}", line.strip())[0] for line in section.splitlines() if line.startswith(FENCE)]
    if len(lines) < 5:
        yield f"expected the commands of 'Work with findings' in README.md, found {lines}"
    with tempfile.TemporaryDirectory(prefix="docs-") as scratch:
        root = pathlib.Path(scratch)
        new = root / "crashes/new/softmax_tail_mask"
        new.mkdir(parents=True)
        finding = new / "value.wfz"
        shutil.copy(next(iter(sorted((source / KEPT).glob("*.wfz")))), finding)
        (root / "build").mkdir()
        (root / "build/cpu").symlink_to(bins.parent)
        for line in lines:
            text = line.replace("fuzz_softmax ", "fuzz_softmax_tail_mask ").replace("FILE.wfz", str(finding.relative_to(root))).replace("OUT.cu", "out.cu")
            expected = {"fuzz_softmax_tail_mask": {77}, "shrink": {0, 87}}.get(
                pathlib.Path(text.split()[0]).name if "fuzz_" in text else text.split()[1], {0})
            done = subprocess.run(shlex.split(text), cwd=root, capture_output=True, text=True, timeout=300)
            if done.returncode not in expected:
                yield f"README.md: '{line}' ended with {done.returncode}, expected {sorted(expected)}:\n{(done.stdout + done.stderr)[-2000:]}"
        if not (root / "out.cu").exists() or not list((root / "crashes/softmax_tail_mask").glob("*.wfz")):
            yield "README.md: expected the exported program and the kept finding, found " + str(sorted(str(f) for f in root.rglob("*.*")))


def main():
    kind, source, bins = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3]).resolve()
    problems = list({"links": check_links, "paths": check_paths, "commands": check_commands, "findings": check_findings}[kind](source, bins))
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


main()
