"""Boxes round named things."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from attend.data.boxes import make_region, read_instances
from attend.data.items import Region
from attend.errors import UserError


def test_a_region_is_named_and_has_an_area() -> None:
    assert make_region("dog", [1, 2, 3, "4"]) == Region("dog", (1.0, 2.0, 3.0, 4.0))
    assert make_region("dog", [1, 2, 3, 0]) is None
    for name, box in [("", [1, 2, 3, 4]), (3, [1, 2, 3, 4]), ("dog", [1, 2, 3]), ("dog", [1, 2, 3, float("nan")])]:
        with pytest.raises(ValueError):
            make_region(name, box)


@pytest.mark.parametrize("content", [[], {"images": []}, {"images": [], "categories": [], "annotations": [{}]}])
def test_another_file_is_named(tmp_path: Path, content: object) -> None:
    path = tmp_path / "instances.json"
    path.write_text(json.dumps(content))
    with pytest.raises(UserError, match=r"instances\.json is not a COCO instances file .*: get it again, or"):
        read_instances(path)
