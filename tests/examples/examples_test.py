#!/usr/bin/env python3
"""examples_test.py SOURCE BINARY: docs/ops.md shows the files of this folder as they are, and the target finds nothing."""
import pathlib
import subprocess
import sys
import tempfile

root, binary = pathlib.Path(sys.argv[1]), sys.argv[2]
page = (root / "docs/ops.md").read_text()
for name in ("scale_rows.cu", "fuzz_example_scale_rows.cc"):
    lines = (root / "tests/examples" / name).read_text().splitlines()
    block = "".join(f"    {line}".rstrip() + "\n" for line in lines)
    if block not in page:
        missing = [line for line in block.splitlines() if line.strip() and line not in page.splitlines()]
        sys.exit(f"FAILED: docs/ops.md does not show tests/examples/{name}; first line that it lacks: {missing[:1]}")
with tempfile.TemporaryDirectory(prefix="examples-") as folder:
    run = subprocess.run([binary, "-runs=2000", "-seed=1", f"-artifact_prefix={folder}/"], capture_output=True, text=True, errors="replace")
if run.returncode != 0:
    sys.exit(f"FAILED: exit code {run.returncode}\n{run.stderr[-3000:]}")
print("passed")
