#!/usr/bin/env python3
"""registers_test.py BIN [--table]: registers and stack of every kernel in every build of every target, read from the binaries.

Fails where an instrumented kernel could not be launched with a block size that the plain one can: a kernel without launch bounds must
leave room for 1,024 threads wherever the plain build does, one with bounds for as many as it states. Says which targets lack a build.
--table prints a line for each target: the largest figures over its kernels. No GPU and no tool of NVIDIA's is needed."""
import collections
import json
import pathlib
import re
import struct
import sys

Kernel = collections.namedtuple("Kernel", "registers stack max_threads")
EM_CUDA, REGISTERS, FRAME, MAX_THREADS = 190, 0x2F, 0x11, 0x05  # of .nv.info: EIATTR_REGCOUNT, _FRAME_SIZE, _MAX_THREADS


def kernels(path):
    """{(chip, name): Kernel} of all device images inside a binary."""
    data, found, at = path.read_bytes(), {}, 0
    while (at := data.find(b"\x7fELF\x02\x01", at + 1)) >= 0:
        if struct.unpack_from("<H", data, at + 18)[0] != EM_CUDA:
            continue
        chip = struct.unpack_from("<I", data, at + 48)[0]
        offset = at + struct.unpack_from("<Q", data, at + 40)[0]
        size, count, names = struct.unpack_from("<HHH", data, at + 58)
        sections = [struct.unpack_from("<IIQQQQIIQQ", data, offset + i * size) for i in range(count)]
        text = lambda table, position: read(data, at + table[4] + position)
        symbols = next(s for s in sections if s[1] == 2)
        symbol = lambda i: text(sections[symbols[6]], struct.unpack_from("<I", data, at + symbols[4] + 24 * i)[0])
        facts = collections.defaultdict(dict)
        for section in sections:
            name = text(sections[names], section[0])
            if not name.startswith(".nv.info"):
                continue
            position, end = at + section[4], at + section[4] + section[5]
            while position < end:
                form, key, length = struct.unpack_from("<BBH", data, position)
                position += 4
                if form != 4:  # the value is the length itself
                    continue
                if key in (REGISTERS, FRAME) and length == 8:
                    index, value = struct.unpack_from("<II", data, position)
                    facts[symbol(index)][key] = value
                elif key == MAX_THREADS:
                    x, y, z = struct.unpack_from("<III", data, position)
                    facts[name[len(".nv.info."):]][key] = x * y * z
                position += length
        for name, fact in facts.items():
            # Not the backend's own kernels, which every binary has.
            if REGISTERS in fact and not name.startswith("$") and not re.match(r"_ZN?K?8warpfuzz", name):
                found[chip, name] = Kernel(fact[REGISTERS], fact.get(FRAME, 0), fact.get(MAX_THREADS, 0))
    return found


def read(data, start):
    return data[start:data.index(b"\0", start)].decode()


def threads_that_fit(registers):
    """Of one block: registers are given out to warps in steps of 8 a thread."""
    return min(1024, 65536 // ((registers + 7) // 8 * 8 * 32) * 32)


def main():
    folder = pathlib.Path(sys.argv[1])
    targets = json.loads((folder / "targets.json").read_text())["targets"]
    problems, lines, seen = [], [], 0
    for target in targets:
        binary = folder / f"fuzz_{target['name']}"
        if not binary.exists():
            continue
        builds = {v: kernels(p) for v in ("", ".checked", ".plain", ".bare") if (p := binary.with_name(binary.name + v)).exists()}
        plain = builds.get(".plain") or builds.get(".bare") or {}
        row = [target["name"]]
        for variant in ("", ".checked", ".plain", ".bare"):
            build = builds.get(variant, {})
            if variant in builds and not build:
                problems.append(f"{binary.name}{variant}: expected kernels, found no device image")
            for (chip, name), kernel in build.items():
                seen += 1
                want = kernel.max_threads or threads_that_fit(plain[chip, name].registers if (chip, name) in plain else 64)
                if threads_that_fit(kernel.registers) < want:
                    problems.append(f"{binary.name}{variant}: {name}: {kernel.registers} registers, expected so few that blocks of {want} threads fit")
            row.append(f"{max((k.registers for k in build.values()), default=0)} ({max((k.stack for k in build.values()), default=0)})" if build else "-")
        if ".checked" not in builds:
            problems.append(f"{binary.name}.checked is missing")
        lines.append(row)
    if "--table" in sys.argv:
        print("| target | covered | checked | plain (nvcc) | bare (clang) |\n|---|---|---|---|---|")
        for row in lines:
            print("| " + " | ".join(row) + " |")
    for problem in problems:
        print(problem)
    print(f"{seen} kernels in builds of {len(lines)} targets")
    # Without targets there is nothing to be wrong: skipped, by ctest's own code for it.
    sys.exit(77 if not lines else 1 if problems else 0)


main()
