#!/usr/bin/env python3
"""coverage_test.py SOURCE BUILD: what scripts/coverage says about the fault zoo's lines."""
import pathlib
import subprocess
import sys
import tempfile

root, build = pathlib.Path(sys.argv[1]), sys.argv[2]


def expect(what, got, wanted):
    if got != wanted:
        sys.exit(f"FAILED: {what}: expected {wanted!r}, got {got!r}")


def coverage(*arguments):
    return subprocess.run([root / "scripts/coverage", "--no-build", "--build", build, *arguments], capture_output=True, text=True)


def count_of(report, text):
    """The count in front of the only source line that starts with this text."""
    counts = [line.split(":", 2)[0].strip() for line in report.splitlines() if line.count(":") >= 2 and line.split(":", 2)[2].startswith(text)]
    expect(f"lines that start with '{text}'", len(counts), 1)
    return counts[0]


with tempfile.TemporaryDirectory(prefix="coverage-test-") as folder:
    folder = pathlib.Path(folder)
    seeds, out = folder / "seeds", folder / "out"
    seeds.mkdir()
    for name, which in (("a_copy", 0), ("b_dies", 2), ("c_unwritten", 14)):
        (seeds / f"{name}.case").write_text(f"op: copy\nn: 40\nwhich: {which}\nx: normal seed=1\n")
    run = coverage("fault_zoo", seeds, "--out", out)
    expect(f"exit code ({run.stderr})", run.returncode, 0)
    report = (out / "fault_zoo.cu.gcov").read_text()
    # Two runs of 64 threads, the second in another order.
    expect("count of a line that is reached", count_of(report, "__global__ void copy_right("), "128")
    # 41 stores, the last beyond the end: there the process died, and the case behind it still ran.
    expect("count of the line that ends the process", count_of(report, "    y[i] = v;  // FAULT"), "41")
    expect("count of a kernel behind it > 0", count_of(report, "__global__ void leave_the_last_unwritten(").isdigit(), True)
    expect("count of a line that nothing reaches", count_of(report, "__global__ void read_past_end("), "#####")
    expect("count of a comment", count_of(report, "// One kernel a fault class"), "-")
    lines = run.stdout.splitlines()
    expect("head of the summary", lines[-2], f"fault_zoo: 3 cases, 1 of them ended the process; in {out}")
    expect("the summary has the source", lines[-1].endswith("fault_zoo.cu") and " lines reached (" in lines[-1], True)
    info = (out / "coverage.info").read_text()
    reached = sum(1 for line in info.splitlines() if line.startswith("DA:") and not line.endswith(",0"))
    expect("LH of coverage.info", f"LH:{reached}" in info.splitlines(), True)
    expect("lines reached in the summary", int(lines[-1].split()[0]), reached)

    for arguments, code, text in (((), 80, "target"), (("nothing",), 80, "unknown target 'nothing'; expected one of: "),
                                  (("fault_zoo", folder / "none"), 81, "is no file and no folder"),
                                  (("fault_zoo", "--out", out), 81, "no case of fault_zoo")):
        run = coverage(*arguments)
        expect(f"exit code of {arguments}", run.returncode, code)
        expect(f"error of {arguments} has '{text}' ({run.stderr})", text in run.stderr and len(run.stderr.splitlines()) == 1, True)
    (folder / "bad.case").write_text("op: nothing\n")
    run = coverage("fault_zoo", folder / "bad.case")
    expect(f"exit code of a bad file ({run.stderr})", run.returncode, 81)
    expect("the error names the file", "bad.case" in run.stderr, True)
print("passed")
