#!/usr/bin/env python3
"""port.py IN.ll OUT.ll FUNCTION...: NVIDIA's libdevice, as LLVM text, for another processor.

Keeps the functions and what they call. What only NVPTX has becomes a call of warpfuzz_<name>, which instructions.cc defines: the
llvm.nvvm.* intrinsics, PTX in inline assembly, and llvm.tanh, which is one instruction there.
"""
import re
import sys


def plain(name):
    return "warpfuzz_" + re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")


def without_assembly(body, declared):
    """call float asm "rcp.approx.ftz.f32 $0,$1;", "=f,f"(float %x) -> call float @warpfuzz_rcp_approx_ftz_f32(float %x)"""
    def call(m):
        name = plain(m[2])
        arguments = re.findall(r"(float|double|i32|i64) [%\d.eEx+-]", m[3])
        declared[name] = f"declare {m[1]} @{name}({', '.join(arguments)})"
        return f"call {m[1]} @{name}({m[3]})"
    return re.sub(r'call (float|double) asm "([a-z0-9.]+) [^"]*", "[^"]*"\(([^)]*)\)', call, body)


def main():
    source, target, wanted = sys.argv[1], sys.argv[2], sys.argv[3:]
    text = open(source).read()
    functions = {m[1]: m[0] for m in re.finditer(r"(?ms)^define [^@]*@([\w.]+)\(.*?^}\n", text)}
    missing = [f for f in wanted if f not in functions]
    if missing:
        sys.exit(f"port.py: {source} has no {', '.join(missing)}: expected NVIDIA's libdevice.10.bc of CUDA 12 or newer")
    needed, open_names = [], list(wanted)
    while open_names:
        name = open_names.pop()
        if name in needed:
            continue
        needed.append(name)
        open_names += [n for n in re.findall(r"@([\w.]+)", functions[name]) if n in functions]
    declared = {}
    bodies = without_assembly("".join(functions[n] for n in needed), declared)
    used = set(re.findall(r"@([\w.$]+)", bodies))
    globals_ = [m[0] for m in re.finditer(r"(?m)^@([\w.$]+) = .*\n", text) if m[1] in used]
    declares = [m[0] for m in re.finditer(r"(?m)^declare [^@]*@([\w.]+)\(.*\n", text) if m[1] in used]
    out = "".join(globals_) + "".join(declares) + "".join(d + "\n" for d in declared.values()) + bodies
    out = re.sub(r"@llvm\.nvvm\.([\w.]+)", lambda m: "@" + plain(m[1]), out)
    out = out.replace("@llvm.tanh.f32", "@warpfuzz_tanh_approx_f32")
    # Metadata and attributes say nothing that is needed, and some of it only to NVPTX.
    open(target, "w").write(re.sub(r", !\w+ !\d+| #\d+\b", "", out))


if __name__ == "__main__":
    main()
