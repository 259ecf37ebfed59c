"""The suite of faults as a whole: enough kinds, each told once, in a page that says what the tests check."""

from __future__ import annotations

import importlib.util
import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LEAST = 80


def load_page_maker():
    spec = importlib.util.spec_from_file_location("page_of_faults", ROOT / "docs" / "faults.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


maker = load_page_maker()
FAULTS = maker.faults(ROOT / "tests")


def test_there_are_enough_kinds_and_every_section_has_some():
    assert len(FAULTS) >= LEAST
    assert {fault.section for fault in FAULTS} == set(maker.SECTIONS)


def test_a_kind_is_told_once_and_a_test_checks_one_kind():
    counted = Counter(fault.kind for fault in FAULTS) + Counter(fault.test for fault in FAULTS)
    assert [name for name, count in counted.items() if count > 1] == []


def test_the_page_of_faults_is_up_to_date():
    assert (ROOT / "docs" / "faults.md").read_text(encoding="utf-8") == maker.page(FAULTS) + "\n"


def test_the_marks_found_are_those_pytest_collects(request):
    """Of the tests that are collected in this session, whatever part of the suite that is."""
    listed = {fault.test: (fault.kind, fault.does, fault.section) for fault in FAULTS}
    for item in request.session.items:
        name = f"{item.path.name}::{item.originalname}"
        marks = [mark.args for mark in item.iter_markers("fault")]
        assert marks == ([listed[name]] if name in listed else []), name


@pytest.mark.parametrize("words", ['"kind"', '"kind", "does"', '"kind", "does", section="Photos"'])
def test_a_mark_that_says_too_little_is_named(tmp_path, words):
    (tmp_path / "test_x.py").write_text(f"@pytest.mark.fault({words})\ndef test_y():\n    pass\n")
    with pytest.raises(ValueError, match=r"test_x\.py, line 1: write fault\(kind, does, section\) above a test"):
        maker.faults(tmp_path)
