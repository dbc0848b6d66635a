#!/usr/bin/env python3
"""What scripts/calibrate-all does to the table: evidence of the measured rows alone changes, and a second time nothing does."""
import importlib.machinery
import importlib.util
import pathlib
import sys

sys.dont_write_bytecode = True
SCRIPT = str(pathlib.Path(__file__).resolve().parents[2] / "scripts/calibrate-all")
loader = importlib.machinery.SourceFileLoader("calibrate_all", SCRIPT)
script = importlib.util.module_from_spec(importlib.util.spec_from_loader("calibrate_all", loader))
loader.exec_module(script)

TABLE = """# Comments stay.
table_version = 1

[default.fp32]
c = 1.0

[gelu.fp32]
c = 1.0
evidence = {runs = 5}

[gelu.fp16]
c = 1.0
"""
answers = [
    {"target": "slow", "rows": [{"row": "gelu.fp32", "max_ratio": 0.25, "evidence_line": "evidence = {runs = 6}\n"}]},
    {"target": "close", "rows": [{"row": "gelu.fp32", "max_ratio": 0.5, "evidence_line": "evidence = {runs = 7}\n"},
                                 {"row": "gelu.fp16", "max_ratio": 0.1, "evidence_line": "evidence = {runs = 8}\n"}]}]
best = script.best_rows(answers)
assert best["gelu.fp32"]["control"] == "close", best
expected = TABLE.replace("runs = 5", "runs = 7") + "evidence = {runs = 8}\n"
once = script.with_evidence(TABLE, best)
assert once == expected, once
assert script.with_evidence(once, best) == once
assert script.with_evidence(script.TABLE.read_text(), {}) == script.TABLE.read_text()
assert "softmax" in script.controls()

# A measurement without a twin keeps what was known of one.
with_twin = 'evidence = {runs = 1, control = "a", twin = "a_twin", twin_failed = 0.9, seed = 1}\n'
without = 'evidence = {runs = 2, control = "b", twin = "", twin_failed = 0, seed = 2}\n'
assert script.with_twin(without, with_twin) == 'evidence = {runs = 2, control = "b", twin = "a_twin", twin_failed = 0.9, seed = 2}\n'
assert script.with_twin(with_twin, without) == with_twin
assert script.with_twin(without, "") == without
