"""Past runs in a real JupyterLab: found, named, compared, stepped together, and played again as they were."""

import itertools
import json
import re
from pathlib import Path

from playwright.sync_api import expect

from explorer import verify_file
from explorer.wording.kinds import KINDS, STAGES
from tests.browser.app import (
    PLAYED,
    QUESTION,
    STORE,
    ask,
    each_size,
    leave_present,
    marked,
    present,
    select_kind,
)
from tests.browser.axe import complaints
from tests.browser.conftest import (
    RUN,
    WIDE,
    execute,
    poll,
    portrait,
    press_if_there,
    rest,
    run_new_cell,
    set_theme,
)
from tests.each import each

DOCUMENTS = Path(__file__).parents[2] / "sample_data" / "apollo13" / "documents"
CELLS = (
    f"""\
import explorer
ws = explorer.open()
ws.ingest({str(DOCUMENTS / "investigation-report.pdf")!r}, {str(DOCUMENTS / "tank-history.md")!r}, progress=False)
app = explorer.app(ws, pace=0.01)
app""",
)
VOLTAGE = "What voltage were the thermostatic switches rated for?"
TANK = "Why did oxygen tank no. 2 fail?"
OTHER = "Who is the mayor of Lisbon?"
TEAM = "Why did oxygen tank no. 2 fail, and what voltage were the thermostatic switches rated for?"
HEATERS = "What voltage were the heater switches made for, and what did they get at the launch site?"  # keeps 5 facts
# What the graph looks like, and what the other panels say; ids stay, since it is the same run.
SHOWN = """() => {
    const { store } = document.querySelector(".pe").explorer;
    const text = (part) => document.querySelector(part).innerText.replace(/\\d+(\\.\\d+)? (s|ms)\\b/g, "…");
    return {
        nodes: [...store.nodes.values()].map((node) =>
            JSON.stringify([node.id, node.kind, node.lines, node.spots])).sort(),
        arcs: store.arcs.map(({ from, to, kind, width }) => [from, to, kind, width].join(" ")).sort(),
        answer: text(".pe-answer .pe-body"),
    };
}"""
WATCH = f"""() => {{
    const shown = {SHOWN};
    window.deaf?.();
    window.steps = [];
    const {{ store }} = document.querySelector(".pe").explorer;
    window.deaf = store.listen((what, detail) => {{
        if (what === "grown" && detail.nodes?.length && !detail.whole) window.steps.push(shown());
    }});
}}"""
KEPT_BY = f"""() => {{  // how many things each run kept, and how many only by their words
    const rows = {STORE}.compare.groups.flatMap((group) => group.rows);
    const kept = (side) => rows.filter((row) => row[side].number !== null).length;
    const words = rows.filter((row) => row.a.within !== null || row.b.within !== null).length;
    return {{ a: kept("a"), b: kept("b"), words }};
}}"""
HAD = f"""() => {{  // how many documents each run has
    const rows = {STORE}.compare.groups.flatMap((group) => group.rows);
    const sources = (side) => rows.flatMap((row) => row.sources).filter((one) => ["both", side].includes(one.side));
    const had = (side) => new Set(sources(side).map((one) => one.document));
    return {{ a: had("A").size, b: had("B").size }};
}}"""
REACHED = """(compared) => {  // how many documents the lines of each run lead to: these begin furthest to the right
    const begins = (arc) => arc.getAttribute("d").match(/^M([\\d.]+) ([\\d.]+)/).slice(1).map(Number);
    const [a, b] = ["a", "b"].map((side) => [...compared.querySelectorAll(`.pe-both-arc.${side}`)].map(begins));
    const last = Math.max(...[...a, ...b].map(([x]) => x));
    const reached = (arcs) => new Set(arcs.filter(([x]) => x === last).map(([, y]) => y)).size;
    return { a: reached(a), b: reached(b) };
}"""
CUT_IN_BOTH = """(compared) => {  // what is cut in the graph of two runs, but the words of passages
    const parts = [...compared.querySelectorAll(".pe-both g")].map((one) =>
        [...one.querySelectorAll("text.fact, text.quiet")].map(({ textContent }) => textContent));
    const isPassage = (lines) => lines.some((line) => line.startsWith("“"));
    return parts.filter((lines) => !isPassage(lines) && lines.some((line) => line.includes("…")));
}"""
LANES = """() => [...document.querySelectorAll(".pe-together")].map((lane) => ({
    heads: [...lane.querySelectorAll("section > div b")].map((one) => one.innerText),
    came: [...lane.querySelectorAll("li.pe-came-one")].map((one) => one.innerText),
    text: lane.innerText,
    newest: [...lane.querySelectorAll(".on.pe-came-one")].every((one) => {
        const [box, room] = [one.getBoundingClientRect(), lane.getBoundingClientRect()];
        return box.top >= room.top - 1 && box.bottom <= room.bottom + 1;
    }),
}))"""
NOT_KEPT = """() => {
    const { store, select } = document.querySelector(".pe").explorer;
    const node = [...store.nodes.values()].find(({ kind }) => kind === "NotKept");
    select(node.id);
    return Number(node.lines.at(-1)[1].match(/\\d+/)[0]);
}"""
LISTED = """() => [...document.querySelectorAll(".pe-unkept > li > button")].map((line) =>
    [...line.children].map((part) => part.innerText.trim()))"""
WATCH_BEATS = """() => {  // when each of the first steps is shown
    const { store } = document.querySelector(".pe").explorer;
    window.beats = [];
    const deaf = store.listen((what) => {
        if (what !== "grown") return;
        window.beats.push(performance.now());
        if (window.beats.length === 3) deaf();
    });
}"""
BEYOND = """() => {  // what reaches beyond the canvas at its right, and how wide that is
    const { here, outline } = document.querySelector(".pe").explorer;
    const { width } = document.querySelector(".pe-canvas").getBoundingClientRect();
    return [here().filter(({ id }) => outline(id).right > width + 1).map(({ kind }) => kind), width];
}"""
IDEAS = """() => {  // how many key ideas are not drawn, and how many lie on what else is
    const { store, here, outline } = document.querySelector(".pe").explorer;
    const all = [...store.nodes.values()].filter(({ kind }) => kind === "Concept");
    const drawn = here();
    const over = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    const ideas = drawn.filter(({ kind }) => kind === "Concept");
    const lie = ideas.filter((one) => drawn.some((two) => two !== one && over(outline(one.id), outline(two.id))));
    return [all.length - ideas.length, lie.length];
}"""
NEWEST = """() => {  // whether what the event on show brought is in sight
    const { store, outline } = document.querySelector(".pe").explorer;
    const { frames, at } = store;
    const before = new Set(frames.slice(0, at).flatMap(({ nodes = [] }) => nodes.map(({ id }) => id)));
    const { id } = frames[at].nodes.find((node) => !before.has(node.id));
    const { top, bottom } = outline(id);
    return top >= -1 && bottom <= document.querySelector(".pe-run .pe-canvas").clientHeight + 1;
}"""
PLACES = """() => {  // of the lines in the list, of what stands above them, and how far it is scrolled
    const [list, ...all] = [".pe-past .pe-runs", ".pe-past .pe-runs li"].flatMap((one) =>
        [...document.querySelectorAll(one)]).filter((one) => one.checkVisibility());
    return [list.scrollTop, ...all.map((one) => JSON.stringify(one.getBoundingClientRect()))];
}"""
RESIZED = """async () => {  // whether anything is painted on the canvas, frame by frame, while it gets another height
    const canvas = document.querySelector(".pe-canvas canvas"), main = document.querySelector(".pe-run");
    const painted = () =>
        canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some((byte) => byte > 0);
    const seen = [], before = canvas.height;
    main.style.height = "480px";
    for (let frame = 0; frame < 5; frame += 1) {
        await new Promise(requestAnimationFrame);
        seen.push(painted());
    }
    main.style.height = "";
    return [canvas.height < before, ...seen];
}"""
SECOND_QUESTION = """() => {
    const { store, select } = document.querySelectorAll(".pe")[1].explorer;
    select([...store.nodes.values()].find(({ kind }) => kind === "Question").id);
}"""
LINES = "() => document.querySelectorAll('.pe-past .pe-runs li.pe-top').length"
SEARCH = "Search questions, answers, facts, sources, names, tags and notes"


def look_back(page):
    """Open the past runs, and wait for the list that is asked for with it; gives its lines."""
    page.evaluate(f"() => {{ window.listed = {STORE}.past.runs; }}")
    page.get_by_role("tab", name="Past runs").click()
    poll(page, f"() => {STORE}.past.runs !== window.listed", True)
    press_if_there(page, "‹ All runs")
    page.get_by_label(SEARCH).fill("")
    newest = page.locator(".pe-question input").input_value()
    page.locator(".pe-past .pe-runs li").first.get_by_text(newest, exact=True).wait_for()
    rest(page)
    return page.locator(".pe-past .pe-runs li.pe-top")


def open_newest(page):
    """Open the newest of the past runs; gives the slider that plays it."""
    page.locator(".pe-past .pe-runs li button.pe-share").first.click()
    page.locator(".pe-controls").wait_for()
    poll(page, f"() => {STORE}.past.opening", None)
    slider = page.locator(".pe-slide input")
    slider.focus()
    return slider


def compare(page, *ticked):
    """Compare these of the runs in the list."""
    press_if_there(page, "Untick all")
    for at in ticked:
        page.locator(".pe-past .pe-runs li.pe-top input").nth(at).check()
    page.get_by_role("button", name="Compare", exact=True).click()
    compared = page.locator(".pe-compare")
    compared.get_by_text("Two runs side by side").wait_for()
    return compared


def test_runs_are_found_opened_and_compared(app):
    for question, engine in ((VOLTAGE, "Graph search"), (VOLTAGE, "Passage search"), (OTHER, "Graph search")):
        ask(app, question, engine)
    runs, past = look_back(app), app.locator(".pe-past")
    expect(runs.first).to_contain_text("Not found", use_inner_text=True)
    app.get_by_label(SEARCH).fill("thermostatic")
    poll(app, LINES, 3)
    marked_words = runs.locator("mark")
    expect(marked_words, "in the question, or in what it read").to_have_text(["thermostatic"] * 3)
    expect(runs.filter(has_text=OTHER)).to_contain_text(re.compile("(passage it|it only) read: "))
    app.get_by_label(SEARCH).fill(VOLTAGE)
    poll(app, LINES, 2)
    filters = past.get_by_role("button", name="Filters")
    filters.click()
    past.get_by_label("Strategy").select_option("document-rag")
    poll(app, LINES, 1)
    expect(filters).to_have_text("Filters: 1 on")
    runs.locator(".pe-share").click()
    expect(app.locator(".pe-title")).to_contain_text("Passage search", use_inner_text=True)
    app.get_by_role("button", name="‹ All runs").click()
    past.get_by_role("button", name="Clear").click()
    filters.click()
    for at, words in enumerate(("Passage search", "Graph search")):
        expect(runs.nth(at)).to_contain_text(words, use_inner_text=True)
    app.get_by_label(SEARCH).fill("")
    expect(runs.first).to_contain_text("Lisbon", use_inner_text=True)
    portrait(app, "app-past")
    compared = compare(app, 1, 2)
    common = re.compile(r"Same question: \d+ sentences? in common, (the same \d+ |\d+ (fact|passage).* of A match )\d*")
    expect(compared).to_contain_text(common)
    compared.get_by_role("button", name="One graph").click()
    drawn, kept = compared.locator(".pe-both-scroll"), compared.locator("rect.pe-both-box:is(.fact, .passage)")
    for _ in each_size(app, (1120, 900), (1280, 800)):
        expect(compared.locator(".pe-both-arc").nth(5)).to_be_attached()
        assert drawn.evaluate("one => one.scrollWidth <= one.clientWidth && one.clientWidth < innerWidth")
        assert compared.evaluate(CUT_IN_BOTH) == []
        answers = compared.locator(".pe-halves.answers").bounding_box()
        assert drawn.bounding_box()["y"] < answers["y"], "what was asked for comes first"
        expect(kept.first).to_be_in_viewport(ratio=0.99)
        drawn.focus()
        app.keyboard.press("End")
        expect(kept.last, "the last that was kept is reached by keys").to_be_in_viewport(ratio=0.99)
        rest(app)
        app.keyboard.press("Home")
        expect(kept.first).to_be_in_viewport(ratio=0.99)
    kept_by = app.evaluate(KEPT_BY)
    assert kept_by["words"] > 0
    for side in "ab":
        expect(compared.locator(f".pe-both-box.{side}:is(.fact, .passage)")).to_have_count(kept_by[side])
        expect(compared.locator(".pe-hear li", has_text=f"kept by {side.upper()}")).to_have_count(kept_by[side])
    expect(compared.locator(".pe-hear li", has_text="its words are in what")).to_have_count(kept_by["words"])
    compared.get_by_role("button", name="Table").click()
    expect(compared.locator("tbody tr").nth(5)).to_be_attached()
    portrait(app, "app-compare")
    app.get_by_role("tab", name="Ask").click()
    poll(app, "() => document.querySelector('.pe').dataset.state", "declined")
    expect(compared).to_be_hidden()
    app.get_by_role("tab", name="Past runs").click()
    compared.get_by_role("button", name="One graph").click()
    heads = compared.locator(".pe-run-title").all_inner_texts()
    compared.get_by_role("button", name="Swap A and B").click()
    expect(compared.locator(".pe-run-title")).to_have_text(heads[::-1])
    expect(drawn, "as it was chosen").to_be_visible()
    set_theme(app, "JupyterLab Dark")
    rest(app)
    app.get_by_role("tab", name="Past runs").click()  # as "Back to the list" does
    expect(runs.first).to_be_visible()
    expect(compare(app, 1, 2).locator("table"), "another comparison begins as a table").to_be_visible()
    expect(drawn).to_have_count(0)


def test_lines_of_a_run_lead_to_the_documents_that_it_has(app):
    facts, timeline = DOCUMENTS.parent / "facts.jsonl", DOCUMENTS / "mission-timeline.txt"
    execute(
        app,
        f"ws.ingest({str(timeline)!r}, {str(DOCUMENTS / 'investigation-report.pdf')!r}, facts={str(facts)!r}, "
        f"progress=False); one = ws.run({TANK!r}); found = [one.passages[edge.iri] for edge in one.edges]; "
        "places = next(places for places in found if len({place.document for place in places}) == 2); "
        "other = ws.rerun(one, without=[places[-1].document])",
    )
    ask(app, OTHER)
    look_back(app)
    compared = compare(app, 2, 1)
    compared.get_by_role("button", name="One graph").click()
    expect(compared.locator(".pe-hear li", has_text="(in A alone)")).not_to_have_count(0)
    expect(compared.locator(".pe-hear li", has_text="(in B alone)")).to_have_count(0)
    reached, had = compared.evaluate(REACHED), app.evaluate(HAD)
    assert reached == had
    assert had["b"] < had["a"]


def test_two_runs_are_stepped_together_and_have_their_answers_at_the_same_time(app):
    for engine in ("Graph search", "Agent, step by step"):
        ask(app, HEATERS, engine)
    look_back(app)
    compare(app, 1, 0)
    app.get_by_role("button", name="Step by step", exact=True).click()
    slider = app.get_by_label("Step of both runs")
    expect(slider).to_have_attribute("aria-valuetext", re.compile(r"^Step 0 of \d+$"))
    last, seen = int(slider.get_attribute("max")), []
    slider.focus()
    for step in range(1, last + 1):
        app.keyboard.press("ArrowRight")
        expect(slider).to_have_attribute("aria-valuetext", re.compile(rf"^Step {step} of {last}, "))
        seen.append(app.evaluate(LANES))
        assert all(lane["newest"] for lane in seen[-1]), "what has just come is in sight"
    facts, agent = seen[-1]
    assert facts["heads"] == ["Key ideas", "Looked at", "Kept", "Answer"]
    assert agent["heads"][-1] == "Answer"
    assert len(facts["came"]) > 5, "each fact by itself"
    began = [next(at for at, lanes in enumerate(seen) if "Answer" in lanes[side]["heads"]) for side in (0, 1)]
    assert began[0] == began[1]
    assert not complaints(app)
    app.keyboard.press("ArrowLeft")
    expect(slider).to_have_attribute("aria-valuetext", re.compile(rf"^Step {last - 1} "))
    assert app.evaluate(LANES) == seen[-2]
    app.get_by_label("Speed").filter(visible=True).select_option("4")
    app.keyboard.press("Home")
    app.locator(".pe-compare").get_by_role("button", name="Play", exact=True).click()
    expect(slider).to_have_attribute("aria-valuetext", re.compile(rf"^Step {last} "))
    present(app)
    for _, height in each_size(app, (900, 1000), (1280, 800)):
        boxes = [box.bounding_box() for box in app.locator(".pe.presents .pe-together").all()]
        assert all(height - 30 < box["y"] + box["height"] <= height for box in boxes)
        assert all(lane["newest"] for lane in app.evaluate(LANES))
    leave_present(app)
    app.locator(".pe-together .pe-cite").first.click()
    app.locator("table.pe-versus tr.on").wait_for()


LONG = "x" * 10_000
RIGHT_TO_LEFT = "لماذا <b>فشل</b>"
DIRECTIONS = "all => all.map((one) => getComputedStyle(one).direction)"


def test_a_run_is_named_tagged_deleted_and_brought_back(app):
    app.locator(".pe-way").click()
    by = app.get_by_role("group", name="How it is answered").get_by_label("Asked by")
    by.fill("Ada Auditor")
    by.press("Tab")
    app.keyboard.press("Escape")
    poll(app, f"() => {STORE}.by", "Ada Auditor")
    assert complaints(app) == []
    ask(app, OTHER)
    runs = look_back(app)
    before = runs.count()
    expect(runs.first).to_contain_text("by Ada Auditor")
    open_newest(app)
    app.get_by_role("tab", name="Past runs").click()  # as "All runs" does
    runs.first.get_by_role("button", name="Name, tags and note").click()
    name, tags = app.get_by_label("Name", exact=True), app.get_by_label("Tags, with commas between")
    note, save = app.get_by_label("Note", exact=True), app.get_by_role("button", name="Save", exact=True)
    expect(name).to_be_focused()
    for _ in each_size(app, (900, 1000), (WIDE["width"], WIDE["height"])):
        expect(app.locator(".pe-note-form"), "all of it is seen").to_be_in_viewport(ratio=1)
    name.fill(LONG)
    tags.fill("audit, tank, AUDIT,")
    note.fill("Ask again.")
    for field, hostile in ((name, "<img src=x onerror=alert(1)> لماذا"), (tags, f"audit, {RIGHT_TO_LEFT}, AUDIT,")):
        save.click()
        expect(app.locator(".pe-trouble-line").filter(visible=True)).to_contain_text("at most 200 characters")
        expect(name, "what was refused is there to be written otherwise").to_be_focused()
        expect(note).to_have_value("Ask again.")
        if field is name:
            tags.fill(f"audit, {LONG}")
        field.fill(hostile)
    save.click()
    expect(app.locator(".pe-tag")).to_have_text(["audit", RIGHT_TO_LEFT])
    assert app.locator(".pe-tag").evaluate_all(DIRECTIONS) == ["ltr", "rtl"]
    expect(runs.first).to_contain_text("<img", use_inner_text=True)
    expect(app.locator(".pe-runs b:not([class]), .pe-runs img"), "markup stays text").to_have_count(0)
    assert app.locator(".pe-past .pe-runs").evaluate("one => one.scrollWidth <= one.clientWidth")
    app.get_by_role("button", name="Filters").click()
    tag = app.locator(".pe-past").get_by_label("Tag", exact=True)
    for chosen, lines in (("audit", 1), ("", before)):
        tag.select_option(chosen)
        poll(app, LINES, lines)
    app.get_by_role("button", name="Filters").click()
    runs.first.locator("button.pe-share").click()
    expect(app.locator(".pe-title h3")).to_contain_text("<img", use_inner_text=True)
    expect(app.locator(".pe-title-note")).to_have_text("Ask again.")


def test_any_number_of_runs_is_ticked_and_worked_on_together(app, tmp_path):
    long = " ".join(["Why did the tank fail?", RIGHT_TO_LEFT, "氧气罐为什么会失败？", *["and why"] * 500])
    asked = f"[ws.run({long!r}), ws.run({OTHER!r}), *(ws.run(f'{OTHER[:-1]}, no. {{at}}?') for at in range(17))]"
    execute(app, f"asked = {asked}; ws.traces.annotate(asked[0].iri, name='Long')")
    ask(app, OTHER)
    runs = look_back(app)
    for _ in each_size(app, (1280, 800), (900, 1000)):
        app.locator(".pe-app").evaluate("one => one.scrollIntoView({ block: 'start' })")
        rest(app)
        boxes = [box.bounding_box() for box in runs.all()]
        assert all(box["height"] < 31 for box in boxes), "one line each"
        [room] = [app.locator(".pe-past .pe-runs").bounding_box()]
        assert sum(box["y"] + box["height"] <= min(room["y"] + room["height"], 776) for box in boxes) >= 15
    ticks, shown = runs.locator("input"), app.locator(".pe-past .pe-foot [role=status]")
    compared, bar = app.get_by_role("button", name="Compare", exact=True), app.locator(".pe-past .pe-foot")
    expect(bar.get_by_role("button").filter(visible=True), "nothing is ticked").to_have_count(0)
    before = app.evaluate(PLACES)
    ticks.nth(1).click()
    ticks.nth(2).click()
    expect(compared).to_be_visible()
    ticks.nth(6).click(modifiers=["Shift"])
    expect(shown).to_have_text("6 ticked")
    expect(compared).to_be_hidden()
    assert app.evaluate(PLACES) == before, "the list stays in its place"
    search = app.get_by_label(SEARCH)
    search.fill("and why and why")
    expect(shown).to_have_text("6 ticked, 6 not shown untick these")
    search.fill("")
    expect(shown).to_have_text("6 ticked")
    app.get_by_role("button", name="Tag", exact=True).click()
    app.keyboard.type("board")
    app.keyboard.press("Enter")
    expect(runs.locator(".pe-tag", has_text="board")).to_have_count(6)
    for button, name in (("Report", "6-runs.html"), ("Bundle", "6-runs.zip")):
        with app.expect_download() as saved:
            app.get_by_role("button", name=button, exact=True).click()
        assert saved.value.suggested_filename == name
    saved.value.save_as(tmp_path / name)
    assert verify_file(tmp_path / name).is_sound
    gone = f"{STORE}.past.runs[1].iri"
    execute(app, f"ws.traces.delete({app.evaluate(f'() => {gone}')!r})")
    app.get_by_label("Order").select_option("oldest")
    expect(shown).to_have_text("5 ticked")
    app.get_by_role("button", name="Delete", exact=True).click()
    undo = app.locator(".pe-undo")
    expect(undo).to_have_text("5 runs deleted.Undo")
    expect(runs.locator(".pe-tag", has_text="board")).to_have_count(0)
    undo.get_by_role("button", name="Undo").click()
    expect(runs.locator(".pe-tag", has_text="board")).to_have_count(5)
    expect(undo).to_be_hidden()
    app.get_by_label("Order").select_option("newest")
    app.get_by_label("Tick all that are listed").click()
    expect(shown).to_have_text(f"{runs.count()} ticked")
    compare(app, 0, 17).get_by_text("Identical: same question, steps, sources and answer").wait_for()
    expect(app.locator(".pe-compare table")).to_have_count(0)


def test_one_search_says_what_was_kept_what_not_and_which_documents_have_it(app):
    ask(app, QUESTION)
    for kind in ("Concept", "NotKept"):
        app.locator(".pe-answer .pe-cite").first.click()
        assert marked(app)
        select_kind(app, kind)
        rest(app)
        expect(app.locator(".pe-source mark.mine"), f"of what was open before {kind}").to_have_count(0)
    unkept, lines = app.get_by_label("Search what was not kept"), app.locator(".pe-unkept > li")
    number = app.evaluate(NOT_KEPT)
    expect(lines).to_have_count(number)
    assert all(why and where for _, why, where in app.evaluate(LISTED)), "each with why, and its source"
    unkept.fill("TANK history")
    poll(app, "() => document.querySelectorAll('.pe-unkept > li').length", lambda found: 0 < found < number)
    assert all("tank" in line.lower() for line in lines.all_inner_texts())
    lines.first.locator("button").click()
    app.locator(".pe-found .pe-quote").wait_for()
    expect(unkept).to_have_value("TANK history")
    box, found = app.get_by_role("searchbox", name="Find in graph"), app.get_by_role("group", name="Found in")
    app.locator(".pe-canvas").focus()
    app.keyboard.press("/")
    box.fill("dropped")
    expect(found).to_have_text(re.compile(r"^in the graph: 0·not kept: [1-9]\d*·in documents: 2$"))
    number = int(re.search(r"not kept: (\d+)", found.inner_text())[1])
    found.get_by_role("button", name="not kept").click()
    expect(unkept).to_have_value("dropped")
    expect(lines).to_have_count(number)
    unkept.fill("heater")
    app.locator(".pe-unkept-said").get_by_role("button", name="in documents: 2").click()
    shelf = app.locator(".pe-documents")
    expect(shelf.get_by_label("Search titles and texts")).to_have_value("heater")
    rows = shelf.get_by_role("list", name="Documents").get_by_role("button")
    expect(rows).to_have_count(2)
    rows.filter(has_text="investigation-report.pdf").click()
    document = shelf.get_by_role("region", name="Document", exact=True)
    expect(document).to_contain_text(re.compile(r"“heater”: \d+ places in this document"))
    expect(document.locator("mark.mine, .mine").first).to_be_in_viewport()
    shelf.get_by_label("Search titles and texts").fill("")
    app.get_by_role("tab", name="Ask").click()
    box.fill("")
    expect(found).to_be_hidden()


def place_of(node):
    """A node as SHOWN has it: its IRI, and where it stands."""
    iri, _, _, *place, _ = json.loads(node)
    return iri, tuple(place[:2])


@each("engine", ["Graph search", "Agent, as a team"])
def test_a_run_is_played_again_as_it_was_live_and_fits_beside_the_list(app, engine):
    app.get_by_role("tab", name="Ask").click()
    [*each_size(app, (1100, 800))]
    app.evaluate(WATCH)
    ask(app, TEAM, engine)
    live, end = app.evaluate("() => window.steps"), app.evaluate(SHOWN)
    placed = [dict(map(place_of, step["nodes"])) for step in live]
    for before, after in itertools.pairwise(placed[:-1]):
        assert after.items() >= before.items(), "while a run goes on nothing that has its place moves"
    look_back(app)
    slider = open_newest(app)
    poll(app, SHOWN, end)
    app.keyboard.press("Home")
    poll(app, PLAYED, 0)
    assert app.evaluate(f"() => {STORE}.nodes.size") == 0
    app.evaluate(WATCH)
    last = int(slider.get_attribute("max"))
    for step in range(1, last + 1):
        app.keyboard.press("ArrowRight")
        poll(app, PLAYED, step)
        if new := app.evaluate(f"() => {STORE}.nodes.get({STORE}.piece)?.say"):
            expect(app.locator(".pe-say"), "who hears the page is told what has come").to_have_text(new)
        if step < last:
            assert app.evaluate(BEYOND)[0] == []
            assert engine != "Graph search" or app.evaluate(IDEAS) == [0, 0], "all key ideas are drawn, on nothing"
    again = app.evaluate("() => window.steps")
    left = iter(again)
    assert len(again) > len(live) >= 4, "what was kept comes one by one"
    assert all(step in left for step in live), "all that was shown live is shown again, in that order"
    poll(app, SHOWN, end)


def test_what_an_event_brought_stays_in_sight_in_another_size_in_the_dark_and_presented(app):
    ask(app, VOLTAGE)
    look_back(app)
    slider = open_newest(app)
    slider.fill(str(int(slider.get_attribute("max")) - 3))
    for _ in each_size(app, (1280, 800), (900, 1000)):
        poll(app, NEWEST, True)
        present(app)
        poll(app, NEWEST, True)
        leave_present(app)
    set_theme(app, "JupyterLab Dark")
    rest(app)
    poll(app, NEWEST, True)


def test_play_pause_and_step_back(app):
    ask(app, VOLTAGE)
    look_back(app)
    slider = open_newest(app)
    last = int(slider.get_attribute("max"))
    expect(app.locator(".pe-controls")).to_contain_text(f"Event {last} of {last}", use_inner_text=True)
    speed = app.get_by_label("Speed").filter(visible=True)
    ticks = app.locator(".pe-controls .pe-marks span").all_inner_texts()
    assert "Question" in ticks
    assert {*ticks} <= {KINDS[stage].word for stage in ("Question", *STAGES)}, "named as the stages are"
    app.get_by_role("button", name="To the beginning (Home)").click()
    app.evaluate(WATCH_BEATS)
    app.get_by_role("button", name="Play", exact=True).click()
    beats = poll(app, "() => window.beats", lambda beats: len(beats) == 3)
    assert all(900 < after - before < 2500 for before, after in itertools.pairwise(beats)), "a step a second"
    speed.select_option("4")
    poll(app, PLAYED, last)
    poll(app, "() => document.querySelector('.pe-play').innerText", "Play")
    app.get_by_role("button", name="One event back (←)").click()
    poll(app, PLAYED, last - 1)
    slider.fill(str(last // 3))
    poll(app, PLAYED, last // 3)
    app.get_by_role("button", name="Play backwards").click()
    poll(app, PLAYED, 0)
    speed.select_option("1")


def test_a_canvas_that_gets_another_size_as_the_answer_comes_is_never_empty(app):
    ask(app, VOLTAGE)
    assert app.evaluate(RESIZED) == [True] * 6


def test_two_apps_in_one_notebook_and_python_says_and_hears_what_is_selected(app, stage):
    stage.cells = ("two apps",)  # the next test has one of its own
    first = app.evaluate(RUN)
    run_new_cell(app, "second = explorer.app(ws, pace=0)\nsecond")
    poll(app, "() => document.querySelectorAll('.pe').length", 2)
    run_new_cell(app, f"second.ask({VOLTAGE!r}); second.wait(); second.selected = second.trace.edges[0].iri")
    poll(app, "() => document.querySelectorAll('.pe')[1].dataset.state", "done")
    app.locator(".pe-detail").nth(1).get_by_role("button", name="more").click()
    expect(app.locator(".pe-detail").nth(1).locator("h3")).to_have_text(re.compile("^Fact 1 of "))
    assert app.evaluate(RUN) == first
    expect(app.locator(".pe-question input").nth(1)).to_have_value(VOLTAGE)
    app.evaluate(SECOND_QUESTION)
    execute(app, "assert ws.node(second.selected).entity.query == second.trace.question")
