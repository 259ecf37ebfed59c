"""Ratios are read from what the benches print, and a fall below half of the documented value is told."""

from __future__ import annotations

import tomllib
from types import ModuleType

import pytest

from tests.bench_module import BENCH, bench_module

PRINTED = """on a machine
| row | captions/s | ratio to the peer |
|---|---|---|
| peer | 10.0 | 1.00 |
| ours | 45.0 | 4.50 |
beside another
| row | ratio to the peer | note |
| --- | --- | --- |
| ours | 2.00 | later |
| limit (matmul) | 9.50 | |

| codec | read |
|---|---|
| none | 7.0 |
"""


@pytest.fixture(scope="module")
def ratios() -> ModuleType:
    return bench_module("ratios")


def test_ratios_come_from_tables_with_that_column_the_first_row_of_a_name_counts(ratios: ModuleType) -> None:
    assert ratios.read_ratios(PRINTED) == {"peer": 1.0, "ours": 4.5, "limit (matmul)": 9.5}


@pytest.mark.parametrize(("documented", "told"), [(4.0, False), (9.0, False), (9.1, True)])
def test_less_than_half_is_a_regression(ratios: ModuleType, documented: float, told: bool) -> None:
    """4.5 is half of 9."""
    assert bool(ratios.regressions(ratios.read_ratios(PRINTED), {"ours": documented})) is told


def test_a_ratio_that_is_missing_or_no_number_is_one_too(ratios: ModuleType) -> None:
    [missing] = ratios.regressions({}, {"ours": 2.0})
    assert "no ratio was printed" in missing
    assert ratios.regressions({"ours": float("nan")}, {"ours": 2.0})


def test_every_script_that_is_expected_is_there_and_takes_its_small_options() -> None:
    expected = tomllib.loads((BENCH / "expected.toml").read_text(encoding="utf-8"))
    for name, each in expected.items():
        text = (BENCH / f"{name}.py").read_text(encoding="utf-8")
        for option in (word for word in each.get("small", []) if word.startswith("--")):
            assert f'"{option}' in text or f"/{option}" in text, f"{name}.py has no option {option}"
