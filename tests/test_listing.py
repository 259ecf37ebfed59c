"""Names in a line of text."""

from __future__ import annotations

from attend.data.listing import some


def test_the_first_names_and_how_many_more() -> None:
    assert some([]) == ""
    assert some(["a", "b"]) == "a, b"
    assert some(["a", "b", "c"], most=3) == "a, b, c"
    assert some([str(number) for number in range(2000)], most=2) == "0, 1 and 1,998 more"


def test_a_name_stays_in_its_line() -> None:
    assert some(["a\nb", "c"]) == r"a\nb, c"
