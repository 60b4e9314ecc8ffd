// The list of past runs, a line a run: searched, filtered, in an order; what is ticked is worked on together. The list is
// asked for anew with each change.
const SINCE = { "": "All", 1: "Today", 7: "Last 7 days", 30: "Last 30 days" };
const TROUBLE = { "": "All", with: "With problems", without: "Without" };
const FILTERS = {
  engine: ["Strategy", (past) => [["", "All"], ...past.engines]],
  model: ["Model", (past) => [["", "All"], ...past.models.map((name) => [name, modelWord(name)])]],
  days: ["Date", () => Object.entries(SINCE)],
  problems: ["Problems", () => Object.entries(TROUBLE)],
  tag: ["Tag", (past) => [["", "All"], ...past.tags.map((tag) => [tag, tag])]],
  by: ["Asked by", (past) => [["", "All"], ...past.people.map((name) => [name, name])]],
};
const ORDERS = { newest: "Newest first", oldest: "Oldest first", question: "By question", outcome: "By outcome" };
const CHUNK = 50; // documents that are listed at a time
const RUNS = 500; // and runs
const LONGEST_LINE = 300; // letters of a question in the list
const SEARCHED = "Search questions, answers, facts, sources, names, tags and notes";

const makePast = () => ({
  // as Python told
  runs: [],
  known: false,
  more: false,
  total: 0,
  engines: [],
  models: [],
  tags: [],
  people: [],
  gone: { count: 0, last: "" },
  records: [],
  derivation: null, // the one that is drawn, and the node that is chosen in it
  node: null,
  deleted: 0,
  // as it was asked, and by which sign the reply is known
  n: null,
  asked: {},
  limit: RUNS,
  // as it is on view
  ticked: new Set(), // in the order in which they were
  last: null, // from which Shift ticks a range
  filters: false,
  tagging: false,
  said: "",
  opening: null,
  noting: null,
  sent: null,
});

// Asks for more lines of a list.
function moreLink(list, ask, chunk = CHUNK) {
  const onclick = () => {
    list.limit += chunk;
    ask();
  };
  return linkButton("Show more", onclick, { class: "pe-rigid pe-nowrap" });
}

function askRuns(store, changed = {}) {
  const { past } = store;
  Object.assign(past.asked, changed);
  past.n = ownSign();
  if (Object.keys(changed).length) past.limit = RUNS;
  const { text, engine, model, days, problems, evaluation, tag, by, order } = past.asked;
  const since = days ? startOf(Number(days) - 1).toISOString() : null;
  const [{ n, limit }, ticked] = [past, [...past.ticked]];
  store.send({ t: "runs?", n, text, engine, model, since, problems, evaluation, tag, by, limit, order, ticked });
}

// What was ticked meanwhile is there; what was deleted elsewhere is not.
function takeRuns(store, message) {
  const { past } = store;
  if (message.n !== past.n) return;
  const { t: _, n, ticked, ...told } = message;
  const there = new Set([...ticked, ...told.runs.map(({ iri }) => iri)]);
  for (const iri of past.ticked) if (!there.has(iri)) past.ticked.delete(iri);
  Object.assign(past, told, { known: true, sent: null });
  store.tell("runs");
}

function takeRan(store, message) {
  store.past.deleted = message.deleted;
  if (message.title && message.title.iri === store.title?.iri) {
    store.title = message.title;
    store.tell("played");
  }
  if (store.mode !== "past") return;
  askRuns(store);
  store.tell("runs");
}

// Of past runs one sees the list, or one of them.
const listsAlone = (act, store) => act.lists || !isPlayed(store);

function listRuns(view, lists) {
  view.act.lists = lists;
  if (view.store.mode !== "past") return;
  drawMode(view);
  if (view.act.brings && !lists && !view.act.presents) bringUp(view); // who opened it here is to see it
  view.act.brings = false;
}

function pastView(store, act) {
  const { past } = store;
  const rows = el("ul", { class: "pe-runs pe-plain", "aria-label": "Past runs" });
  const [bar, filters, records, gone] = [tickedBar(store, act), filtersPart(store), recordsPart(store), gonePart()];
  const change = ({ target }) => askRuns(store, { order: target.value });
  const orders = Object.entries(ORDERS).map(([value, words]) => el("option", { value }, words));
  const order = el("select", { "aria-label": "Order", onchange: change }, orders);
  const seek = (text) => askRuns(store, { text: text || null });
  const search = searchField("Search questions, answers, facts, sources", SEARCHED, seek);
  const undo = el("div", { class: "pe-undo pe-edged pe-row pe-gap-l pe-rigid pe-slim pe-fine pe-tinted", role: "status" });
  const top = el("div", "pe-row pe-slim pe-search pe-gap-l", search, filters.opener, order);
  const head = el("div", "pe-filters pe-stack pe-gap-m pe-tinted pe-edged", top, filters.root);
  const parts = [head, bar.root, undo, rows, records.root, gone.root];
  const root = el("aside", { class: "pe-past pe-stack pe-slim", "aria-label": "Past runs" }, parts);
  const lines = keeping();
  let [noted, opened] = [null, null]; // the run whose form was in the list, and the one that was open
  const draw = () => {
    root.hidden = store.mode !== "past" || Boolean(store.compare) || !listsAlone(act, store);
    if (root.hidden) return;
    for (const part of [filters, bar, records]) part.draw();
    const at = rows.scrollTop;
    const shown = lines(past.runs.map((run) => [keyOf(run, store), () => runRow(run, store, act)]));
    fill(rows, shown, past.known && !shown.length && noRuns(store));
    rows.scrollTop = at;
    const noting = past.noting?.iri ?? null;
    if (noting !== noted) bringForm(rows, noting);
    else if (opened !== store.title?.iri) bringWithin(rows, rows.querySelector("li.on"));
    [noted, opened] = [noting, store.title?.iri];
    const back = past.deleted > 0 && linkButton("Undo", () => store.send({ t: "undelete" }), { class: "pe-rigid" });
    const deleted = past.deleted > 1 ? `${counted(past.deleted, "run")} deleted.` : "Deleted.";
    fill(undo, past.said && el("span", "pe-share pe-slim pe-anywhere", past.said), back && [el("span", {}, deleted), back]);
    undo.hidden = !past.said && !back;
    gone.draw(past.gone);
  };
  return { root, draw };
}

// Who turns to the tab sees the list; a run that was not there before was opened.
function listsFirst({ act, store: { mode, run } }) {
  const isThere = mode === "past" && act.seen === run;
  if (mode === "past") act.seen = run;
  return isThere;
}

// A form that opens is seen whole, and written in at once.
function bringForm(rows, noting) {
  const form = noting && rows.querySelector(".pe-note-form");
  form?.scrollIntoView({ block: "nearest" });
  form?.querySelector("input").focus({ preventScroll: true });
}

function noRuns({ past }) {
  const { order, ...filtered } = past.asked;
  const isFiltered = Object.values(filtered).some(Boolean);
  return el("li", "pe-none", isFiltered ? "No run matches. Clear the search or the filters." : "No runs yet. Ask a question first.");
}

// The filters, behind a button that says how many are on.
function filtersPart(store) {
  const { past } = store;
  const parts = Object.entries(FILTERS).map(([name, [label, options]]) => filterBy(store, name, label, options));
  const none = Object.fromEntries(Object.keys(FILTERS).map((name) => [name, null]));
  const clear = linkButton("Clear", () => askRuns(store, none));
  const root = el("div", "pe-selects pe-row pe-wrap", parts.map(({ root: one }) => one), clear);
  const onclick = () => {
    past.filters = !past.filters;
    store.tell("runs");
  };
  const opener = button({ class: "pe-btn", onclick });
  const draw = () => {
    const on = Object.keys(FILTERS).filter((name) => past.asked[name]).length;
    fill(opener, on ? `Filters: ${on} on` : "Filters");
    opener.classList.toggle("on", on > 0);
    opener.setAttribute("aria-expanded", String(past.filters));
    root.hidden = !past.filters;
    clear.hidden = !on;
    for (const part of parts) part.draw();
  };
  return { root, opener, draw };
}

function filterBy(store, name, label, options) {
  const onchange = () => askRuns(store, { [name]: select.value || null });
  const select = el("select", { "aria-label": label, onchange });
  const root = el("label", "pe-inline pe-gap-m pe-fine", el("span", "pe-quiet", label), select);
  const draw = () => {
    root.hidden = options(store.past).length < 2;
    offer(select, options(store.past), (lines) => lines.map(([key, words]) => el("option", { value: key }, words)));
    select.value = store.past.asked[name] ?? "";
    if (select.selectedIndex < 0) select.selectedIndex = 0;
  };
  return { root, draw };
}

// What can be done with what is ticked; without a tick how many runs there are.
function tickedBar(store, act) {
  const { past } = store;
  const tell = (change) => {
    Object.assign(past, change);
    store.tell("runs");
  };
  const untick = () => {
    past.ticked.clear();
    tell({ said: "", tagging: false });
  };
  const tickAll = () => {
    const all = runsOf(past).map(({ iri }) => iri);
    tell({ said: "", ticked: new Set(all.every((iri) => past.ticked.has(iri)) ? [] : [...past.ticked, ...all]) });
  };
  const untickUnseen = () => {
    const listed = runsOf(past).map(({ iri }) => iri);
    tell({ said: "", ticked: new Set([...past.ticked].filter((iri) => listed.includes(iri))) });
  };
  const say = (said) => tell({ said });
  const remove = () => {
    const runs = [...past.ticked];
    store.send({ t: "delete", runs });
    untick();
  };
  const all = el("input", { type: "checkbox", "aria-label": "Tick all that are listed", onclick: tickAll });
  const compare = () => {
    act.compare(...past.ticked);
    untick();
  };
  const two = smallButton("Compare", compare, { class: "go" });
  const tag = tagPart(store, tell);
  const file = (words, format, title) => smallButton(words, () => wantFile(store, format, say, [...past.ticked]), { title });
  const report = file("Report", "html", "One page of all that are ticked");
  const bundle = file("Bundle", "bundle", "One archive of all that are ticked, for others to check (by its verify.py) and import");
  const ways = [two, tag.root, report, bundle, smallButton("Delete", remove), linkButton("Untick all", untick)];
  const does = el("span", "pe-row pe-gap-m pe-wrap", ways);
  const whole = linkButton("‹ All runs", () => askRuns(store, { evaluation: null }));
  const shown = el("span", { class: "pe-quiet", role: "status" });
  const more = moreLink(past, () => askRuns(store), RUNS);
  const root = el("div", "pe-foot pe-row pe-wrap pe-rigid pe-fine pe-nowrap pe-edged", all, whole, shown, more, does);
  const draw = () => {
    const [ticked, listed] = [past.ticked.size, runsOf(past).filter(({ iri }) => past.ticked.has(iri)).length];
    all.checked = listed > 0 && listed === runsOf(past).length;
    all.indeterminate = ticked > 0 && !all.checked;
    whole.hidden = !past.asked.evaluation; // the runs of one evaluation are listed
    more.hidden = !past.more;
    const [n, of] = [past.runs.length.toLocaleString("en"), past.total.toLocaleString("en")];
    const there = past.more ? `${n} of ${of}` : counted(past.runs.length, "run");
    const unseen = ticked - listed; // they are worked on too
    const untick = linkButton("untick these", untickUnseen, { title: "Untick what is not shown" });
    const aside = unseen > 0 && [`, ${unseen.toLocaleString("en")} not shown `, untick];
    fill(shown, ticked ? [`${ticked.toLocaleString("en")} ticked`, aside] : there);
    does.hidden = !ticked;
    two.hidden = ticked !== 2;
    tag.draw();
  };
  return { root, draw };
}

// Those that can be ticked: an evaluation stands for its runs.
const runsOf = ({ runs }) => runs.filter((run) => !run.runs);

// Asks for a tag, and gives it to what is ticked.
function tagPart(store, tell) {
  const { past } = store;
  const close = () => tell({ tagging: false });
  const give = () => {
    if (!input.value.trim()) return;
    const [runs, tag] = [[...past.ticked], input.value];
    store.send({ t: "tag", runs, tag });
    input.value = "";
    close();
  };
  const input = el("input", { "aria-label": "Tag for all that are ticked", placeholder: "Tag", dir: "auto" });
  const form = el("span", "pe-inline pe-gap-m", input, smallButton("Add", give), smallButton("Cancel", close));
  form.addEventListener("keydown", inForm(give, close));
  const onclick = () => {
    tell({ tagging: true });
    input.focus();
  };
  const opener = smallButton("Tag", onclick);
  const draw = () => {
    opener.hidden = past.tagging;
    form.hidden = !past.tagging;
  };
  return { root: el("span", "pe-inline", opener, form), draw };
}

// All that a line says and does: another makes it anew.
function keyOf(run, { past, title }) {
  const { iri, when } = run;
  return JSON.stringify([run, whenOf(when), past.ticked.has(iri), title?.iri === iri, past.noting?.iri === iri, past.opening === iri]);
}

function runRow(run, store, act) {
  const { past } = store;
  const on = store.title?.iri === run.iri;
  const ticks = { disabled: run.runs > 0, onclick: ({ shiftKey }) => tickRun(store, run.iri, shiftKey) };
  const label = { "aria-label": `Tick: ${run.name || run.question}` };
  const tick = el("input", { type: "checkbox", checked: past.ticked.has(run.iri), ...label, ...ticks });
  const { level, text } = run.mark ?? { level: run.bad ? "bad" : "", text: run.trouble };
  const came = run.runs ? "evaluation" : outcomeBadge(level, text.split(",")[0]); // what became of it stands beside
  const how = joinWords([run.how, run.model, run.differs, run.by && `by ${run.by}`]);
  const when = past.opening === run.iri ? "opening …" : whenOf(run.when);
  const line = (words, tag = "span") => el(tag, { class: "pe-ell", dir: "auto" }, words.slice(0, LONGEST_LINE));
  const told = [run.failed, run.reviewed && `Reviewed: ${run.reviewed}`].filter(Boolean);
  const quietly = (words) => el("span", "pe-ell pe-fine pe-quiet", words);
  const question = run.snippet && !run.found ? hitIn(run.snippet) : run.question.slice(0, LONGEST_LINE);
  const said = el("span", { class: "pe-ell", dir: "auto" }, question);
  const asked = el("span", "pe-asked pe-row pe-gap-m pe-slim", run.name && line(run.name, "b"), said, told.map(quietly), tagsOf(run));
  const found = run.found && [run.found, run.snippet && [": ", hitIn(run.snippet)]];
  const onclick = () => (run.runs ? askRuns(store, { evaluation: run.iri }) : openPast(store, act, run.iri));
  const title = joinWords([run.name, run.question, run.became, run.found, how, run.note], "\n");
  const props = { class: "pe-bare pe-share pe-slim", onclick, title, "aria-current": on ? "true" : null };
  const where = found && el("span", { class: "pe-found-in pe-fine", dir: "auto" }, found);
  return el(
    "li",
    on ? "pe-row pe-wrap pe-top on" : "pe-row pe-wrap pe-top",
    tick,
    el("span", "pe-came pe-rigid pe-ell pe-fine", came),
    button(props, asked, quietly(how), quietly(when), run.became && el("span", "pe-found-in pe-fine pe-quiet", run.became), where),
    run.runs ? null : noteButton(run, store),
    past.noting?.iri === run.iri && noteForm(run, store),
  );
}

function openPast(store, act, iri) {
  if (store.title?.iri === iri) act.runs(false); // it is behind the list
  if (!store.live) return;
  store.past.opening = iri;
  store.tell("runs");
  act.past(iri);
  act.brings = true;
}

// With Shift all from the one ticked last. Of two that are compared the one ticked first is A.
function tickRun(store, iri, ranged) {
  const { past } = store;
  const listed = runsOf(past).map((run) => run.iri);
  const [from, to] = [listed.indexOf(past.last), listed.indexOf(iri)].sort((a, b) => a - b);
  const change = past.ticked.has(iri) ? "delete" : "add";
  for (const one of ranged && from >= 0 ? listed.slice(from, to + 1) : [iri]) past.ticked[change](one);
  Object.assign(past, { last: iri, said: "" });
  store.tell("runs");
}

// Words that were looked for, marked, with what is around them.
const hitIn = ([before, words, after]) => [before, el("mark", {}, words), after];

// What people write at a run: a name, tags and a note.
function tagsOf({ tags }) {
  if (!tags.length) return null;
  const pill = (tag) => el("span", { class: "pe-tag pe-ell", dir: "auto", title: tag }, tag);
  return el("span", "pe-tags pe-row pe-gap-m pe-slim pe-fine", tags.map(pill));
}

function noteButton(run, store) {
  const open = store.past.noting?.iri === run.iri;
  const { iri, name, note } = run;
  const written = { name, tags: run.tags.join(", "), note };
  const draft = { iri, ...written, written };
  const label = `Name, tags and note, or delete: ${name || run.question}`;
  const props = { "aria-expanded": String(open), title: "Name, tags, note, delete" };
  return signButton("✎", label, () => noteAt(store, open ? null : draft), props);
}

// What is being written stays, whatever else comes into the list meanwhile.
function noteAt(store, draft) {
  store.past.noting = draft;
  store.tell("runs");
}

function noteForm(run, store) {
  const draft = store.past.noting;
  const written = (tag, name, label) => {
    const { root, input } = field(tag, label, draft[name]);
    input.addEventListener("input", () => (draft[name] = input.value));
    return root;
  };
  const close = () => noteAt(store, null);
  const changed = (name) => (draft[name] === draft.written[name] ? null : draft[name]); // what another window wrote stays
  const save = () => {
    const [name, listed, note] = ["name", "tags", "note"].map(changed);
    const tags = listed === null ? null : listed.split(",");
    store.send({ t: "annotate", iri: run.iri, name, tags, note });
    store.past.sent = draft;
    close();
  };
  const remove = () => {
    store.past.ticked.delete(run.iri);
    const runs = [run.iri];
    store.send({ t: "delete", runs });
    close();
  };
  const ways = [smallButton("Save", save, { class: "go" }), smallButton("Cancel", close), grow(), smallButton("Delete", remove)];
  return el(
    "div",
    { class: "pe-note-form pe-stack pe-gap-m pe-fine", onkeydown: inForm(save, close) },
    written("input", "name", "Name"),
    written("input", "tags", "Tags, with commas between"),
    written("textarea", "note", "Note"),
    el("div", "pe-row pe-gap-l", ways),
  );
}

// Below the list: that runs are deleted, and when the last of them was. What they said is gone.
function gonePart() {
  const title = "What they said is gone; `explorer ledger deleted` lists which they were, and when each was deleted";
  const root = el("p", { class: "pe-gone pe-topped pe-rigid pe-fine pe-quiet", title });
  const draw = ({ count, last }) => {
    root.hidden = !count;
    const many = `${counted(count, "run")} were deleted, the last ${whenOf(last)}.`;
    fill(root, count === 1 ? `1 run was deleted, ${whenOf(last)}.` : many);
  };
  return { root, draw };
}
