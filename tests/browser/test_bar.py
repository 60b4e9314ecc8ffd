"""The ask bar in a real browser, drawn from a state as Python sends it, without a kernel."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import expect

from explorer.view import assets
from explorer.view.messages.requests import ChangeBar
from explorer.widgets.bar.ask import AskBar
from explorer.wording.ways import CHOICE_ABOUT
from tests.browser.axe import complaints
from tests.browser.conftest import poll, rest

STATIC = Path(assets.__file__).parent / "static"
PARTS = ("dom", "words", "present", "bar/bar", "bar/limits", "what_if/left_out", "run/lesson")
SCRIPT = "\n".join((STATIC / f"{name}.js").read_text("utf-8") for name in PARTS)
DRAWN = """
    const root = document.createElement("div");
    root.className = "pe pe-app";
    document.body.append(root);
    const store = { mode: "ask", state: "start", bar: null, answer: {}, sent: [], later: (take) => take, live: true,
        send: (message) => store.sent.push(message) };
    const act = { ask: (question) => sendQuestion(store, question), next: () => store.send({ t: "next" }),
        refused: () => {}, teach: () => changeBar(store, { teaches: !store.bar.teaches }) };
    const views = [barView, settingsView].map((view) => [view(store, act), view(store, act)]); // two views of one app
    const [bars, gears] = views;
    store.tell = () => views.flat().forEach((view) => view.draw());
    root.append(bars[0].root, gears[0].root);
    const other = document.createElement("div");
    other.className = "pe other";
    other.append(bars[1].root, gears[1].root);
    document.body.append(other);
    Object.assign(window, { store, takeAsked });
    store.tell();
"""
OFF_CENTRE = """one => {
    const [box, icon] = [one, one.querySelector("svg")].map((of) => of.getBoundingClientRect());
    return icon.left + icon.right - box.left - box.right;
}"""
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


def test_without_a_kernel_there_is_no_bar(page, bar, ask):
    parts = [ask.locator(".pe-bar"), ask.locator(".pe-gear")]
    assert all(part.is_visible() for part in parts)
    page.evaluate("() => { store.bar = undefined; store.tell(); }")
    assert not any(part.is_visible() for part in parts)


def test_a_saved_notebook_that_is_opened_without_a_kernel_is_not_connected(page):
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


def test_a_question_is_asked_by_the_button_and_by_enter_and_stopped(page, bar, ask):
    field = ask.get_by_label("Your question")
    field.fill("Why?")
    ask.get_by_role("button", name="Ask", exact=True).click()
    assert bar.heard() == [{"t": "ask", "question": "Why?"}]
    assert bar.question == "Why?"
    field.fill("And why?")
    field.press("Enter")
    assert bar.heard() == [{"t": "ask", "question": "And why?"}]
    bar.begin("And why?", "graph-rag")
    stop = ask.get_by_role("button", name="■ Stop")
    assert "stays on record" in stop.get_attribute("title")
    stop.click()
    assert bar.heard() == [{"t": "stop"}]
    bar.end()
    ask.get_by_role("button", name="Ask", exact=True).dblclick()
    assert bar.heard() == [{"t": "ask", "question": "And why?"}]


def test_a_press_shows_at_once_and_is_one_question_until_it_was_heard(page, bar, ask):
    ask.get_by_label("Your question").fill("Why?")
    shown = page.evaluate(
        "() => { document.querySelector('.pe-go').click(); return document.querySelector('.pe-go').innerText; }"
    )
    assert shown == "Asking …"
    button = ask.locator(".pe-go")
    button.click()
    ask.get_by_label("Your question").press("Enter")
    assert bar.heard() == [{"t": "ask", "question": "Why?"}]
    expect(button).to_have_text("Ask")  # it was refused


def test_an_agent_says_what_it_does_in_a_line_until_it_was_asked(bar, ask):
    line, how = ask.locator(".pe-does"), ask.locator(".pe-how select")
    expect(line, "its word says it").to_be_hidden()
    lines = set()
    for way in ("Agent", "Agent, step by step", "Agent, plan first", "Agent, as a team"):
        how.select_option(way)
        bar.heard()
        expect(line).to_have_text(CHOICE_ABOUT[way])
        lines.add(line.inner_text())
    assert len(lines) == 4
    bar.begin("Why?", "agent")
    bar.end()
    expect(line).to_be_hidden()
    assert ask.locator(".pe-how").get_attribute("title") == CHOICE_ABOUT["Agent"]
    how.select_option("Agent, plan first")
    bar.heard()
    expect(line).to_have_text(CHOICE_ABOUT["Agent, plan first"])


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
    ask.get_by_role("combobox", name="How").select_option("Agent, as a team")
    ask.get_by_role("button", name="Limits").click()
    assert bar.heard() == []
    assert other.get_by_label("Your question").input_value() == "Why?"
    assert other.get_by_role("combobox", name="How").input_value() == "Agent, as a team"
    other.get_by_label("steps in a plan").fill("3")
    other.get_by_label("steps in a plan").blur()
    assert bar.heard() == []
    assert ask.get_by_label("steps in a plan").input_value() == "3"
    assert bar.chosen == {"engine": "agent", "pattern": "supervisor", "max_steps": 3}


def test_examples_come_first_and_a_long_question_is_cut_in_the_list_and_whole_when_picked(bar, ask):
    picker = ask.get_by_label("Examples and earlier questions")
    groups = picker.locator("optgroup").evaluate_all(
        "all => all.map(({ label, children }) => [label, children.length])"
    )
    assert groups == [["Examples", 1], ["Not in these documents", 1], ["Earlier", 2]]
    assert picker.evaluate("one => one.selectedOptions[0].text") == "Examples"
    cut = picker.locator("option").last
    assert len(cut.inner_text()) <= 100 < len(LONG)
    assert cut.get_attribute("title") == LONG
    picker.select_option(index=4)
    assert picker.evaluate("one => one.selectedIndex") == 0
    assert ask.get_by_label("Your question").input_value() == LONG
    bar.heard()
    assert bar.question == LONG


def test_questions_that_begin_alike_are_told_apart(page):
    Bar(page, earlier=[LONG, f"{LONG[:-1]} or none?"])
    lines = page.locator(".pe-app .pe-examples option").all_inner_texts()
    assert lines[0] == "Earlier"
    assert lines[1] != lines[2]


def test_another_model_is_typed_with_its_address_and_key(page, bar, ask):
    models = ask.get_by_role("combobox", name="Model", exact=True)
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


@pytest.mark.parametrize("leave", ["Enter", "Escape", "Cancel", "Use", "run"])
def test_an_empty_name_leads_back_to_the_model_before(bar, ask, leave):
    bar.apply(ChangeBar(model="llama-3"))
    models = ask.get_by_role("combobox", name="Model", exact=True)
    models.select_option("another…")
    bar.heard()
    fields = ask.get_by_role("group", name="Another model")
    if leave == "run":
        bar.begin("Why?", "graph-rag", model="llama-3")
    elif leave in ("Cancel", "Use"):
        fields.get_by_role("button", name=leave).click()
    else:
        fields.get_by_label("Name of the model").press(leave)
    assert not fields.is_visible()
    assert models.input_value() == "llama-3"
    assert bar.heard() == []
    assert bar.model == "llama-3"


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


@pytest.mark.parametrize("width", [1100, 760, 480])
def test_limits_stand_below_one_another_and_what_empty_fields_say_is_read_whole(page, bar, ask, width):
    page.set_viewport_size({"width": width, "height": 900})
    bar.apply(ChangeBar(open=True))
    ask.get_by_role("combobox", name="Model", exact=True).select_option("another…")
    assert page.evaluate(CUT) == []
    numbers = page.evaluate(BOXES, ".pe-app .pe-number :is(input, span)")
    assert len({round(left) for left, *_ in numbers[::2]}) == (1 if width < 700 else 2)
    assert len(numbers) > 10
    for field, words in zip(numbers[::2], numbers[1::2], strict=True):
        assert field[2] <= words[0]
        assert abs(field[1] + field[3] - words[1] - words[3]) < 4, "in one line"
    parts = page.evaluate(BOXES, ".pe-app .pe-connect > :is(label, button)")
    assert len(parts) == 5
    for at, (_, _, right, bottom) in enumerate(parts):
        assert all(right <= left or bottom <= top for left, top, *_ in parts[at + 1 :]), "one after another"


def test_models_found_while_a_name_is_typed_leave_the_fields_open(page, bar, ask):
    ask.get_by_role("combobox", name="Model", exact=True).select_option("another…")
    name = ask.get_by_label("Name of the model")
    name.press_sequentially("lla")
    bar.apply(ChangeBar(model="gpt-y"))
    assert name.input_value() == "lla"
    name.press("Escape")
    assert "gpt-y" in ask.get_by_role("combobox", name="Model", exact=True).locator("option").all_inner_texts()


def test_while_a_run_goes_on_only_the_next_question_can_be_changed(bar, ask):
    bar.apply(ChangeBar(open=True, limits={"edge_limit": "3"}))
    settings = [
        *(ask.get_by_role("combobox", name=name, exact=True) for name in ("How", "Model", "Search")),
        *(ask.get_by_label("facts kept"), ask.get_by_role("button", name="Defaults")),
    ]
    bar.begin("Why?", "graph-rag", edge_limit=3)
    ask.get_by_role("group", name="Limits").wait_for(state="hidden")
    bar.apply(ChangeBar(open=True))
    assert all(control.is_disabled() for control in settings)
    assert ask.get_by_label("Your question").is_enabled()
    bar.end()
    assert all(control.is_enabled() for control in settings)


def test_limits_unfold_say_what_is_usual_and_go_back_to_it(bar, ask):
    gear = ask.get_by_role("button", name="Limits")
    assert gear.get_attribute("aria-expanded") == "false"
    assert not ask.get_by_role("group", name="Limits").is_visible()
    assert gear.evaluate(OFF_CENTRE) == 0
    gear.click()
    assert bar.heard() == []
    assert gear.get_attribute("aria-expanded") == "true"
    field = ask.get_by_label("facts kept")
    assert field.get_attribute("placeholder") == "25"
    usual = ask.get_by_role("button", name="Defaults")
    assert usual.count() == 0  # nothing is changed
    field.fill("3")
    field.press("Enter")
    ask.get_by_role("combobox", name="Search").select_option("rerank")
    assert bar.heard() == []
    assert ask.get_by_role("button", name="Limits · 2 changed").inner_text() == "2"
    usual.click()
    assert bar.heard() == []
    assert bar.chosen == {"engine": "graph-rag"}
    assert (field.input_value(), ask.get_by_role("combobox", name="Search").input_value()) == ("", "passages")
    ask.get_by_role("combobox", name="How").select_option("Passage search")
    assert bar.heard() == []
    ask.get_by_role("checkbox", name="Prefer passages").check()
    assert bar.heard() == []
    ask.get_by_role("checkbox", name="Score what was found").uncheck()
    assert bar.heard() == []
    assert bar.chosen == {"engine": "document-rag", "mmr": True, "rerank": False}
    assert "leave rerank on" in ask.get_by_role("alert").inner_text()
    usual.click()
    bar.heard()
    assert ask.get_by_role("checkbox", name="Score what was found").is_checked()
    assert not ask.get_by_role("alert").is_visible()
    ask.get_by_role("button", name="Close").click()
    assert bar.heard() == []
    assert gear.get_attribute("aria-expanded") == "false"
    assert not ask.get_by_role("group", name="Limits").is_visible()


def test_what_is_refused_is_text_below_the_bar_with_its_field_marked(bar, ask):
    bar.apply(ChangeBar(open=True))
    field = ask.get_by_label("facts kept")
    field.fill("<b>many</b>")
    field.press("Enter")
    bar.heard()
    ring = field.evaluate("one => [one === document.activeElement, getComputedStyle(one).outlineWidth]")
    assert ring == [True, "2px"], "where it was refused one types on"
    assert "not '<b>many</b>'" in ask.get_by_role("alert").inner_text()
    assert field.get_attribute("aria-invalid") == "true"
    assert ask.get_by_label("facts compared").get_attribute("aria-invalid") == "false"
    field.fill("")
    field.blur()
    bar.heard()
    assert not ask.get_by_role("alert").is_visible()
    bar.refuse("<img src=x onerror=alert(1)>", "<script>alert(1)</script>")
    trouble = ask.get_by_role("alert")
    assert trouble.locator("span").inner_text() == "<img src=x onerror=alert(1)>"
    assert not trouble.locator("pre").is_visible()
    trouble.get_by_text("Details").click()
    assert trouble.locator("pre").inner_text() == "<script>alert(1)</script>"
    bar.apply(ChangeBar(teaches=True))
    assert trouble.locator("pre").is_visible(), "what was unfolded stays so"


def test_teach_is_switched_beside_ask_also_while_a_run_goes_on(bar, ask):
    teach = ask.get_by_role("button", name="Teach")
    teach.click()
    assert bar.heard() == []
    assert bar.teaches
    assert teach.get_attribute("aria-pressed") == "true"
    bar.begin("Why?", "graph-rag")
    teach.click()
    bar.heard()
    assert not bar.teaches


def test_the_tooltip_of_the_model_says_why_none_were_found(bar, ask):
    def known():
        raise OSError("disk full")

    assert "Which language model writes" in ask.locator(".pe-model").get_attribute("title")
    bar._look(known)
    assert "disk full" in ask.locator(".pe-model").get_attribute("title")


def test_a_coloured_button_keeps_its_colour_under_the_mouse(bar, ask):
    go = ask.locator(".pe-go")
    edge = "one => [getComputedStyle(one).borderColor, getComputedStyle(one).backgroundColor]"
    go.hover()
    border, ground = go.evaluate(edge)
    assert border == ground
    bar.begin("Why?", "graph-rag")
    red = go.evaluate(edge)
    ask.get_by_label("Your question").hover()
    assert go.evaluate(edge) == red


@pytest.mark.parametrize("width", [460, 560, 720, 900, 1000, 1500])
def test_nothing_overlaps_or_is_cut_at_any_width(page, bar, ask, width):
    page.set_viewport_size({"width": width + 16, "height": 900})
    bar.apply(ChangeBar(how="Agent", teaches=True, open=True))
    rest(page)
    boxes = ask.locator(":is(.pe-ask, .pe-ways) > :visible").evaluate_all(
        "all => all.map((one) => { const { left, right, top, bottom } = one.getBoundingClientRect();"
        " return [left, right, top, bottom]; })"
    )
    assert len(boxes) == 6
    for at, (left, right, top, bottom) in enumerate(boxes):
        assert 0 <= left < right <= width + 16
        for other in boxes[at + 1 :]:
            apart = right <= other[0] or other[1] <= left or bottom <= other[2] or other[3] <= top
            assert apart, (boxes[at], other)
    assert page.evaluate("() => document.querySelector('.pe').scrollWidth <= document.querySelector('.pe').clientWidth")
    tops = {round(top) for _, _, top, _ in boxes}
    assert len(tops) == (1 if width > 960 else 2)


def test_nothing_serious_is_found_by_axe(page, bar):
    page.evaluate("() => { document.querySelector('.other').remove(); document.body.className = 'pe-file'; }")
    bar.apply(ChangeBar(open=True, teaches=True, limits={"edge_limit": "0"}))
    bar.refuse("It failed.", "Details")
    page.locator(".pe-app").get_by_role("combobox", name="Model", exact=True).select_option("another…")
    for theme in ("true", "false"):
        page.evaluate("light => { document.body.dataset.jpThemeLight = light; }", theme)
        poll(page, "() => document.querySelectorAll('[aria-label=Limits] input').length", 7)
        assert complaints(page) == []
