"""A headless Chromium for tests that look at pages: screenshots as pixels, what was asked of the network, errors."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
)
PROGRAMS = (("chromium", "chromium-browser", "google-chrome"), ("chromedriver",))


def programs() -> tuple[str, str]:
    """Chromium and its driver; the test is skipped where one is not installed."""
    found = [next(filter(None, map(shutil.which, names)), None) for names in PROGRAMS]
    if None in found:
        pytest.skip("no Chromium with chromedriver: apt-get install chromium chromium-driver")
    return str(found[0]), str(found[1])


class Browser:
    """One page after another, `width` × `height` CSS pixels."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, address: str) -> None:
        """Load a page and wait for it."""
        self.requests()  # forget those of the page before
        self.driver.get(address)

    def size(self, width: int, height: int, touch: bool = False) -> None:
        """The window's size in CSS pixels; `touch`: as on a phone, two pixels of the screen each."""
        self.command(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=2 if touch else 1,
            mobile=touch,
        )
        self.command("Emulation.setTouchEmulationEnabled", enabled=touch)

    def theme(self, name: str) -> None:
        """`light` or `dark`."""
        self.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def command(self, name: str, **values: Any) -> Any:
        """A command of Chromium's debugging protocol."""
        return self.driver.execute_cdp_cmd(name, values)

    def run(self, script: str, *values: Any) -> Any:
        """What a script returns."""
        return self.driver.execute_script(script, *values)

    def wait(self, script: str, seconds: float = 10) -> Any:
        """What an expression gives once it is true. Fails when it does not become true."""
        from selenium.webdriver.support.ui import WebDriverWait

        return WebDriverWait(self.driver, seconds, 0.02).until(lambda driver: driver.execute_script(f"return {script}"))

    def find(self, selector: str) -> Any:
        """The first element of a CSS selector."""
        return self.driver.find_element("css selector", selector)

    def all(self, selector: str) -> list[Any]:
        """All elements of a CSS selector."""
        found: list[Any] = self.driver.find_elements("css selector", selector)
        return found

    def hover(self, element: Any) -> None:
        """Move the mouse over the middle of an element."""
        from selenium.webdriver import ActionChains

        ActionChains(self.driver, duration=0).move_to_element(element).perform()

    def press(self, *keys: str) -> None:
        """Press keys by their names, one after the other."""
        from selenium.webdriver import ActionChains
        from selenium.webdriver.common.keys import Keys

        for key in keys:
            ActionChains(self.driver, duration=0).send_keys(getattr(Keys, key, key)).perform()

    def tap(self, x: float, y: float) -> None:
        """A finger at a place of the window."""
        self.command("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        self.command("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def box(self, selector: str) -> tuple[float, float, float, float]:
        """Left, top, width, height of an element in the window."""
        left, top, width, height = self.run(
            "const b = document.querySelector(arguments[0]).getBoundingClientRect();"
            "return [b.left, b.top, b.width, b.height]",
            selector,
        )
        return left, top, width, height

    def pixels(self, path: Path | None = None) -> np.ndarray:
        """The window as rendered, (height, width, 3) uint8; `path`: kept there too."""
        content = self.driver.get_screenshot_as_png()
        if path is not None:
            path.write_bytes(content)
        with Image.open(io.BytesIO(content)) as picture:
            return np.asarray(picture.convert("RGB"))

    def requests(self) -> list[str]:
        """The addresses that were asked for since the last call."""
        messages = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return [
            message["params"]["request"]["url"]
            for message in messages
            if message["method"] == "Network.requestWillBeSent"
        ]

    def errors(self) -> list[str]:
        """What the page complained about since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]


@contextmanager
def chromium(profile: Path) -> Iterator[Browser]:
    """A Chromium with an empty profile."""
    chrome, driver_path = programs()
    from selenium.webdriver import Chrome, ChromeOptions
    from selenium.webdriver.chrome.service import Service

    options = ChromeOptions()
    options.binary_location = chrome
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    driver = Chrome(options=options, service=Service(driver_path))
    try:
        yield Browser(driver)
    finally:
        driver.quit()
