// Two runs side by side: answers, key ideas and sources in two halves, facts as one table or as one graph.
const MOST_SHOWN = 800; // letters of a text that is cut to a few lines: more only slow the page
const SIDES = ["a", "b"];
const WAYS = ["Table", "One graph", "Step by step"];

function compareView(store, act) {
  const root = el("section", { class: "pe-compare pe-slim pe-edged", "aria-label": "Two runs side by side" });
  const view = { store, act, root, seen: null, differences: true, way: "Table", marked: null, open: new Set() };
  view.draw = keepingFocus(root, () => drawCompare(view));
  const isOld = () => view.way === "One graph" && root.clientWidth && root.clientWidth !== view.wide; // the drawing has another width
  view.sized = new ResizeObserver(() => isOld() && view.draw());
  view.sized.observe(root);
  return { root, draw: view.draw };
}

function drawCompare(view) {
  const found = view.store.compare;
  view.root.hidden = !found || view.store.mode !== "past";
  const pair = found && SIDES.map((side) => found[side].iri).sort().join(" ");
  if (view.pair !== pair) Object.assign(view, { pair, way: "Table" }); // another comparison; swapped it is the same
  if (view.seen !== found) {
    clearTimeout(view.replay?.timer);
    Object.assign(view, { seen: found, marked: null, open: new Set(), replay: null });
  }
  if (!found) return fill(view.root);
  if (view.root.hidden) return view.root; // it stays as it was left
  view.wide = view.root.clientWidth;
  view.root.classList.toggle("steps", view.way === "Step by step");
  const sign = icon("Question", view.store.looks, 18);
  const asked = () => el("div", "pe-versus-asked pe-row pe-gap-l pe-edged", sign, cutText(found.question));
  const heads = inHalves((side) => runHead(view, found, side), "heads");
  const rest = view.way === "Step by step" ? compareReplay(view, found) : comparedWhole(view, found);
  return fill(view.root, compareBar(view, found), found.question !== null && asked(), heads, rest);
}

// What was asked to be drawn comes first.
function comparedWhole(view, found) {
  if (found.identical) return [versusSection("Answer", versusNote("of both runs")), answerHalf(view, found.a, "a")];
  const isDrawn = view.way === "One graph";
  const said = [
    versusSection("Answer", found.b.iri !== found.a.iri && versusNote("underlined = a sentence that only this side has")),
    inHalves((side) => answerHalf(view, found[side], side), "answers"),
    versusSection("Key ideas"),
    inHalves((side) => ideasHalf(found[side], side)),
  ];
  const by = el("span", "pe-inline pe-gap-l pe-wrap pe-slim", found.authors.map(byline));
  const kept = [
    versusSection(found.heading, versusNote(found.looked), by),
    isDrawn ? compareGraph(view, found) : compareTable(view, found),
  ];
  const sources = [versusSection("Sources of what was kept"), inHalves((side) => sourcesHalf(view, found[side], side))];
  return isDrawn ? [kept, said, sources] : [said, kept, sources];
}

function compareBar(view, found) {
  const toggle = (way) => toggleButton(view.way === way, way, () => changeCompare(view, { way }));
  const onchange = ({ target }) => changeCompare(view, { differences: target.checked });
  const first = el("input", { type: "checkbox", checked: view.differences, "aria-label": "Differences first", onchange });
  const differences = el("label", "pe-line pe-versus-first pe-inline pe-gap-s", first, "Differences first");
  const tools = [
    view.way !== "Step by step" && !found.identical && differences,
    !found.identical && groupOf("Shown as", "pe-pair pe-inline pe-rigid", WAYS.map(toggle)),
    smallButton("Swap A and B", () => view.act.compare(found.b.iri, found.a.iri)),
    exportMenu(found),
  ];
  const summary = el("span", { class: "pe-quiet", title: found.summary }, found.summary);
  return el(
    "div",
    "pe-versus-bar pe-lined pe-row pe-wrap pe-tinted",
    smallButton("‹ Back to the list", () => view.act.closeCompare()),
    el("div", "pe-versus-told pe-row pe-wrap", el("h3", {}, "Two runs side by side"), summary),
    grow(),
    el("span", "pe-versus-tools pe-inline pe-wrap", tools),
  );
}

function changeCompare(view, change) {
  Object.assign(view, change);
  view.draw();
  const drawn = change.way === "One graph" && view.root.querySelector(".pe-both-scroll");
  if (!drawn) return;
  const bar = view.root.querySelector(".pe-versus-bar");
  const above = getComputedStyle(bar).position === "sticky" ? bar.offsetHeight : 0; // what stays lies on what scrolls
  drawn.style.scrollMarginTop = `calc(var(--pe-tabs, 0px) + ${above}px)`;
  drawn.scrollIntoView({ block: view.act.presents ? "start" : "nearest" });
}

const versusNote = (text) => el("span", "pe-quiet pe-fine", text);

function sideBadge(side) {
  const letter = side.toUpperCase();
  return el("span", { class: `pe-side pe-inline pe-rigid ${side}`, role: "img", "aria-label": `Run ${letter}` }, letter);
}

function versusSection(title, ...rest) {
  return el("div", "pe-versus-head pe-topped pe-row pe-wrap pe-tinted pe-edged", el("h3", {}, title), ...rest);
}

function inHalves(contents, kind = "") {
  return el("div", `pe-halves ${kind}`, SIDES.map((side) => groupOf(`Run ${side.toUpperCase()}`, "", contents(side))));
}

// What only one side has is underlined: solid for A, dashed for B; those who hear it are told by a word.
function onlyOn(only, side, ...children) {
  const inner = children.flat(Infinity);
  if (!only) return inner;
  const spoken = el("span", "pe-hear", `only in ${side.toUpperCase()}: `);
  return el("span", `pe-only ${side}`, spoken, inner);
}

// A text of any length: cut to two lines, whole in its tooltip.
function cutText(text, look = "") {
  const shown = text.length > MOST_SHOWN ? text.slice(0, MOST_SHOWN) + "…" : text;
  return el("span", { class: `pe-cut pe-slim pe-anywhere ${look}`, dir: "auto", title: text }, shown);
}

function runHead(view, found, side) {
  const run = found[side];
  const facts = joinWords([run.name && run.title, whenOf(run.when), ...run.spent]);
  const open = { title: `Open this run: ${run.title}`, onclick: () => view.act.past(run.iri) };
  const title = button({ class: "pe-link pe-run-title pe-slim", ...open }, cutText(run.name || run.title));
  const ended = run.ended && !run.says && [el("b", {}, run.ended), " · "];
  const told = el("span", "pe-quiet pe-run-facts pe-fine", ended, facts);
  return [
    el("div", "pe-run-head pe-row pe-gap-l pe-wrap", sideBadge(side), title, told),
    run.left.length > 0 && el("p", "pe-run-left pe-fine pe-anywhere", `Asked without ${run.left.join("; ")}`),
    found.question === null && cutText(run.question, "pe-run-asked"),
  ];
}

function answerHalf(view, run, side) {
  if (run.none) return el("p", { class: "pe-quiet pe-said pe-scroll pe-anywhere", dir: "auto" }, run.none);
  const parts = run.answer.flatMap((part) => saidPart(view, part, side));
  const label = `Answer of run ${side.toUpperCase()}`;
  const props = { class: "pe-said pe-scroll pe-anywhere", tabindex: 0, role: "group", "aria-label": label, dir: "auto" };
  const sure = run.says && outcomeBadge(run.level, run.says);
  const found = run.reviewed && outcomeBadge(run.reviewed.level, run.reviewed.text, run.reviewed.tip);
  return [el("div", props, parts), el("div", "pe-row pe-gap-l pe-wrap", sure, found, byline(run.author))];
}

function saidPart(view, part, side) {
  const cite = ({ n, row, tip }) => citeButton(n, tip, () => goToRow(view, row), { on: view.marked === row });
  const words = ({ text, cites }) => {
    const [, begin, last] = cites.length ? /^(.*?)(\S*)$/su.exec(text) : [null, text, ""]; // a number stands on the line of its words
    return [begin.trim() ? el("bdi", {}, begin) : begin, cites.length > 0 && el("span", "pe-nowrap", el("bdi", {}, last), cites.map(cite))];
  };
  return onlyOn(part.only, side, part.runs.map(words));
}

function ideasHalf(run, side) {
  if (!run.ideas.length) return el("span", "pe-quiet", "none recorded");
  const line = (idea) => el("li", { title: idea.text }, onlyOn(idea.only, side, cutText(idea.text)));
  return el("ul", "pe-row-of pe-wrap pe-plain ideas", run.ideas.map(line));
}

function sourcesHalf(view, run, side) {
  if (!run.sources.length) return el("span", "pe-quiet", "no source recorded");
  const line = (source) => {
    const place = ({ lead, text, only }) => [", ", lead && `${lead} `, source.only ? text : onlyOn(only, side, text)];
    const title = onlyOn(source.only, side, el("bdi", { title: source.title }, source.title));
    const words = el("span", "pe-source-words pe-slim pe-scroll pe-anywhere", title, source.places.map(place));
    return el("li", {}, icon("Document", view.store.looks, 16), words);
  };
  return el("ul", "pe-row-of pe-wrap pe-plain sources", run.sources.map(line));
}

function goToRow(view, row) {
  changeCompare(view, { marked: row, way: "Table" });
  const found = view.root.querySelector(`[data-row="${row}"]`);
  found?.scrollIntoView({ block: "center", behavior: still() ? "auto" : "smooth" });
  found?.querySelector("button").focus({ preventScroll: true });
}

// What a comparison can be saved as, made in the page: the facts as a table, or everything.
function exportMenu({ t: _, ...found }) {
  const csv = () => saveText(`${found.file}.csv`, "text/csv", csvText(comparedCells(found)));
  const json = () => saveText(`${found.file}.json`, "application/json", `${JSON.stringify(found, null, 2)}\n`);
  return menuButton("Export ▾", null, () => [
    { name: "CSV", about: "the facts as a table", does: csv },
    { name: "JSON", about: "everything", does: json },
  ]);
}

function comparedCells(found) {
  const words = ["number in the answer", "score (of 1)", "why", "said by"];
  const heads = SIDES.flatMap((side) => words.map((word) => `${side.toUpperCase()}: ${word}`));
  const verdict = ({ cited, score, why, author }) => [cited, score, why, author?.text];
  const keptBy = { A: "A only", B: "B only", both: "both" };
  const rows = orderedRows(found, true).map((row) => [
    row.label,
    keptBy[row.kept],
    ...SIDES.flatMap((side) => verdict(row[side])),
    row.sources.map((source) => source.where).join("; "),
  ]);
  return [["Fact", "Kept by", ...heads, "Sources"], ...rows];
}

// Without "differences first": in the order in which A kept them, then those that only B kept.
function orderedRows(found, differences) {
  const rows = found.groups.flatMap((group) => group.rows);
  if (differences) return rows;
  const rank = (row) => (row.a.number === null ? [1, row.b.number] : [0, row.a.number]);
  return rows.sort((one, other) => rank(one)[0] - rank(other)[0] || rank(one)[1] - rank(other)[1]);
}

// The facts of two runs as a table: a row a fact, by who kept it; a click on a fact unfolds its row.
const KEPT_BY = { A: ["a"], B: ["b"], both: ["a", "b"] };
const COLUMNS = ["fact", "match", "why", "match", "why"];

function compareTable(view, found) {
  if (!found.groups.length) return el("p", "pe-quiet pe-versus-none", "Neither run kept anything.");
  const groups = view.differences ? found.groups : [{ rows: orderedRows(found, false) }];
  const caption = el("caption", "pe-hear", `${found.heading} by two runs. ${found.looked}`);
  const columns = el("colgroup", {}, COLUMNS.map((name) => el("col", name)));
  return el("table", "pe-versus", caption, columns, versusHead(found), groups.map((group) => versusGroup(view, group)));
}

function versusHead(found) {
  const column = (...words) => el("th", { scope: "col" }, words);
  const isScored = (side) => found.groups.some(({ rows }) => rows.some((row) => Number.isFinite(row[side].score)));
  const columns = (side) => [
    column(sideBadge(side), " Kept", isScored(side) && ", score (0 to 1)"),
    column(`Why ${side.toUpperCase()} kept it, or not`),
  ];
  return el("thead", {}, el("tr", {}, column(found.column), columns("a"), columns("b")));
}

function versusGroup(view, group) {
  const { title, side, rows } = group;
  const heading = () => el("th", { colspan: COLUMNS.length, scope: "rowgroup" }, KEPT_BY[side].map(sideBadge), title);
  const first = title && el("tr", "pe-group", heading());
  return el("tbody", {}, first, rows.map((row) => versusRow(view, row, !title)));
}

function versusRow(view, row, loose) {
  const open = view.open.has(row.row);
  const turn = () => {
    if (open) view.open.delete(row.row);
    else view.open.add(row.row);
    view.draw();
  };
  const turnable = { "aria-expanded": String(open), title: open ? null : row.label, onclick: turn };
  const short = row.parts.length === 1 && row.sources[0] && !open;
  const words = short ? passageWords(row) : el("span", { class: "pe-cut pe-slim pe-anywhere", dir: "auto" }, factWords(row, open));
  const classes = joinWords([open && "open", view.marked === row.row && "on"], " ");
  const fact = button({ class: "pe-fact-words pe-slim pe-bare", ...turnable }, words);
  const sides = loose && el("span", "pe-sides pe-rigid", KEPT_BY[row.kept].map(sideBadge));
  const line = el("div", "pe-fact pe-top pe-gap-m", icon(row.kind, view.store.looks, 16), fact, sides);
  return el(
    "tr",
    { class: classes || null, "data-row": row.row },
    el("th", { scope: "row" }, line, open && factSources(row)),
    SIDES.map((side) => [matchCell(row[side]), whyCell(row[side])]),
  );
}

// A whole passage in two lines: its first words, and where they stand.
function passageWords({ parts, sources }) {
  const line = (name, text) => el("span", { class: `pe-ell ${name}`, dir: "auto" }, text.slice(0, MOST_SHOWN));
  return el("span", "pe-in-lines", line("", parts[0]), line("pe-quiet", sources[0].found));
}

// A fact by its three parts; of a whole passage where it stands, and its words.
function factWords({ parts, sources }, open) {
  const shown = (text) => el("bdi", {}, open ? text : text.slice(0, MOST_SHOWN));
  const whole = () => el("span", { class: sources[0] && "pe-quiet" }, shown(parts[0]));
  if (parts.length === 1) return [sources[0] && shown(`${sources[0].where}: `), whole()];
  const [subject, relation, object] = parts.map(shown);
  return [subject, el("span", "pe-quiet", " — ", relation, " → "), object];
}

function factSources(row) {
  if (!row.sources.length) return el("p", "pe-fact-sources pe-fine pe-scroll pe-quiet", "No recorded source.");
  const source = ({ where, text }) =>
    el("li", {}, el("div", { class: "pe-quiet", dir: "auto" }, where), el("div", { dir: "auto" }, text));
  return el("ul", "pe-fact-sources pe-fine pe-scroll", row.sources.map(source));
}

function matchCell({ number, within, cited, score }) {
  const label = numberIn(cited, within === null ? "" : "within");
  if (within !== null) {
    const title = "kept in another form: the same source words";
    return el("td", "pe-match", cited !== null && label, el("span", { class: "pe-quiet", title }, "same words"));
  }
  if (number === null) return el("td", "pe-match", el("span", { class: "pe-quiet", "aria-label": "not kept" }, "–"));
  if (score === null || score === undefined) return el("td", "pe-match", label, el("span", "pe-quiet", "kept"));
  const share = el("i", { style: { width: `${between(0, score, 1) * 100}%` } });
  const bar = el("span", { class: "pe-strip", "aria-hidden": "true" }, share);
  const digits = el("span", "pe-rigid pe-nowrap", score.toFixed(2));
  return el("td", "pe-match", el("div", "pe-row", label, bar, digits));
}

// The number that the answer has for it; what it does not cite has none, and its bar begins where the others do.
function numberIn(cited, form) {
  if (cited === null) return el("span", "pe-uncited pe-rigid");
  return el("span", { class: `pe-kept-as pe-rigid ${form}`, title: `number ${cited} in this run's answer` }, String(cited));
}

function whyCell({ why, author, number }) {
  const named = author && { role: "img", "aria-label": author.text, title: author.text };
  const sign = author && el("span", { class: "pe-ring pe-inline pe-rigid", ...named }, author.sign);
  const words = el("span", { class: "pe-anywhere", dir: "auto" }, why);
  const quiet = number === null ? "pe-quiet" : "";
  return el("td", `pe-why-cell pe-fine ${quiet}`, el("div", "pe-top pe-gap-m", sign, words));
}

// Two runs played again together: what each had come to at the same step, one beside the other.
function compareReplay(view, found) {
  const replay = (view.replay ??= { at: 0, speed: 1, forward: 1, timer: null });
  const pairs = pairedSteps(found);
  const last = pairs.reduce((sum, { most }) => sum + most, 0);
  const to = (wish) => {
    replay.at = between(0, wish, last);
    replay.draw();
  };
  const pause = () => {
    clearTimeout(replay.timer);
    replay.timer = null;
    replay.draw();
  };
  replay.tick = () => {
    if (view.root.hidden || !view.root.isConnected) return pause();
    to(replay.at + replay.forward);
    if (replay.at === (replay.forward > 0 ? last : 0)) return pause();
    replay.timer = setTimeout(() => replay.tick(), BEAT / replay.speed);
    return null;
  };
  const toggle = (forward = 1) => {
    if (replay.timer && replay.forward === forward) return pause();
    clearTimeout(replay.timer);
    replay.forward = forward;
    if (forward > 0 && replay.at === last) replay.at = 0;
    return replay.tick();
  };
  const pace = (speed) => (replay.speed = speed);
  const parts = playParts("step", { to, by: (step) => to(replay.at + step), toggle, pace });
  parts.bar.querySelector("select").value = String(replay.speed);
  parts.range.setAttribute("aria-label", "Step of both runs");
  fill(parts.marks, marksAt(pairs.map(({ from, word }) => [(from + 1) / last, word])));
  const halves = inHalves(() => el("div", { class: "pe-together pe-scroll", tabindex: 0 }));
  const lanes = [...halves.querySelectorAll(".pe-together")];
  const root = groupOf("Both runs, step by step", "pe-stepped", parts.bar, halves);
  onSpace(root, () => toggle());
  replay.draw = () => {
    drawPlay(parts, Boolean(replay.timer), Boolean(replay.timer) && replay.forward < 0);
    Object.assign(parts.range, { max: last, value: replay.at });
    const now = pairs.findLast(({ from }) => from < replay.at);
    const said = `Step ${replay.at} of ${last}`;
    parts.range.setAttribute("aria-valuetext", now ? `${said}, ${now.word}` : said);
    fill(parts.said, el("b", {}, said), now && el("span", "pe-quiet", ` · ${now.word}`));
    SIDES.forEach((side, at) => {
      const stages = pairs.map(({ from, items }) => items[at].slice(0, Math.max(0, replay.at - from)));
      drawLane(lanes[at], view, found, side, stages);
    });
  };
  replay.draw();
  return root;
}

// The steps of both, each with what came of it, one by one: the first of A beside the first of B, and the last beside
// the last, so that both have their answer at the same time.
function pairedSteps(found) {
  const lanes = SIDES.map((side) => stepsOf(found, side));
  const length = Math.max(...lanes.map((lane) => lane.length));
  let from = 0;
  return Array.from({ length }, (_, at) => {
    const items = lanes.map((lane) => (at === length - 1 ? (lane.at(-1) ?? []) : at < lane.length - 1 ? lane[at] : []));
    const most = Math.max(...items.map((each) => each.length));
    const pair = { from, most, items, word: items.find((each) => each.length)[0].step.name };
    from += most;
    return pair;
  });
}

function stepsOf(found, side) {
  const kept = found.groups.flatMap(({ rows }) => rows).filter((row) => row[side].number !== null);
  kept.sort((a, b) => a[side].number - b[side].number);
  const steps = found[side].steps
    .map((step, at) => ({ step, at }))
    .filter(({ step }) => found.question === null || step.kind !== "Question");
  const said = found[side].answer.filter(({ runs }) => runs.some(({ text, cites }) => text.trim() || cites.length));
  return steps.map(({ step, at }, place) => [
    { step },
    ...kept.filter((row) => row[side].step === at).map((row) => ({ row })),
    ...(place === steps.length - 1 ? said.map((part) => ({ part })) : []),
  ]);
}

function drawLane(lane, view, found, side, stages) {
  const shown = stages.filter((items) => items.length);
  const none = el("p", "pe-quiet", "Press Play, or go on step by step.");
  const stage = ([{ step }, ...came]) => laneStage(view, found[side], side, step, came);
  fill(lane, el("div", "pe-together-all pe-stack pe-gap-m", shown.length ? shown.map(stage) : none));
  const newest = [...lane.querySelectorAll(".pe-came-one")].at(-1);
  newest?.classList.add("on");
  lane.scrollTop = 0; // its end
}

function laneStage(view, run, side, step, came) {
  const one = (...inner) => el("li", "pe-came-one", inner);
  const told = el("span", "pe-quiet pe-slim pe-anywhere", step.text);
  const sign = icon(step.kind, view.store.looks, 18);
  const head = el("div", "pe-came-one pe-row pe-wrap", sign, el("b", {}, step.name), told);
  const lines = came.map(({ row, part }) => one(part ? saidPart(view, part, side) : keptFact(row, side)));
  return el("section", {}, head, step.kind === "Grounding" && ideasHalf(run, side), el("ul", "pe-plain", lines));
}

function keptFact(row, side) {
  const { score } = row[side];
  const match = score === null ? null : el("span", "pe-quiet pe-rigid pe-nowrap", ` score ${score.toFixed(2)}`);
  return [onlyOn(row.side !== "both", side, el("bdi", { title: row.label }, row.label)), match];
}
