"""The ask bar in a real browser, drawn from a state as Python sends it, without a kernel."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import expect

from explorer.view import assets
from explorer.view.messages.requests import ChangeBar
from explorer.widgets.bar.ask import AskBar
from tests.browser.app import SIDEWAYS, each_size
from tests.browser.axe import complaints
from tests.browser.conftest import poll
from tests.each import each

STATIC = Path(assets.__file__).parent / "static"
PARTS = ("dom", "words", "bar/bar", "bar/limits", "run/lesson")
SCRIPT = "\n".join((STATIC / f"{name}.js").read_text("utf-8") for name in PARTS)
DRAWN = """
    const root = document.createElement("div");
    root.className = "pe pe-app";
    document.body.append(root);
    const store = { mode: "ask", state: "start", bar: null, answer: {}, sent: [], later: (take) => take, live: true,
        send: (message) => store.sent.push(message) };
    const act = { ask: (question) => sendQuestion(store, question), refused: () => {} };
    const bars = [barView(store, act), barView(store, act)]; // two views of one app
    store.tell = () => bars.forEach((view) => view.draw());
    root.append(bars[0].root);
    const other = document.createElement("div");
    other.className = "pe other";
    other.append(bars[1].root);
    document.body.append(other);
    Object.assign(window, { store, takeAsked });
    store.tell();
"""
LONG = f"Which of these is it: {', '.join(f'thing {number}' for number in range(40))}?"


class Bar(AskBar):
    """An ask bar whose page is drawn; what the page sends is taken when `hear` says so."""

    def __init__(self, page, **more):
        super().__init__(self.draw, **more)
        self.page = page
        page.set_content("<!doctype html><html lang='en'><title>Bar</title><main></main>")
        page.add_style_tag(content=assets.css())
        page.evaluate(f"() => {{ {SCRIPT} {DRAWN} }}")
        self.draw(self.state)

    def draw(self, state):
        self.page.evaluate("state => { store.bar = state; store.tell(); }", json.loads(json.dumps(state)))

    def heard(self):
        """Take what the page sent, and tell it that a question was heard; return what was not a change of the bar."""
        sent = self.page.evaluate("() => store.sent.splice(0)")
        for message in sent:
            if message["t"] == "bar":
                self.apply(ChangeBar(**{name: value for name, value in message.items() if name != "t"}))
        self.page.evaluate("heard => heard && takeAsked(store)", any(message["t"] == "ask" for message in sent))
        return [message for message in sent if message["t"] != "bar"]


@pytest.fixture
def bar(page):
    return Bar(page, examples=["Who built the tank?"], beyond=["Who sank it?"], earlier=["Old?", LONG], model="gpt-x")


@pytest.fixture
def ask(page):
    return page.locator(".pe-app")


def opened(ask):
    """The group that the second line of the question opens, with its limits unfolded."""
    ask.locator(".pe-way").click()
    group = ask.get_by_role("group", name="How it is answered")
    group.get_by_text("Limits", exact=True).click()
    return group


def test_without_a_kernel_there_is_no_bar_and_a_saved_notebook_is_not_connected(page, bar, ask):
    assert ask.locator(".pe-bar").is_visible()
    page.evaluate("() => { store.bar = undefined; store.tell(); }")
    assert not ask.locator(".pe-bar").is_visible()
    watch = (STATIC / "kernel.js").read_text("utf-8")
    told = """
        const told = (manager) => {
            const live = [];
            watchKernel({ widget_manager: manager }, (value) => live.push(value));
            return live;
        };
        return [told({ kernel: null }), told({}), told(undefined)];
    """
    assert page.evaluate(f"() => {{ {watch} {told} }}") == [[False], [], []]  # others have no such kernel at all


def test_a_question_is_asked_once_by_the_button_and_by_enter_and_stopped(page, bar, ask):
    field, button = ask.get_by_label("Your question"), ask.locator(".pe-go")
    field.fill("Why?")
    shown = page.evaluate(
        "() => { document.querySelector('.pe-go').click(); return document.querySelector('.pe-go').innerText; }"
    )
    assert shown == "Asking …"
    button.click()
    field.press("Enter")
    assert bar.heard() == [{"t": "ask", "question": "Why?"}]
    assert bar.question == "Why?"
    expect(button).to_have_text("Ask")  # it was refused
    field.fill("And why?")
    field.press("Enter")
    assert bar.heard() == [{"t": "ask", "question": "And why?"}]
    bar.begin("And why?", "graph-rag")
    ask.get_by_role("button", name="■ Stop").click()
    assert bar.heard() == [{"t": "stop"}]
    bar.end()
    ask.get_by_role("button", name="Ask", exact=True).dblclick()
    assert bar.heard() == [{"t": "ask", "question": "And why?"}]


def test_what_is_typed_stays_while_python_says_something_else(bar, ask):
    field = ask.get_by_label("Your question")
    field.press_sequentially("half a ques")
    bar.begin("Asked elsewhere?", "graph-rag")
    assert field.input_value() == "Asked elsewhere?"
    field.fill("half a ques")
    bar.wait(waiting=True)
    bar.end()
    assert field.input_value() == "half a ques"


def test_two_views_of_one_app_show_the_same(page, bar, ask):
    other = page.locator(".other")
    ask.get_by_label("Your question").fill("Why?")
    opened(ask).get_by_role("combobox", name="Strategy", exact=True).select_option("Agent, as a team")
    assert bar.heard() == []
    assert other.get_by_label("Your question").input_value() == "Why?"
    expect(other.locator(".pe-way")).to_contain_text("in all documents · agent, as a team · gpt-x")
    ask.get_by_label("steps in a plan").fill("3")
    ask.get_by_label("steps in a plan").blur()
    assert bar.heard() == []
    assert opened(other).get_by_label("steps in a plan").input_value() == "3"
    expect(ask.get_by_role("group", name="How it is answered"), "a click elsewhere closes it").to_be_hidden()
    assert bar.chosen == {"engine": "agent", "pattern": "supervisor", "max_steps": 3}


def test_examples_come_first_and_a_long_question_is_cut_in_the_list_and_whole_when_picked(page, bar, ask):
    picker = ask.get_by_label("Examples and earlier questions")
    groups = picker.locator("optgroup").evaluate_all(
        "all => all.map(({ label, children }) => [label, children.length])"
    )
    assert groups == [["Examples", 1], ["Not in these documents", 1], ["Earlier", 2]]
    cut = picker.locator("option").last
    assert len(cut.inner_text()) <= 100 < len(LONG)
    assert cut.get_attribute("title") == LONG
    picker.select_option(index=4)
    assert picker.evaluate("one => one.selectedIndex") == 0
    assert ask.get_by_label("Your question").input_value() == LONG
    bar.heard()
    assert bar.question == LONG
    Bar(page, earlier=[LONG, f"{LONG[:-1]} or none?"])
    lines = page.locator(".pe-app .pe-examples option").all_inner_texts()
    assert lines[1] != lines[2], "those that begin alike are told apart"


def test_another_model_is_typed_with_its_address_and_key(page, bar, ask):
    models = opened(ask).get_by_role("combobox", name="Model", exact=True)
    assert models.locator("option").all_inner_texts() == ["gpt-x", "none, quotes only", "another…"]
    fields = ask.get_by_role("group", name="Another model")
    assert not fields.is_visible()
    models.select_option("another…")
    name, address, key = (fields.get_by_label(f"{word} the model") for word in ("Name of", "Address of", "Key for"))
    assert name.evaluate("one => one === document.activeElement")
    assert models.input_value() == "gpt-x"
    name.fill(" llama-3 ")
    address.fill("http://localhost:9/v1")
    assert key.get_attribute("type") == "password"
    key.fill("sk-of-mine")
    bar.refuse("Nobody is there.")
    assert (address.input_value(), key.input_value()) == ("http://localhost:9/v1", "sk-of-mine")
    key.press("Enter")
    sent = {"t": "connect", "model": "llama-3", "address": "http://localhost:9/v1", "key": "sk-of-mine"}
    assert bar.heard() == [sent]
    assert fields.is_visible(), "until Python says that it is connected"
    bar.connected("llama-3")
    assert not fields.is_visible()
    assert models.evaluate("one => one === document.activeElement")
    assert models.input_value() == "llama-3"
    assert bar.chosen["model"] == "llama-3"
    assert "sk-of-mine" not in page.evaluate("() => JSON.stringify(store)")
    models.select_option("another…")
    assert [one.input_value() for one in (name, address, key)] == ["", "", ""]
    bar.apply(ChangeBar(model="gpt-y"))  # which was found meanwhile
    assert fields.is_visible()
    name.press("Escape")
    assert not fields.is_visible()
    assert "gpt-y" in models.locator("option").all_inner_texts()


def test_who_asks_with_a_model_typed_asks_that_model(bar, ask):
    opened(ask).get_by_role("combobox", name="Model", exact=True).select_option("another…")
    ask.get_by_label("Name of the model").fill("llama-3")
    bar.heard()
    ask.get_by_label("Your question").fill("Why?")
    ask.get_by_role("button", name="Ask", exact=True).click()
    assert [message["t"] for message in bar.heard() if message["t"] != "bar"] == ["connect"]
    bar.refuse("Nobody is there.")
    assert bar.heard() == [], "what was refused is not asked without it"
    bar.connected("llama-3")
    assert [message for message in bar.heard() if message["t"] == "ask"] == [{"t": "ask", "question": "Why?"}]


@each("leave", ["Enter", "Escape", "Cancel", "Use", "run"])
def test_an_empty_name_leads_back_to_the_model_before(bar, ask, leave):
    bar.end()
    bar.apply(ChangeBar(model="llama-3"))
    group = ask.get_by_role("group", name="How it is answered")
    if not group.is_visible():
        opened(ask)
    group.get_by_role("combobox", name="Model", exact=True).select_option("another…")
    bar.heard()
    fields = ask.get_by_role("group", name="Another model")
    if leave == "run":
        bar.begin("Why?", "graph-rag", model="llama-3")
    elif leave in ("Cancel", "Use"):
        fields.get_by_role("button", name=leave).click()
    else:
        fields.get_by_label("Name of the model").press(leave)
    assert not fields.is_visible()
    assert bar.heard() == []
    assert bar.model == "llama-3"
    assert group.is_visible() == (leave != "run")
    expect(ask.locator(".pe-way")).to_contain_text("llama-3")


def test_limits_say_what_is_usual_and_go_back_to_it(bar, ask):
    group = opened(ask)
    field, search = group.get_by_label("facts kept"), group.get_by_role("combobox", name="Search", exact=True)
    usual = group.get_by_role("button", name="Defaults")
    assert field.get_attribute("placeholder") == "25"
    assert usual.count() == 0  # nothing is changed
    field.fill("3")
    field.press("Enter")
    search.select_option("rerank")
    assert bar.heard() == []
    expect(ask.locator(".pe-way")).to_contain_text("2 limits changed")
    usual.click()
    assert bar.heard() == []
    assert bar.chosen == {"engine": "graph-rag"}
    assert (field.input_value(), search.input_value()) == ("", "passages")
    group.get_by_role("combobox", name="Strategy", exact=True).select_option("Passage search")
    assert bar.heard() == []
    group.get_by_role("checkbox", name="Prefer passages").check()
    assert bar.heard() == []
    group.get_by_role("checkbox", name="Score what was found").uncheck()
    assert bar.heard() == []
    assert bar.chosen == {"engine": "document-rag", "mmr": True, "rerank": False}
    assert "leave rerank on" in ask.get_by_role("alert").inner_text()
    usual.click()
    bar.heard()
    assert group.get_by_role("checkbox", name="Score what was found").is_checked()
    assert not ask.get_by_role("alert").is_visible()
    field = group.get_by_role("textbox").first
    field.press("Escape")
    expect(group).to_be_hidden()
    expect(ask.locator(".pe-way")).to_be_focused()


def test_what_is_refused_is_text_below_the_bar_with_its_field_marked(bar, ask):
    group = opened(ask)
    field = group.get_by_label("facts kept")
    field.fill("<b>many</b>")
    field.press("Enter")
    bar.heard()
    ring = field.evaluate("one => [one === document.activeElement, getComputedStyle(one).outlineWidth]")
    assert ring == [True, "2px"], "where it was refused one types on"
    assert "not '<b>many</b>'" in ask.get_by_role("alert").inner_text()
    assert field.get_attribute("aria-invalid") == "true"
    assert group.get_by_label("facts compared").get_attribute("aria-invalid") == "false"
    field.fill("")
    field.blur()
    bar.heard()
    assert not ask.get_by_role("alert").is_visible()
    bar.refuse("<img src=x onerror=alert(1)>", "<script>alert(1)</script>")
    trouble = ask.get_by_role("alert")
    assert trouble.locator("span").inner_text() == "<img src=x onerror=alert(1)>"
    assert not trouble.locator("pre").is_visible()
    ask.locator(".pe-way").click()
    trouble.get_by_text("Details").click()
    assert trouble.locator("pre").inner_text() == "<script>alert(1)</script>"
    bar.apply(ChangeBar(teaches=True))
    assert trouble.locator("pre").is_visible(), "what was unfolded stays so"


def test_while_a_run_goes_on_only_the_next_question_can_be_changed(bar, ask):
    group, way = opened(ask), ask.locator(".pe-way")
    bar.begin("Why?", "graph-rag", edge_limit=3)
    expect(group).to_be_hidden()
    expect(way).to_be_disabled()
    expect(ask.get_by_label("Your question")).to_be_enabled()
    bar.end()
    expect(way).to_be_enabled()


CUT = """() => [...document.querySelectorAll(".pe-app input[placeholder]")].filter((one) => {
    if (!one.checkVisibility()) return false;
    const { font, paddingLeft, paddingRight } = getComputedStyle(one);
    const context = document.createElement("canvas").getContext("2d");
    context.font = font;
    const room = one.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
    return context.measureText(one.placeholder).width > room;
}).map((one) => one.placeholder)"""
BOXES = """(parts) => [...document.querySelectorAll(parts)].map((one) => {
    const { left, top, right, bottom } = one.getBoundingClientRect();
    return [left, top, right, bottom];
})"""


def test_at_any_width_nothing_overlaps_and_what_empty_fields_say_is_read_whole(page, bar, ask):
    bar.apply(ChangeBar(how="Agent"))
    opened(ask).get_by_role("combobox", name="Model", exact=True).select_option("another…")
    for width, _ in each_size(page, (480, 900), (1500, 900)):
        for parts, least in (
            (".pe-app :is(.pe-written > *, .pe-way, .pe-go)", 4),
            (".pe-app .pe-ways > *", 6),
            (".pe-app .pe-connect > :is(label, button)", 5),
        ):
            boxes = [box for box in page.evaluate(BOXES, parts) if box[2] > box[0]]
            assert len(boxes) >= least
            for at, (left, top, right, bottom) in enumerate(boxes):
                assert 0 <= left < right <= width
                for other in boxes[at + 1 :]:
                    apart = right <= other[0] or other[2] <= left or bottom <= other[1] or other[3] <= top
                    assert apart, (boxes[at], other)
        assert not page.evaluate(SIDEWAYS)
        assert page.evaluate(CUT) == []
        numbers = page.evaluate(BOXES, ".pe-app .pe-number :is(input, span)")
        assert len(numbers) > 10
        for field, words in zip(numbers[::2], numbers[1::2], strict=True):
            assert field[2] <= words[0]
            assert abs(field[1] + field[3] - words[1] - words[3]) < 4, "in one line"


def test_nothing_serious_is_found_by_axe(page, bar, ask):
    page.evaluate("() => { document.querySelector('.other').remove(); document.body.className = 'pe-file'; }")
    bar.apply(ChangeBar(limits={"edge_limit": "0"}))
    opened(ask).get_by_role("combobox", name="Model", exact=True).select_option("another…")
    bar.refuse("It failed.", "Details")
    for theme in ("true", "false"):
        page.evaluate("light => { document.body.dataset.jpThemeLight = light; }", theme)
        poll(page, "() => document.querySelectorAll('[aria-label=Limits] input').length", 7)
        assert complaints(page) == []
