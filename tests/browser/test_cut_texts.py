"""No text of the app ends in dots where the rest can't be read: it is wrapped, or a tooltip has it whole."""

from explorer import sample
from tests.browser.app import let_go
from tests.browser.conftest import rest
from tests.each import each

CELLS = ("import explorer\nws = explorer.demo()\napp = explorer.app(ws)\napp",)
QUESTIONS = sample.questions(answerable=True)[:2]
WIDTHS = [468, 1100]  # of the app
CUT = """() => {  // texts that are cut, or have dots, and no tooltip that has them whole
    const parts = ".pe-way, .pe-picked, .pe-crumbs, .pe-legend, .pe-answer, .pe-detail .pe-quote, .pe-source-head";
    const texts = [...document.querySelectorAll(parts)].flatMap((part) => [part, ...part.querySelectorAll("*")]);
    const seen = (one) => getComputedStyle(one).clipPath === "none" && !one.closest(".pe-hear");
    const shown = (one) => one.getClientRects().length > 0 && seen(one);
    const own = (one) => [...one.childNodes].some(({ nodeType, data }) => nodeType === 3 && data.trim());
    const isCut = (one) => {
        const { textOverflow, webkitLineClamp } = getComputedStyle(one);
        const ends = textOverflow === "ellipsis" || webkitLineClamp !== "none";
        return ends && (one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 2);
    };
    const isLacking = (one) => {
        const whole = one.closest("[title]:not([title=''])")?.title ?? "";
        const [begun] = one.textContent.split("…");
        const bare = (text) => text.replace(/[“”"\\s]+/g, " ").trim();
        const dots = one.textContent.includes("…") && whole.endsWith("…");
        return dots || !bare(whole).includes(bare(begun).slice(0, 40));
    };
    // In an answer dots say that it quotes a part of a sentence, in a quotation that something stands in between.
    const quoted = (one) => one.closest(".pe-answer p") || (one.closest(".pe-quote") && !/^…|…$/.test(one.textContent));
    return texts.filter((one) => own(one) && shown(one))
        .filter((one) => isCut(one) || (one.textContent.includes("…") && !quoted(one)))
        .filter(isLacking).map((one) => [one.className, one.textContent]);
}"""
NODES = """() => {  // nodes of the graph whose label has dots, and whose tooltip does not have it whole
    const { here, drawn } = document.querySelector(".pe").explorer;
    const isLacking = ({ label, title }) => label.includes("…") && (title ?? "…").includes("…");
    return here().map(({ id }) => drawn(id)).filter(isLacking).map(({ label, title }) => [label, title]);
}"""
BROKEN = """() => {  // lines of labels that end within a word, though they have others
    const { here, drawn } = document.querySelector(".pe").explorer;
    const wordsOf = (text) => text.replace(/<[^>]*>|\\u200b/g, "").split(/\\s+/u);
    return here().flatMap(({ id, lines }) => {
        const whole = lines.flatMap(([, text]) => wordsOf(text));
        const isEnd = (end) => whole.some((word) => word.startsWith(end) && /^\\W*$/u.test(word.slice(end.length)));
        return drawn(id).label.split("\\n").map(wordsOf)
            .filter((words) => words.length > 1 && words.at(-1).endsWith("…") && !isEnd(words.at(-1).slice(0, -1)));
    });
}"""
WHOLE = """() => {  // what is cut though it has room: steps, folds, facts if they are few
    const { here, drawn } = document.querySelector(".pe").explorer;
    const long = ["Sentence", "Passage", "ChunkSelection", "Document", "Section", "Question", "Concept"];
    const few = here().filter(({ kind }) => kind === "EdgeSelection").length <= 3;
    const short = here().filter(({ kind }) => !long.includes(kind) && (few || kind !== "EdgeSelection"));
    return short.map(({ id }) => drawn(id).label).filter((label) => label.includes("…"));
}"""
SELECT_CITED = """() => {
    const { here, select } = document.querySelector(".pe").explorer;
    const cited = here().find(({ numbers }) => numbers?.length);
    select((cited ?? here().at(-1)).id);
}"""
RESIZED = """() => document.querySelector(".pe-app").getBoundingClientRect().width"""


def resize(page, width):
    """Make the app so wide, with the window as wide as that needs."""
    for _ in range(2):  # what stands beside the app may give way in between
        around = page.viewport_size["width"] - page.evaluate(RESIZED)
        page.set_viewport_size({"width": round(width + around), "height": 1000})
        rest(page)


@each("engine", ["graph-rag", "document-rag", "agent"])
def test_nothing_is_cut_that_cannot_be_read(app, showing, engine):
    for question in QUESTIONS:
        showing(f"app.open(ws.run({question!r}, engine={engine!r}))")
        for width in WIDTHS if question == QUESTIONS[0] else [850]:
            resize(app, width)
            let_go(app)  # beside what is selected its whole text stands anyway
            rest(app)
            assert app.evaluate(CUT) == []
            assert app.evaluate(NODES) == []
            assert app.evaluate(BROKEN) == []
            if width >= 850 and engine != "agent":
                assert app.evaluate(WHOLE) == []
        app.evaluate(SELECT_CITED)
        rest(app)
        assert app.evaluate(CUT) == []
