"""The report in a browser: words light their photo, filters choose, everything comes from the folder alone."""

from __future__ import annotations

import math
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from attend.score.pictures.enlarge import light
from attend.score.report.build import Wanted, build_report
from tests.browser import Browser, chromium
from tests.report_run import make_run, one_hot_maps, pointing
from tests.tiny_encoder import drawn_photo
from tests.tiny_run import SENTENCES

pytestmark = pytest.mark.slow
GRID = (14, 14)
GREY = 200
PLACE = 3 * 14 + 9
"""Where word 0 looks. Word 1 looks evenly at the places left and right of it, word 2 everywhere."""
PAIR = torch.zeros(196).index_fill(0, torch.tensor([PLACE - 1, PLACE + 1]), 0.5)
MAPS = torch.stack([one_hot_maps([PLACE], 196)[0], PAIR, torch.full((196,), 1 / 196)])
CAPTIONS = ("a wide grey wall", "a tall grey wall", "a red dog runs", "two cats sit near the red window", "one two")


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with chromium(tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of five photos, the first 640×200 and the second 200×640 of one grey; the folder has moved since it was made."""
    out = tmp_path_factory.mktemp("a report")
    photos = [out / f"{number}.png" for number in range(5)]
    for number, size in enumerate(((640, 200), (200, 640), (300, 200), (200, 200), (240, 320))):
        grey = Image.new("RGB", size, (GREY,) * 3)
        (grey if number < 2 else drawn_photo(number, size)).save(photos[number])
    references = [[CAPTIONS[0]], [CAPTIONS[1], "a wall"], ["a red dog runs fast"], ["cats", "dogs"], []]
    run, store = make_run(out, photos, CAPTIONS, references, families=("bleu", "rouge"))
    page = build_report(pointing(run, GRID, MAPS), store, Wanted(each=1)).page
    moved = tmp_path_factory.mktemp("elsewhere") / "the report #1"
    shutil.copytree(page.parent, moved)
    shutil.rmtree(out)
    return moved / "index.html"


@pytest.fixture
def page(browser: Browser, report: Path) -> Browser:
    browser.size(1280, 900)
    browser.theme("light")
    browser.open(report.as_uri())
    browser.wait("document.querySelectorAll('.photo-card').length === 5")
    return browser


def open_photo(page: Browser, caption: str) -> None:
    """The dialog of the photo with a caption."""
    link = page.run(
        "return [...document.querySelectorAll('.photo-card')].find(c => c.textContent.startsWith(arguments[0])).hash",
        caption,
    )
    page.run("location.hash = arguments[0]", link)
    page.wait("document.querySelector('dialog[open] .stage img')?.complete")
    page.wait(f"document.querySelector('dialog .words').textContent.startsWith({caption!r})")
    page.run("document.activeElement.blur()")  # a page without a mouse shows the word that has the focus


def photo_pixels(page: Browser) -> np.ndarray:
    """The dialog's photo as it is rendered, in red, once its fading is over."""
    time.sleep(0.4)
    return inside(page, "dialog .frame .stage")


def inside(page: Browser, selector: str) -> np.ndarray:
    """The whole pixels within an element as they are rendered, in red."""
    left, top, width, height = page.box(selector)
    assert min(left, top) >= 0 and min(width, height) > 50, (left, top, width, height)
    rows = slice(math.ceil(top), math.floor(top + height))
    return page.pixels()[rows, math.ceil(left) : math.floor(left + width), 0].astype(float)


def seen_cell(size: tuple[int, int], row: int, column: int) -> tuple[float, float, float, float]:
    """Left, top, right, bottom of a place of the grid in pixels of a photo: shorter side to 36, centre 32 × 32."""
    shorter = min(size)
    resized = [int(36 * side / shorter) for side in size]
    corner = [round((side - 32) / 2) for side in resized]
    across, down = (side / new for side, new in zip(size, resized, strict=True))
    edges = ((corner[0] + 32 * column / 14) * across, (corner[1] + 32 * row / 14) * down)
    return (*edges, edges[0] + 32 / 14 * across, edges[1] + 32 / 14 * down)


@pytest.mark.parametrize(("caption", "size"), [(CAPTIONS[0], (640, 200)), (CAPTIONS[1], (200, 640))])
def test_a_known_map_lands_on_its_pixels_of_the_photo(page: Browser, caption: str, size: tuple[int, int]) -> None:
    open_photo(page, caption)
    resting = photo_pixels(page)
    assert np.abs(resting - GREY).max() <= 3, "nothing covers the photo before a word is chosen"
    words = page.all("dialog .words button")
    page.hover(words[0])
    lit = photo_pixels(page)
    scale = lit.shape[1] / size[0]
    expected = np.array(seen_cell(size, *divmod(PLACE, 14))) * scale
    assert lit.shape[0] == pytest.approx(size[1] * scale, abs=4)
    rows, columns = np.nonzero(lit > 180)  # the dashed frame is darker
    found = np.array([columns.min(), rows.min(), columns.max() + 1, rows.max() + 1])
    assert np.abs(found - expected).max() <= 2, f"{found}, not {expected}"
    middle = lit[rows.min() + 3 : rows.max() - 2, columns.min() + 3 : columns.max() - 2]
    assert np.abs(middle - GREY).max() <= 4, "what was looked at is the photo itself"
    far = lit[:, : int(expected[0]) - 5] if size[0] > size[1] else lit[: int(expected[1]) - 5]
    assert np.median(far) == pytest.approx(0.28 * GREY, abs=4), "the rest is dark"
    page.hover(words[1])
    spread = np.clip(photo_pixels(page) - 0.28 * GREY - 4, 0, None)
    edges = [*seen_cell(size, 0, 0)[:2], *seen_cell(size, 13, 13)[2:]]
    first, above, last, below = (round(edge * scale) for edge in edges)
    framed = np.zeros_like(spread)
    framed[max(above, 0) + 3 : below - 3, max(first, 0) + 3 : last - 3] = 1  # not the dashed frame
    spread *= framed
    centre = np.array([(spread.sum(axis) * (np.arange(spread.shape[1 - axis]) + 0.5)).sum() for axis in (0, 1)])
    wanted = np.array([expected[0] + expected[2], expected[1] + expected[3]]) / 2
    step = (expected[2] - expected[0]) / 16
    assert centre / spread.sum() == pytest.approx(wanted, abs=2 * step), "a Gaussian about the middle of the two places"


def test_the_light_of_the_page_is_that_of_the_pictures(page: Browser) -> None:
    rng = np.random.default_rng(1)
    for rows, columns in ((14, 14), (7, 7), (3, 5)):
        weights = rng.dirichlet(np.full(rows * columns, 0.3))
        script = (
            "return [...attend.light.light(Float64Array.from(arguments[0]), [arguments[1], arguments[2]], 1.25).values]"
        )
        found = np.array(page.run(script, weights.tolist(), rows, columns)).reshape(rows * 16, columns * 16)
        assert np.abs(found - light(weights, (rows, columns), (rows * 16, columns * 16))).max() < 1e-4
        assert found.max() == pytest.approx(1)


def test_probability_and_gate_are_told_with_a_word(page: Browser) -> None:
    open_photo(page, CAPTIONS[2])
    page.hover(page.all("dialog .words button")[1])
    told = page.find("dialog .figures").text.split()
    assert told == ["probability", "50", "%", "gate", "0.25"]
    page.hover(page.find("dialog [data-part='place']"))
    page.wait("!document.querySelector('dialog .stage').classList.contains('looking')")
    assert page.find("dialog .told").text == "Hover or tap a word, or touch the photo"


def test_a_place_of_the_photo_marks_the_words_that_looked_there(page: Browser) -> None:
    open_photo(page, CAPTIONS[0])
    left, top, width, height = page.box("dialog .frame .stage")
    x0, y0, x1, y1 = seen_cell((640, 200), *divmod(PLACE, 14))
    x, y = left + (x0 + x1) / 2 * width / 640, top + (y0 + y1) / 2 * height / 200
    page.command("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
    page.wait("document.querySelector('dialog .told').textContent.startsWith('Looked here: a 196.0×')")
    looks = page.run(
        "return [...document.querySelectorAll('dialog .words button')].map(b => +b.style.getPropertyValue('--look'))"
    )
    assert looks[0] == looks[3] == 1, "the first word, and the fourth, which has the same map"
    assert 0 < looks[1] < 0.5 and looks[2] == pytest.approx(0, abs=1e-9)
    page.command("Input.dispatchMouseEvent", type="mouseMoved", x=left + 4, y=y)
    page.wait("document.querySelector('dialog .told').textContent === 'Outside of what the model saw'")


def test_keys_walk_through_words_places_and_photos(page: Browser) -> None:
    open_photo(page, CAPTIONS[2])
    held = "return [...document.querySelectorAll('dialog .words button')].findIndex(b => b.ariaPressed === 'true')"
    page.run("document.querySelector('dialog .words button').focus({focusVisible: true})")
    for key, word in (("ARROW_RIGHT", 1), ("ARROW_RIGHT", 2), ("ARROW_LEFT", 1), ("END", 3), ("HOME", 0)):
        page.press(key)
        assert page.run(held) == word, key
        assert page.run("return document.querySelector('dialog .stage').classList.contains('looking')")
    page.run("document.querySelector('dialog .frame .stage').focus({focusVisible: true})")
    page.press("ARROW_RIGHT")
    before = page.box("dialog .point")
    page.press("ARROW_RIGHT", "ARROW_DOWN")
    after, stage = page.box("dialog .point"), page.box("dialog .frame .stage")
    assert after[0] - before[0] == pytest.approx(stage[2] * 200 / 36 * 32 / 300 / 14, rel=0.02), "a place of the grid"
    assert after[1] > before[1]
    shown = page.run("return document.getElementById('detail').dataset.shown")
    page.press("PAGE_DOWN")
    page.wait(f"document.getElementById('detail').dataset.shown !== '{shown}'")
    page.press("PAGE_UP")
    page.wait(f"document.getElementById('detail').dataset.shown === '{shown}'")
    page.press("ESCAPE")
    if page.run("return document.getElementById('detail').open"):
        page.press("ESCAPE")  # the first let go of the point
    assert not page.run("return document.getElementById('detail').open")


def test_a_tap_holds_a_word_and_another_lets_go(browser: Browser, report: Path) -> None:
    browser.size(390, 844, touch=True)
    browser.open(report.as_uri())
    browser.wait("document.querySelectorAll('.photo-card').length")
    open_photo(browser, CAPTIONS[3])
    state = "return document.querySelector('dialog .stage').classList.contains('looking')"
    left, top, width, height = browser.box("dialog .words button:nth-child(2)")
    for expected in (True, False):
        browser.tap(left + width / 2, top + height / 2)
        time.sleep(0.4)
        assert browser.run(state) is expected
    assert browser.run("return document.documentElement.scrollWidth") <= 390, "no scrolling sideways on a phone"
    assert browser.run("return document.querySelector('dialog').getBoundingClientRect().width") == 390


def shown(page: Browser) -> list[str]:
    found: list[str] = page.run("return [...document.querySelectorAll('.photo-card .said')].map(c => c.textContent)")
    return found


def set_value(page: Browser, selector: str, value: object, event: str = "input") -> None:
    page.run(
        "const e = document.querySelector(arguments[0]); e.value = arguments[1];"
        "e.dispatchEvent(new Event(arguments[2], {bubbles: true}))",
        selector,
        value,
        event,
    )


def test_words_scores_and_lengths_choose_and_orders_sort(page: Browser) -> None:
    assert shown(page)[:2] == [CAPTIONS[0], CAPTIONS[1]] and shown(page)[-1] == CAPTIONS[4], "no references: last"
    set_value(page, "[data-part=search]", "red")
    assert sorted(shown(page)) == [CAPTIONS[2], CAPTIONS[3]]
    set_value(page, "[data-part=search]", "RED wind")
    assert shown(page) == [CAPTIONS[3]]
    set_value(page, "[data-part=search]", "ed")
    assert shown(page) == [] and page.find("[data-part=none]").is_displayed(), "words are found from their beginning"
    page.run("document.querySelector('[data-part=reset]').click()")
    assert len(shown(page)) == 5
    set_value(page, "[data-part=scores] input:first-child", 99)
    assert sorted(shown(page)) == sorted([CAPTIONS[0], CAPTIONS[1]])
    page.run("document.querySelector('[data-part=reset]').click()")
    set_value(page, "[data-part=lengths] input:last-child", 4)
    assert sorted(shown(page)) == sorted(caption for caption in CAPTIONS if len(caption.split()) <= 4)
    page.run("document.querySelector('[data-part=reset]').click()")
    for order, first in (("words/falling", CAPTIONS[3]), ("words/rising", CAPTIONS[4])):
        set_value(page, "[data-part=sort]", order, "change")
        assert shown(page)[0] == first
    set_value(page, "[data-part=metric]", "ROUGE-L", "change")
    assert page.find("[data-part=scores] .name").text == "ROUGE-L"
    assert page.find("[data-part=count]").text == "5 of 5 captions"


def test_examples_have_their_references_and_nothing_is_asked_of_the_network(browser: Browser, report: Path) -> None:
    browser.size(1280, 900)
    browser.open(report.as_uri())
    browser.wait("document.querySelectorAll('.example.filled').length === 3")
    assert [element.text for element in browser.all("[data-group=best] .references li")] == [CAPTIONS[0]]
    open_photo(browser, CAPTIONS[1])
    photo_pixels(browser)
    folder = report.parent.as_uri()
    asked = browser.requests()
    assert len(asked) > 20
    assert [address for address in asked if not address.startswith((folder, "data:"))] == []
    assert browser.errors() == []


def test_hard_attention_shows_the_place_it_chose(browser: Browser, tmp_path: Path) -> None:
    photo = tmp_path / "wide.png"
    Image.new("RGB", (400, 200), (GREY,) * 3).save(photo)
    run, store = make_run(tmp_path, [photo], ["a dog"], [["a dog"]])
    maps = torch.full((1, 196), 0.4 / 195).index_fill(1, torch.tensor([PLACE]), 0.6)
    page = build_report(pointing(run, GRID, maps, "hard"), store).page
    browser.size(1280, 900)
    browser.open(page.as_uri())
    browser.wait("document.querySelectorAll('.photo-card').length === 1")
    open_photo(browser, "a dog")
    browser.hover(browser.all("dialog .words button")[0])
    browser.wait("document.querySelector('dialog .stage').classList.contains('chosen')")
    left, top, width, _ = browser.box("dialog .frame .stage")
    x0, y0, x1, y1 = np.array(seen_cell((400, 200), *divmod(PLACE, 14))) * width / 400
    assert browser.box("dialog .frame .cell") == pytest.approx((left + x0, top + y0, x1 - x0, y1 - y0), abs=0.5)


def work(browser: Browser) -> float:
    """Seconds of processor time that the page has spent on programs, styles and layout."""
    metrics = {each["name"]: each["value"] for each in browser.command("Performance.getMetrics")["metrics"]}
    return sum(metrics[name] for name in ("ScriptDuration", "LayoutDuration", "RecalcStyleDuration"))


def test_a_thousand_photos_open_at_once_and_scroll(browser: Browser, tmp_path: Path) -> None:
    photos = [tmp_path / f"{number}.png" for number in range(1000)]
    for number, path in enumerate(photos):
        drawn_photo(number, (48, 40)).save(path)
    captions = [SENTENCES[number % 4].lower().rstrip(".!") + f" {number}" for number in range(1000)]
    references = [[SENTENCES[number % 4], SENTENCES[(number + 1) % 4]] for number in range(1000)]
    run, store = make_run(tmp_path, photos, captions, references)
    built = build_report(pointing(run, GRID, MAPS), store, Wanted(panels=0))
    assert (built.shown, built.panels) == (1000, 0)
    browser.size(1280, 900)
    browser.command("Performance.enable", timeDomain="threadTicks")
    started = time.monotonic()
    browser.open(built.page.as_uri())
    browser.wait("document.querySelectorAll('.photo-card').length >= 48 && document.querySelector('.example.filled')")
    before = work(browser)
    print(f"1,000 photos: open after {time.monotonic() - started:.2f} s, {before:.2f} s of them the page's own work")
    assert before < 2, "seconds of the page's own work, however busy the machine is"
    assert len(browser.requests()) < 200, "photos far below are not loaded"
    before = work(browser)
    browser.driver.execute_async_script(
        """const done = arguments[0];
        let frames = 0;
        document.getElementById("gallery").scrollIntoView();
        requestAnimationFrame(function frame() {
          scrollBy(0, 300);
          if (++frames < 120) requestAnimationFrame(frame); else done();
        });"""
    )
    assert (work(browser) - before) / 120 < 0.016, "a sixtieth of a second of the page's own work a frame"
    assert browser.run("return document.querySelectorAll('.photo-card').length") > 400
    for _ in range(60):
        browser.run("scrollTo(0, document.body.scrollHeight)")
        if browser.run("return document.querySelectorAll('.photo-card').length") == 1000:
            break
        time.sleep(0.05)
    assert browser.run("return document.querySelectorAll('.photo-card').length") == 1000
    set_value(browser, "[data-part=search]", "777")
    assert len(shown(browser)) == 1
    assert browser.errors() == []
