"""The arrows between packages, and that the project's lists agree with its folders."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = {
    "attend": "attend",
    "data": "attend.data",
    "extract": "attend.extract",
    "train": "attend.train",
    "score": "attend.score",
}
MAY_IMPORT = {
    "attend.data": set(),
    "attend.extract": {"attend.data"},
    "attend.train": {"attend.data"},
    "attend.score": {"attend.data", "attend.extract", "attend.train"},
}
STAGES = set(MAY_IMPORT)


def project() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def sources(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


def imported(path: Path) -> set[str]:
    """Every module that a file imports, also inside functions."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return names


def stage_of(module: str) -> str:
    return ".".join(module.split(".")[:2])


@pytest.mark.parametrize("folder", [name for name in FOLDERS if name != "attend"])
def test_arrows_go_one_way(folder):
    package = FOLDERS[folder]
    assert sources(folder)
    for path in sources(folder):
        reached = {stage_of(module) for module in imported(path)} & STAGES - {package}
        assert reached <= MAY_IMPORT[package], f"{path.relative_to(ROOT)} reaches {sorted(reached)}"
        commands = [module for module in imported(path) if module.startswith(("attend.commands", "attend.cli"))]
        assert not commands, f"{path.relative_to(ROOT)} reaches up to {commands}"


def test_the_foundation_imports_no_stage_at_the_top_of_its_files():
    for name in ("errors", "printable", "progress", "device", "settings", "cli"):
        tree = ast.parse((ROOT / "attend" / f"{name}.py").read_text(encoding="utf-8"))
        for node in tree.body:
            if isinstance(node, ast.ImportFrom) and node.module:
                assert stage_of(node.module) not in STAGES, name


def test_nothing_imports_the_bare_folder_names():
    for folder in [*FOLDERS, "tests", "bench"]:
        for path in sources(folder):
            bare = {module.split(".")[0] for module in imported(path)} & {"data", "extract", "train", "score"}
            assert not bare, f"{path.relative_to(ROOT)} imports {bare}"


def test_every_subpackage_is_listed_and_mapped():
    found = {}
    for folder, package in FOLDERS.items():
        for path in (ROOT / folder).rglob("__init__.py"):
            relative = path.parent.relative_to(ROOT)
            found[".".join([package, *relative.parts[1:]])] = str(relative)
    settings = project()["tool"]["setuptools"]
    assert settings["package-dir"] == found
    assert sorted(settings["packages"]) == sorted(found)


@pytest.mark.fault(
    "presets or page templates missing from the install",
    "every file that is not Python is package data",
    "Installation and own data",
)
def test_files_that_are_not_python_are_package_data():
    listed = project()["tool"]["setuptools"]["package-data"]
    mapped = project()["tool"]["setuptools"]["package-dir"]
    for package, folder in mapped.items():
        parts = [part for part in (ROOT / folder).iterdir() if part.is_dir() and part.name != "__pycache__"]
        plain = [part for part in parts if not (part / "__init__.py").is_file() and folder != "attend"]
        for path in (path for part in (ROOT / folder, *plain) for path in part.iterdir()):
            if path.is_file() and path.suffix not in {".py", ".pyc"}:
                assert any(path.match(f"{folder}/{pattern}") for pattern in listed.get(package, [])), path


def requirement(text: str) -> tuple[str, str]:
    match = re.fullmatch(r"([A-Za-z0-9-]+)(?:\[.*\])?(.*)", text)
    assert match, text
    name, versions = match.groups()
    return {"pytorch": "torch"}.get(name, name), versions


@pytest.mark.fault(
    "conda and pip ask for different versions", "the same versions in both files", "Installation and own data"
)
def test_environment_yml_names_the_same_versions_as_pyproject():
    settings = project()["project"]
    wanted = dict(map(requirement, settings["dependencies"] + settings["optional-dependencies"]["dev"]))
    wanted["python"] = settings["requires-python"]
    lines = (ROOT / "environment.yml").read_text(encoding="utf-8").splitlines()
    entries = [line.strip().removeprefix("- ") for line in lines if line.strip().startswith("- ")]
    assert entries[-1] == "-e ."
    entries = [entry for entry in entries if entry not in {"conda-forge", "make", "pip", "pip:", "-e ."}]
    assert dict(map(requirement, entries)) == wanted


def test_commands_of_the_makefile_are_in_its_help():
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    phony = re.search(r"^\.PHONY: (.*)$", text, re.MULTILINE)
    assert phony
    for target in phony.group(1).split():
        assert re.search(rf"^{target}:.*## \S", text, re.MULTILINE), target


def test_the_page_of_settings_is_up_to_date():
    made = subprocess.run(
        [sys.executable, str(ROOT / "docs" / "settings.py")], capture_output=True, text=True, check=True
    )
    assert (ROOT / "docs" / "settings.md").read_text(encoding="utf-8") == made.stdout
