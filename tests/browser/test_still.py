"""The page that needs no server, opened from a disk without a network."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from pages.parts.still.bundle import theme
from pages.parts.still.parts import page as page_of
from tests.browser.conftest import Visitor, violations

ASIDE = """() => [...document.querySelectorAll('main *')].filter((one) => one.checkVisibility())
  .filter((one) => one.getBoundingClientRect().right > innerWidth + 1).map((one) => one.className)"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("still") / "still.html"
    file.write_text(page_of(), encoding="utf-8")
    return file.as_uri()


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1440, "light")])
def test_still_opens_offline_and_is_accessible(browser: Browser, address: str, width: int, scheme: str):
    look: dict[str, Any] = {"color_scheme": scheme, "viewport": {"width": width, "height": 900}}
    context = browser.new_context(offline=True, **look)
    page, asked, said = context.new_page(), list[str](), list[str]()
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(address)
    expect(page.locator("body")).to_have_attribute("data-ready", "yes")
    for lesson in page.locator(".still-steps button").all():
        lesson.click()
        reveal = page.locator(".still-reveal")
        if reveal.is_visible():
            reveal.click()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(ASIDE) == []
        assert [one["id"] for one in violations(page)] == []
    assert asked == [address]
    assert said == []
    context.close()


def test_still_is_used_by_keyboard(browser: Browser, address: str):
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.goto(address)
    slider = page.locator(".es-dissolve-slider")
    before = page.locator(".es-dissolve-figures").inner_text()
    slider.press("ArrowRight")
    assert page.locator(".es-dissolve-figures").inner_text() != before
    rounds = page.locator(".still-bar input")
    last = page.locator(".es-headline").last.inner_text()
    rounds.press("Home")
    assert page.locator(".es-headline").last.inner_text() != last
    page.get_by_role("button", name="Play").press("Enter")
    expect(page.locator(".es-headline").last).to_have_text(last, timeout=30_000)
    context.close()


def test_chart_tells_the_values_under_the_pointer(browser: Browser, address: str):
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.goto(address)
    chart = page.locator(".es-plot").first
    chart.hover(position={"x": 150, "y": 120})
    expect(chart.locator(".es-tip")).to_contain_text("%")
    page.mouse.move(0, 0)
    expect(chart.locator(".es-tip")).to_be_hidden()
    context.close()


def test_still_has_the_colours_that_streamlit_gives(another: Callable[..., Visitor]):
    for scheme, wanted in theme().items():
        page = another(color_scheme=scheme).open("/")
        page.locator(".es-dissolve").wait_for()
        colours = {name: value for name, value in wanted.items() if re.fullmatch(r"#\w+|rgba\(.+\)", value)}
        painted = page.evaluate(
            """(colours) => Object.entries(colours).map(([name, value]) => {
              const box = document.querySelector('.es-dissolve'), seen = [];
              for (const one of [`var(--st-${name})`, value]) {
                box.style.color = one;
                seen.push(getComputedStyle(box).color);
              }
              return [name, ...seen];
            })""",
            colours,
        )
        assert len(painted) > 12
        assert [(name, given) for name, given, ours in painted if given != ours] == []
