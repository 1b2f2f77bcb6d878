"""A real browser to open pages in, without a window and without a network."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SWITCHES = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--disable-sync",
    "--no-first-run",
    "--window-size=1200,1000",
)

# The contrast of an element's text with what is behind it, as WCAG 2.2 reckons it.
CONTRAST = """
const channel = (value) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
const light = (colour) => {
  const [red, green, blue] = colour.match(/[\\d.]+/g).slice(0, 3).map((value) => channel(value / 255));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};
const behind = (element) => {
  const colour = getComputedStyle(element).backgroundColor;
  return colour === "rgba(0, 0, 0, 0)" ? behind(element.parentElement) : colour;
};
const [dark, bright] = [light(getComputedStyle(arguments[0]).color), light(behind(arguments[0]))].sort();
return (bright + 0.05) / (dark + 0.05);
"""
# What it asks for in 1.4.3.
LEAST_CONTRAST = 4.5


def find_browser() -> tuple[str, str]:
    """The browser and its driver; without them the test is skipped, and fails where CI has to have them."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    driver = shutil.which("chromedriver")
    if browser and driver:
        return browser, driver
    message = "Chromium and chromedriver are not installed (Debian: chromium, chromium-driver)."
    if os.environ.get("CI") == "true":
        pytest.fail(message)
    pytest.skip(message)


@contextmanager
def open_browser(profile: Path) -> Iterator[Browser]:
    """A browser with a fresh profile in the folder `profile`."""
    browser, driver = find_browser()
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for switch in (*SWITCHES, f"--user-data-dir={profile}"):
        options.add_argument(switch)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    chrome = webdriver.Chrome(options=options, service=Service(driver))
    try:
        yield Browser(chrome)
    finally:
        chrome.quit()


class Browser:
    """What tests do with a page: look, press keys, click, and change the medium."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver

    def open(self, page: Path, anchor: str = "") -> Browser:
        """Show a page as if for the first time, on a wide and light screen."""
        self.driver.get("about:blank")
        self.medium()
        self.width(1200)
        self.log("browser")
        self.log("performance")
        self.driver.get(page.as_uri() + anchor)
        return self

    def log(self, kind: str) -> list[dict[str, Any]]:
        """What was logged since the last time."""
        entries: list[dict[str, Any]] = self.driver.get_log(kind)
        return entries

    def medium(self, medium: str = "screen", *, dark: bool = False) -> None:
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": medium, "features": [scheme]})

    def width(self, pixels: int) -> None:
        size = {"width": pixels, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector: str) -> WebElement:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def text(self, selector: str) -> str:
        """The text of the first element as it is shown."""
        return self.one(selector).text

    def contents(self, selector: str) -> list[str]:
        """The whole text of every element, character by character, shown or not."""
        found: list[str] = self.run(
            "return [...document.querySelectorAll(arguments[0])].map((element) => element.textContent)",
            selector,
        )
        return found

    def press(self, *keys: str) -> None:
        """Press keys one after the other, wherever the focus is."""
        for key in keys:
            self.driver.switch_to.active_element.send_keys(key)

    def focused(self) -> WebElement:
        return self.driver.switch_to.active_element

    def wait_for(self, texts: Sequence[str], selector: str) -> None:
        """Wait until the elements have these texts."""
        WebDriverWait(self.driver, 30).until(lambda _: self.contents(selector) == list(texts), str(texts))

    def wait_until(self, script: str, *arguments: Any) -> None:
        """Wait until the script returns something true."""
        WebDriverWait(self.driver, 30).until(lambda _: self.run(script, *arguments), script)

    def too_faint(self, selectors: Sequence[str]) -> dict[str, float]:
        """The elements whose text does not stand out enough to be read, with their contrast."""
        contrasts = {selector: self.run(CONTRAST, self.one(selector)) for selector in selectors}
        return {name: contrast for name, contrast in contrasts.items() if contrast < LEAST_CONTRAST}
