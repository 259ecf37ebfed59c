"""The server's page in a browser: a photo dropped on it comes back with words that light it."""

from __future__ import annotations

import base64
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from attend.score.captioner import LoadedCaptioner
from attend.score.search.caption import Caption
from tests.browser import Browser, chromium
from tests.report_run import pointing
from tests.test_report_browser import GREY, PLACE, inside, seen_cell
from tests.test_serve import captioner, encoded, listening, port

pytestmark = pytest.mark.slow
__all__ = ["captioner", "port"]


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with chromium(tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.fixture
def page(browser: Browser, port: int) -> Browser:
    browser.size(1280, 900)
    browser.open(f"http://127.0.0.1:{port}/")
    browser.wait("document.querySelector('[data-part=run]').textContent")
    return browser


def drop(page: Browser, content: bytes, name: str) -> None:
    """Drop a file on the page, as from a folder."""
    page.run(
        """const bytes = Uint8Array.from(atob(arguments[0]), c => c.charCodeAt(0));
        const data = new DataTransfer();
        data.items.add(new File([bytes], arguments[1]));
        const target = document.querySelector("main");
        for (const kind of ["dragenter", "dragover", "drop"])
          target.dispatchEvent(new DragEvent(kind, {bubbles: true, cancelable: true, dataTransfer: data}));""",
        base64.b64encode(content).decode(),
        name,
    )


def wait_for(page: Browser, name: str) -> None:
    page.wait(f"document.querySelector('[data-part=result]').dataset.shown === {name!r}", 30)
    page.wait("document.querySelector('.stage img').complete")


def test_a_dropped_photo_comes_back_with_its_caption(
    page: Browser, captioner: LoadedCaptioner, photo_run: Path
) -> None:
    path = photo_run / "photos" / "photo 9.png"
    drop(page, path.read_bytes(), "photo 9.png")
    wait_for(page, "photo 9.png")
    words = [button.text for button in page.all(".words button")]
    assert words == list(captioner.caption(path)[0].words)
    page.hover(page.all(".words button")[1])
    page.wait("document.querySelector('.stage').classList.contains('looking')")
    assert page.find(".figures").text.startswith("probability")
    assert len(page.all("[data-part=list] button")) == 2
    page.all("[data-part=list] button")[1].click()
    second = captioner.caption(path, n_best=2)[0][1].words
    assert [button.text for button in page.all(".words button")] == list(second)
    page.find("[data-part=file]").send_keys(str(photo_run / "photos" / "photo 10.png"))
    wait_for(page, "photo 10.png")
    assert len(page.all("[data-part=strip] button")) == 2
    page.all("[data-part=strip] button")[1].click()
    wait_for(page, "photo 9.png")
    assert page.errors() == []
    assert all(address.startswith((page.driver.current_url, "data:")) for address in page.requests())


def test_what_cannot_be_captioned_is_said_on_the_page(page: Browser) -> None:
    for content, name, message in (
        (
            b"<b>no photo</b>",
            "<b>notes.txt</b>",
            "<b>notes.txt</b> is not JPEG, PNG, GIF, WebP, BMP or TIFF: convert it",
        ),
        (b"", "none.jpg", "none.jpg is empty: choose another file"),
        (b"x" * 200_001, "large.jpg", "large.jpg has 0.2 MB"),
    ):
        drop(page, content, name)
        page.wait(f"document.querySelector('[data-part=trouble]').textContent.startsWith({message!r})")
        assert page.find("[data-part=trouble]").is_displayed()
        assert not page.find("[data-part=busy]").is_displayed()


@pytest.mark.parametrize("size", [(640, 200), (200, 640)])
def test_a_known_map_lands_on_its_pixels_of_a_dropped_photo(
    page: Browser, captioner: LoadedCaptioner, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    """The search is real; then every word is made to look at one place of 14 × 14."""
    find = captioner.n_best_pixels

    def search(*words: Any) -> list[list[Caption]]:
        found = find(*words)
        for captions in found:
            for caption in captions:
                object.__setattr__(caption, "attention", np.eye(196, dtype=np.float32)[[PLACE] * len(caption.words)])
        return found

    monkeypatch.setattr(captioner, "n_best_pixels", search)
    monkeypatch.setattr(captioner, "run", pointing(captioner.run, (14, 14), torch.zeros(1, 196)))
    with listening(captioner) as other:
        page.open(f"http://127.0.0.1:{other}/")
        page.wait("document.querySelector('[data-part=run]').textContent")
        drop(page, encoded(Image.new("RGB", size, (GREY,) * 3)), "grey.png")
        wait_for(page, "grey.png")
        page.hover(page.all(".words button")[0])
        time.sleep(0.4)
        lit = inside(page, ".frame .stage")
    rows, columns = np.nonzero(lit > 180)
    expected = np.array(seen_cell(size, *divmod(PLACE, 14))) * lit.shape[1] / size[0]
    assert np.abs(np.array([columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]) - expected).max() <= 2


def test_on_a_phone_a_tap_on_the_photo_marks_words(page: Browser, port: int, photo_run: Path) -> None:
    page.size(390, 844, touch=True)
    page.open(f"http://127.0.0.1:{port}/")
    page.wait("document.querySelector('[data-part=run]').textContent")
    drop(page, encoded(Image.new("RGB", (300, 200), "teal")), "teal.png")
    wait_for(page, "teal.png")
    assert page.run("return document.documentElement.scrollWidth") <= 390
    left, top, width, height = page.box(".stage")
    page.tap(left + width / 2, top + height / 2)
    page.wait("document.querySelector('.stage').classList.contains('pointed')")
    assert page.find(".reading").text
