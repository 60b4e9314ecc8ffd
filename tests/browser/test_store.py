"""What a page keeps of a run: `run_store.js` and what it calls, alone in a real browser, without a kernel."""

import json
from pathlib import Path

from explorer.view import assets as widget
from explorer.view import pyvis_nodes
from explorer.view.showing import Showing
from tests.drawing.test_finishing import EDGE, KEPT, search
from tests.each import each

STATIC = Path(widget.__file__).parent / "static"
PARTS = (
    *("words", "run_store", "run/lesson", "graph/labels", "graph/places", "graph/zoom", "graph/paint"),
    *("past/past", "source/source", "past/replay", "documents/files"),
)
STORE = "\n".join((STATIC / f"{name}.js").read_text("utf-8") for name in PARTS)
LOOKS = f"const looks = {json.dumps(pyvis_nodes.looks())};"
BEGIN = """
    const sent = [], made = [], revoked = [];
    URL.createObjectURL = () => `blob:${made.push(1)}`;
    URL.revokeObjectURL = (address) => revoked.push(address);
    const store = makeStore({ get: (name) => (name === "looks" ? looks : {}), send: (message) => sent.push(message) });
    const passage = (id) => ({ id, kind: "Passage", passage: {}, vis: {}, spots: {}, lines: [] });
    const begin = (run) => takeDelta(store, { run, seq: 1, state: "running", nodes: [passage("p"), passage("q")] });
    const reply = (run, key, more) => {
        const message = { t: "source", run, key, runs: [], ...more };
        if (!isLate(store, message)) takeSource(store, message, [new Uint8Array(1)]);
    };
"""


STORED = """
    const question = { id: "q", kind: "Question", vis: {}, spots: {}, lines: [] };
    const frames = [{ seq: 1 }, { seq: 2, nodes: [question] }, { seq: 3, nodes: [passage("p")] }];
    const open = (run) => takeSnapshot(store, { mode: "past", run, title: {}, frames });
    open("a");
"""
ANEW = """
    const box = (id, x, y) => ({ id, kind: "Focus", lines: [], vis: {}, level: "", spots: { "": [[x, y, 9, 9]] } });
    const inSets = (first, last) => store.looks.columns.map((_, number, all) =>
        number === 0 ? first : number === all.length - 1 ? last : null);
    const at = (x, y) => inSets([x, y, 50, 20], [x + 1, y, 60, 20]);
    const frames = [
        { seq: 1, state: "running", nodes: [box("a", 1, 1), box("b", 2, 2), box("c", 3, 3)],
          heads: [[0, 0, "Old", "left", "", 0]] },
        {
            seq: 2, state: "done", nodes: [{ ...box("rest", 5, 5), kind: "Rest", level: "", opens: "rest",
                                             unfolds: inSets([6, 30], [6, 30]), spots: { "": at(5, 5) } }],
            heads: [[0, 0, "Slim", "left", "", 0], [0, 0, "Wide", "left", "", store.looks.columns.length - 1]],
            again: { levels: [""], moved: { a: { spots: { "": at(7, 8) }, kind: "Fact" },
                                            b: { level: "rest", spots: { rest: at(9, 9) } } } },
        },
    ];
    const here = () => hereNodes(store).map(({ id, kind, w, vis }) => [id, kind, w, vis.x, vis.y].join(" "));
"""
FIRST = ["a Focus 9 1 1", "b Focus 9 2 2", "c Focus 9 3 3"]
LAST = ["a Fact 50 7 8", "rest Rest 50 5 5"]
FOLDED = {"top": 1, "one": 2, "other": 9}
ONE = {"top": 1, "one": 2, "other": 109, "two": 15, "within": 35}
TWO = {"top": 1, "one": 2, "other": 149, "two": 15, "within": 75, "deepest": 28}
OTHER = FOLDED | {"beside": 16}
CASES = {  # what holds: what is done, and what that gives
    "pictures of earlier runs are given back": (
        """
    for (const name of ["a", "b", "c"]) {
        begin(name);
        openSource(store, "p");
        reply(name, "p", { page: {} });
        reply(name, "p", { page: {} });
    }
    return new Promise((done) => setTimeout(() => done([made.length, revoked]), 2 * DRAWN_BY));
    """,
        [3, ["blob:1", "blob:2"]],
    ),
    "a page that could not be shown is asked for again": (
        """
    begin("a");
    openSource(store, "p");
    reply("a", "p", { trouble: "The library is busy." });
    const shown = store.sources.get("p").trouble;
    openSource(store, "p");
    reply("a", "p", { page: {} });
    openSource(store, "p");
    return [shown, sent.length, store.sources.get("p").image];
    """,
        ["The library is busy.", 2, "blob:1"],
    ),
    "a page asked for in an earlier run is dropped": (
        """
    begin("a");
    openSource(store, "p");
    begin("b");
    reply("a", "p", { page: {} });
    openSource(store, "p");
    return [store.sources.size, made.length, sent.map((message) => message.run)];
    """,
        [0, 0, ["a", "b"]],
    ),
    "a page that could not be looked up is told where it was wanted": (
        """
    begin("a");
    openSource(store, "p");
    takeTrouble(store, { text: "The list is gone.", key: null });
    takeTrouble(store, { text: "The library is gone.", key: "p" });
    const told = store.source.trouble;
    openSource(store, "p");
    return [told, store.source.trouble ?? null, sent.length];
    """,
        ["The library is gone.", None, 2],
    ),
    "a selection that comes later in the run is given up and its source too": (
        STORED
        + """
    select(store, "p");
    const before = [store.selected, store.source.node];
    const told = [];
    store.listen((what) => told.push(what));
    playTo(store, 1);
    return [before, store.selected, store.source, store.at, told.includes("selected")];
    """,
        [["p", "p"], None, None, 1, True],
    ),
    "where one was in a run is found again": (
        STORED
        + """
    select(store, "q");
    open("b");
    const other = store.selected;
    open("a");
    return [other, store.selected, store.run];
    """,
        [None, "q", "a"],
    ),
    "what plays stops when another run takes its place": (
        STORED
        + """
    const player = makePlayer(store);
    playTo(store, 0);
    player.play();
    takeSnapshot(store, { mode: "past", run: "b", title: {}, frames: [...frames] });
    playTo(store, 0);
    tick(store, player);
    return [store.at, player.timer];
    """,
        [0, None],
    ),
    "what led to a large run comes once it is played and what was pressed is done then": (
        STORED
        + """
    const player = makePlayer(store);
    const nodes = [question, passage("p")];
    takeSnapshot(store, { mode: "past", run: "b", title: {}, untold: true, seq: 3, nodes });
    const before = sent.length;
    whenReady(store, () => player.to(2));
    player.toggle();
    whenReady(store, () => player.to(store.at - 1));
    const asked = sent.map(({ t, run }) => [t, run]);
    takeSnapshot(store, { mode: "past", run: "b", title: {}, seq: 3, frames });
    return [before, asked, store.at, store.ready, store.nodes.has("p")];
    """,
        [0, [["frames?", "b"]], 1, None, False],
    ),
    "of a node that stays where it is only what is new comes": (
        """
    begin("a");
    const told = [];
    store.listen((what, detail) => what === "grown" && told.push(...detail.nodes));
    const { vis } = store.nodes.get("p");
    takeDelta(store, { run: "a", seq: 2, state: "done", nodes: [{ id: "p", detail: "more" }] });
    const { kind, detail } = store.nodes.get("p");
    return [kind, detail, store.nodes.get("p").vis === vis, told.map(({ id, kind }) => [id, kind])];
    """,
        ["Passage", "more", True, [["p", "Passage"]]],
    ),
    "a drawing is drawn anew and played back": (
        ANEW
        + """
    takeSnapshot(store, { run: "x", frames });
    const last = here();
    playTo(store, 0);
    const first = here();
    playTo(store, 1);
    const again = here();
    store.room = { width: 5000, height: 5000, enlarged: 1 };
    chooseColumns(store);
    return [last, first, again, here(), headsHere(store).map(([, , words]) => words)];
    """,
        [LAST, FIRST, LAST, ["a Fact 60 8 8", "rest Rest 60 6 5"], ["Wide"]],
    ),
    "a selection that is folded when all is drawn anew is unfolded": (
        ANEW
        + """
    takeSnapshot(store, { run: "x", frames: [frames[0]] });
    select(store, "b");
    store.frames.push(frames[1]);
    playTo(store, 1);
    const opened = [store.level, here()];
    select(store, "c");  // which has no place any more
    openRun(store, "rest");
    return [opened, store.selected, store.level];
    """,
        [["rest", ["a Fact 50 7 38", "b Focus 50 9 15", "rest Rest 50 5 5"]], "c", ""],
    ),
    "runs within runs within runs unfold one below the other": (
        ANEW
        + """
    const spots = (level, y) => ({ level, spots: { [level]: [[0, y, 9, 9]] } });
    const fold = (id, level, y, unfolds) =>
        ({ ...box(id, 0, y), ...spots(level, y), kind: "Run", opens: id, unfolds: [unfolds] });
    const nodes = [
        { ...box("top", 0, 1), ...spots("", 1) }, fold("one", "", 2, [5, 100]), fold("other", "", 9, [12, 50]),
        fold("two", "one", 10, [20, 40]), { ...box("within", 0, 30), ...spots("one", 30) },
        { ...box("deepest", 0, 3), ...spots("two", 3) }, { ...box("beside", 0, 4), ...spots("other", 4) },
    ];
    const heads = [[0, 25, "Head", "left", "one", 0]];
    takeSnapshot(store, { run: "x", frames: [{ seq: 1, state: "done", nodes, heads }] });
    const ys = () => Object.fromEntries(hereNodes(store).map(({ id, vis }) => [id, vis.y]));
    const shown = [ys()];
    for (const id of ["one", "two"]) { openRun(store, id); shown.push(ys()); }
    select(store, "two");
    const lit = [...brightOf(store)];
    const head = headsHere(store);
    select(store, "beside");
    shown.push(ys());
    leave(store);
    return [shown, head, store.level, store.selected, lit];
    """,
        [[FOLDED, ONE, TWO, OTHER], [[0, 70, "Head", "left"]], "", "other", ["two", "deepest"]],
    ),
}


def run(page, script):
    """Run some script with a store in it; gives what it returns."""
    return page.evaluate(f"() => {{ {STORE} {LOOKS} {BEGIN} {script} }}")


@each("holds", CASES)
def test_what_a_page_keeps_of_runs(page, holds):
    script, expected = CASES[holds]
    assert run(page, script) == expected


CITED = [[0], [2, 1], []]  # of the facts kept by the sentences of an answer
LIT = """
    const all = [...store.nodes.values()];
    const of = (kind) => all.filter((one) => one.kind === kind).map(({ id }) => id);
    const lit = (id) => {
        select(store, id);
        const bright = brightOf(store);
        return ["EdgeSelection", "Passage", "Sentence"].map((kind) => of(kind).filter((one) => bright.has(one)));
    };
    return [of("Sentence"), of("Sentence").map(lit), lit(of("Synthesis")[0])];
"""


def test_an_answer_and_each_of_its_sentences_light_exactly_what_they_rest_on(page):
    showing = Showing()
    showing.begin()
    for event in search(KEPT, [[EDGE[at] for at in one] for one in CITED]):
        showing.apply(event)
    showing.end("done", "Ended")
    told, by_sentence, by_answer = run(page, f"takeSnapshot(store, {json.dumps(showing.snapshot(whole=True))});{LIT}")
    read = {one.parent: one.child for one in showing.dag.arcs() if one.kind == "source" and one.parent in EDGE}
    for sentence, (facts, passages, said), cited in zip(told, by_sentence, CITED, strict=True):
        assert set(facts) == {EDGE[at] for at in cited}
        assert set(passages) == {read[one] for one in facts}
        assert said == [sentence]
    used = {EDGE[at] for one in CITED for at in one}
    assert [set(one) for one in by_answer] == [used, {read[one] for one in used}, set(told)]
