"""What lines, light, Find and Present show of the graph, in saved runs of all engines."""

from collections import Counter

import pytest

from explorer.vocab import session_of
from explorer.wording.kinds import kind
from tests.browser.conftest import rest, screenshot
from tests.browser.test_canvas import LAST, LEAST, NOT_LED_TO, RUNS, SELECT, opened, runs, smallest  # noqa: F401 - fixtures
from tests.browser.test_explore import painted

CONFUSED = """apart => {  // where lines from different things to sentences run too close, or through another's head
    const { store, here, lines, outline } = document.querySelector(".pe").explorer;
    const { id, w } = here().find(({ kind }) => kind === "Question");
    const scale = (outline(id).right - outline(id).left) / w;
    const told = lines().filter(({ kind, quiet }) => kind === "cites" && !quiet);
    const nameOf = ({ from, to }) => `${store.nodes.get(from).lines[0][1]} → ${store.nodes.get(to).lines[0][1]}`;
    const pieces = told.map((line) => line.points.slice(1).map((to, i) => {
        const from = line.points[i], axis = Math.abs(from.x - to.x) < 0.1 ? "x" : "y", along = axis === "x" ? "y" : "x";
        return { axis, at: to[axis], from: Math.min(from[along], to[along]), to: Math.max(from[along], to[along]) };
    }));
    const found = [];
    told.forEach((one, i) => told.forEach((other, j) => {
        if (one.from === other.from) return;
        for (const a of pieces[i]) for (const b of i < j ? pieces[j] : []) {
            const beside = a.axis === b.axis && a.from < b.to && b.from < a.to;
            const space = Math.abs(a.at - b.at) / scale;
            if (beside && space < apart - 0.01) found.push(`${space} px: ${nameOf(one)} | ${nameOf(other)}`);
        }
        const { x, y } = one.points.at(-1);
        for (const { axis, at, from, to } of pieces[j]) {
            const [left, right] = axis === "x" ? [at, at] : [from, to];
            const [top, bottom] = axis === "x" ? [from, to] : [at, at];
            if (left < x + 5 * scale && right > x - 5 * scale && top < y && bottom > y - 7 * scale)
                found.push(`${nameOf(other)} through the head of ${nameOf(one)}`);
        }
    }));
    return [found, new Set(told.map(({ from }) => from)).size];
}"""


@pytest.mark.parametrize("name", RUNS)
def test_which_sentence_rests_on_what_is_seen_by_lines_that_keep_apart(opened, name):  # noqa: F811
    page = opened(name)
    for width, height in ((900, 1000), (1280, 800), (1600, 1000), (1920, 1080)):
        page.set_viewport_size({"width": width, "height": height})
        rest(page)
        painted(page)
        confused, sources = page.evaluate(CONFUSED, 4 if (name, width) == ("scored", 900) else 7)  # half, without room
        assert confused == [], width
        assert sources >= {"facts": 3, "passages": 2}.get(name, 1)
        assert page.evaluate(NOT_LED_TO) == []
        screenshot(page, f"canvas-cites-{name}-{width}")


KEPT_LIT = """() => {  // what is not lit with what was kept; and what is lit of sentences that rest on none of it
    const { store, select, lit, here } = document.querySelector(".pe").explorer;
    const focus = here().find(({ kind }) => kind === "Focus").id;
    select(focus);
    const from = (id, ...kinds) =>
        store.arcs.filter((arc) => arc.from === id && kinds.includes(arc.kind)).map(({ to }) => to);
    const kept = from(focus, "selected");
    const sources = kept.flatMap((fact) => from(fact, "source"));
    const said = [...kept, ...sources].flatMap((one) => from(one, "cites"));
    const bright = lit(), is = (id) => store.nodes.get(id)?.kind === "Sentence";
    const missing = [...kept, ...sources, ...said].filter((id) => store.nodes.has(id) && !bright.includes(id));
    return [missing, bright.filter((id) => is(id) && !said.includes(id)), said.length];
}"""


@pytest.mark.parametrize("name", ["facts", "passages"])
def test_what_was_kept_lights_its_passages_and_the_sentences_that_rest_on_it(opened, name):  # noqa: F811
    missing, more, said = opened(name, (1280, 800)).evaluate(KEPT_LIT)
    assert (missing, more) == ([], [])
    assert said >= {"facts": 3}.get(name, 2)


def test_a_page_without_a_column_moves_nothing_out_of_sight(opened):  # noqa: F811
    page = opened("facts", (360, 1000))
    part = page.evaluate("""() => {
        const { store, here } = document.querySelector(".pe").explorer;
        const shown = new Set(here().map(({ id }) => id));
        return [...store.nodes.values()].find(({ kind, id }) => kind === "Page" && !shown.has(id)).id;
    }""")
    lefts = """() => {
        const { here, outline } = document.querySelector(".pe").explorer;
        return Math.round(Math.min(...here().map(({ id }) => outline(id).left)));
    }"""
    before = page.evaluate(lefts)
    page.evaluate(SELECT, part)
    painted(page)
    assert page.evaluate(lefts) == before


@pytest.mark.parametrize("name", ["agent", "team"])
def test_presented_a_run_that_unfolds_is_as_wide_as_its_canvas(opened, name):  # noqa: F811
    page = opened(name, (1280, 800))
    page.get_by_role("button", name="Present", exact=True).click()
    page.evaluate(SELECT, page.evaluate(LAST, "EdgeSelection"))
    rest(page)
    painted(page)
    out = page.evaluate("""() => {
        const { here, outline } = document.querySelector(".pe").explorer;
        const { width } = document.querySelector(".pe-canvas").getBoundingClientRect();
        return here().filter(({ id }) => outline(id).right > width + 1 || outline(id).left < -1).map(({ id }) => id);
    }""")
    assert out == []
    assert smallest(page) >= LEAST
    screenshot(page, f"canvas-present-{name}")


def test_what_is_found_is_what_says_it(opened):  # noqa: F811
    page = opened("facts")
    page.get_by_role("searchbox", name="Find in graph").fill("probe")
    found = page.evaluate("""() => {
        const { store } = document.querySelector(".pe").explorer;
        return [...store.found].map((id) => store.nodes.get(id)).map(({ kind, lines, passage }) =>
            [kind, `${lines.map(([, text]) => text)} ${passage?.text ?? ""}`.includes("probe")]);
    }""")
    assert {kind for kind, says in found if not says} <= {"Rest"}, "or what it is folded into"
    count = int(page.locator(".pe-find-count").inner_text().split()[0])
    assert count == sum(says for _, says in found) >= 3


@pytest.mark.parametrize("name", ["agent", "team"])
def test_the_marks_of_the_slider_are_those_of_the_run_itself(opened, runs, name):  # noqa: F811
    page = opened(name, (1600, 1000))
    page.evaluate(SELECT, page.evaluate(LAST, "EdgeSelection"))
    ticks = page.locator(".pe-controls .pe-marks span").all_inner_texts()
    assert ticks[0] == "Question"
    assert not {"Key ideas", "Looked at", "Kept"} & {*ticks}, "which are stages of the search within it"
    dag = runs[name].dag
    own = Counter(kind(one.kind).word for one in dag.nodes() if session_of(one.iri) == session_of(dag.final.iri))
    assert len(ticks) > 1
    assert Counter(ticks) <= own, "no more often than the run itself has such a stage"


def test_presented_the_way_back_from_a_fold_shares_its_row(opened):  # noqa: F811
    page = opened("scored", (1280, 800))
    page.get_by_role("button", name="Present", exact=True).click()
    page.evaluate(SELECT, page.evaluate(LAST, "Rest"))
    page.locator(".pe-detail").get_by_role("button", name="Unfold", exact=True).click()
    rest(page)
    head = page.locator(".pe-graph .pe-head").first
    back, fit = (head.get_by_role("button", name=name).bounding_box() for name in ("‹ Back", "Fit"))
    assert abs(back["y"] - fit["y"]) < 2, "the graph has the room of a second row"
    page.get_by_role("button", name="Leave Present").click()


def test_a_fold_that_is_open_says_that_it_closes(opened):  # noqa: F811
    page = opened("scored")
    page.evaluate(SELECT, page.evaluate(LAST, "Rest"))
    assert "Close, not used" not in painted(page)
    page.locator(".pe-detail").get_by_role("button", name="Unfold", exact=True).click()
    rest(page)
    assert "Close, not used" in painted(page), "its facts have a head of their own"
    page.locator(".pe-detail").get_by_role("button", name="Fold", exact=True).click()
    page.locator(".pe-detail").get_by_role("button", name="Unfold", exact=True).wait_for()
