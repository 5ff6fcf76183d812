"""A real browser: the system's Chromium, driven by Playwright, that tells what a page says, asks for and runs."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

HOW = "install Chromium (Debian: apt-get install chromium), and pip install 'deltachain[browser]'"


def chromium() -> str | None:
    """The path of the browser, or None."""
    names = (os.environ.get("CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome")
    return next((path for name in names if name and (path := shutil.which(name))), None)


@contextmanager
def launched() -> Iterator[Any]:
    """A browser without a window."""
    from playwright.sync_api import sync_playwright

    # Chromium's own sandbox does not start for root, which is who runs tests in a container.
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"] if root else [])
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Seen:
    """What happened while a page was open."""

    complaints: list[str] = field(default_factory=list)
    """Lines of the console that are warnings or errors, uncaught errors, and dialogs."""
    requests: list[str] = field(default_factory=list)


def watched(page: Any) -> Seen:
    """The record of a page, from now on."""
    seen = Seen()

    def said(message: Any) -> None:
        if message.type in ("error", "warning"):
            seen.complaints.append(message.text)

    def asked(dialog: Any) -> None:
        seen.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    page.on("console", said)
    page.on("pageerror", lambda error: seen.complaints.append(str(error)))
    page.on("dialog", asked)
    page.on("request", lambda request: seen.requests.append(request.url))
    return seen


CONTRAST = """() => {
  const numbers = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
  const light = ([r, g, b]) => {
    const part = (v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const ground = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const frame = e.matches("g.box") ? e.querySelector(".frame-box") : null;
      if (frame) return numbers(getComputedStyle(frame).fill);
      const colour = numbers(getComputedStyle(e).backgroundColor);
      if (colour.length === 3 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const low = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || !element.getClientRects().length || element.closest("script, style, title, desc, :disabled")) continue;
    const style = getComputedStyle(element);
    const a = light(numbers(element.namespaceURI.endsWith("svg") ? style.fill : style.color));
    const b = light(ground(element));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) low.push(`${element.tagName}.${element.getAttribute("class")} ${ratio.toFixed(2)}`);
  }
  return low;
}"""
"""Text whose contrast is below that of WCAG AA."""
