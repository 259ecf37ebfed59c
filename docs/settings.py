"""Writes docs/settings.md from the settings' own documentation: `python docs/settings.py > docs/settings.md`."""

from __future__ import annotations

import ast
import inspect
from dataclasses import fields

from attend.settings import SECTIONS, section_class


def field_texts(kind: type) -> dict[str, str]:
    """Field name → the string below it in the class, on one line."""
    body = ast.parse(inspect.getsource(kind)).body[0]
    assert isinstance(body, ast.ClassDef)
    texts = {}
    for node, after in zip(body.body, body.body[1:], strict=False):
        if isinstance(node, ast.AnnAssign) and isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            assert isinstance(node.target, ast.Name)
            texts[node.target.id] = " ".join(str(after.value.value).split())
    return texts


def page() -> str:
    """The whole page."""
    lines = [
        "# Settings",
        "",
        'Any field can be set by name: `make train SET="optim.epochs=3 model.units=512"`, or `--set` without make.',
        "An unknown name is an error that lists the near ones. The table shows the defaults; a dataset's preset",
        "(`train/presets/DATASET.toml`) changes some of them, and `attend train` prints what is in force.",
        "This page is made by `python docs/settings.py > docs/settings.md`.",
    ]
    for section in SECTIONS:
        kind = section_class(section)
        texts = field_texts(kind)
        about = " ".join((kind.__doc__ or "").split())
        lines += ["", f"## {section}", "", about, "", "| setting | default | meaning |", "|---|---|---|"]
        for field in fields(kind):
            meaning = texts[field.name].replace("|", r"\|")
            lines.append(f"| `{section}.{field.name}` | `{field.default}` | {meaning} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(page())
