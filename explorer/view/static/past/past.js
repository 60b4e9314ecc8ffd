// The list of past runs: search, filters, two to compare. The list is asked for anew with each change.
const SINCE = { "": "All", 1: "Today", 7: "Last 7 days", 30: "Last 30 days" };
const TROUBLE = { "": "All", with: "With problems", without: "Without" };
const FILTERS = {
  engine: ["Method", (past) => [["", "All"], ...past.engines]],
  model: ["Model", (past) => [["", "All"], ...past.models.map((name) => [name, modelWord(name)])]],
  days: ["Date", () => Object.entries(SINCE)],
  problems: ["Problems", () => Object.entries(TROUBLE)],
  tag: ["Tag", (past) => [["", "All"], ...past.tags.map((tag) => [tag, tag])]],
  by: ["Asked by", (past) => [["", "All"], ...past.people.map((name) => [name, name])]],
};
const CHUNK = 50;
const SEARCHED = "Search questions, answers, names, tags, notes and reviews";

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
  deleted: null,
  // as it was asked, and by which sign the reply is known
  n: null,
  asked: {},
  limit: CHUNK,
  // as it is on view
  ticked: [],
  opening: null,
  unfolded: new Set(),
  noting: null,
  sent: null,
});

// Asks for more lines of a list.
function moreLink(list, ask) {
  const onclick = () => {
    list.limit += CHUNK;
    ask();
  };
  return linkButton("Show more", onclick, { class: "pe-rigid pe-nowrap" });
}

function askRuns(store, changed = {}) {
  const { past } = store;
  Object.assign(past.asked, changed);
  past.n = ownSign();
  if (Object.keys(changed).length) past.limit = CHUNK;
  const { text, engine, model, days, problems, evaluation, tag, by } = past.asked;
  const since = days ? startOf(Number(days) - 1).toISOString() : null;
  store.send({ t: "runs?", n: past.n, text, engine, model, since, problems, evaluation, tag, by, limit: past.limit });
}

function takeRuns(store, message) {
  if (message.n !== store.past.n) return;
  const { runs, more, total, engines, models, tags, people, gone } = message;
  Object.assign(store.past, { runs, known: true, more, total, engines, models, tags, people, gone, sent: null });
  store.tell("runs");
}

function takeRan(store, message) {
  store.past.deleted = message.deleted;
  if (message.title && message.title.iri === store.title?.iri) {
    store.title = message.title;
    store.tell("played");
  }
  if (store.mode === "past") askRuns(store);
}

function pastView(store, act) {
  const rows = el("ul", "pe-runs pe-share pe-plain");
  const compare = button({ class: "pe-btn go", onclick: () => act.compare(...store.past.ticked) });
  const onUntick = () => {
    store.past.ticked = [];
    store.tell("runs");
  };
  const untick = linkButton("Untick", onUntick);
  const all = linkButton("All runs", () => askRuns(store, { evaluation: null }));
  const more = moreLink(store.past, () => askRuns(store));
  const shown = el("span", { class: "pe-quiet pe-line", role: "status" });
  const filters = Object.entries(FILTERS).map(([name, [label, options]]) => filterBy(store, name, label, options));
  const undo = el("div", { class: "pe-undo pe-row pe-rigid pe-slim pe-fine pe-tinted", role: "status" });
  const [present, gone] = [pastPresentPart(act, store), gonePart()];
  const root = el(
    "aside",
    { class: "pe-past pe-stack pe-slim", "aria-label": "Past runs" },
    el(
      "div",
      "pe-filters pe-stack pe-tinted pe-edged",
      el(
        "div",
        "pe-row pe-slim pe-search",
        searchField("Search the runs", SEARCHED, (text) => askRuns(store, { text: text || null })),
        present.root,
      ),
      el("div", "pe-selects", filters.map(({ root: one }) => one)),
    ),
    el("div", "pe-foot pe-row pe-wrap pe-rigid pe-fine pe-nowrap pe-edged", compare, untick, all, grow(), shown, more),
    undo,
    rows,
    gone.root,
  );
  let noted = { iri: null, sure: false }; // the run whose form was in the list, and whether it asked for certain
  let opened = null; // the one on view
  const bring = () => bringWithin(rows, rows.querySelector(".pe-note-form") ?? rows.querySelector("li.on"));
  new ResizeObserver(bring).observe(rows);
  const draw = () => {
    const alone = listsAlone(act, store);
    root.hidden = store.mode !== "past" || Boolean(store.compare) || (act.presents && !alone);
    if (root.hidden) return;
    present.root.hidden = !alone && isPlayed(store); // then it stands above the run
    present.draw();
    const { past } = store;
    for (const filter of filters) filter.draw();
    const at = rows.scrollTop;
    fill(rows, runGroups(store, act), past.known && !past.runs.length && noRuns(store));
    rows.scrollTop = at;
    const { iri = null, sure = false } = past.noting ?? {};
    if (iri !== noted.iri) bringForm(rows, iri);
    else if (sure && !noted.sure) rows.querySelector(".pe-sure")?.scrollIntoView({ block: "nearest" });
    noted = { iri, sure };
    if (opened !== store.title?.iri && !iri) bring();
    opened = store.title?.iri;
    fill(undo, undoOf(store));
    undo.hidden = past.deleted === null;
    gone.draw(past.gone);
    compare.disabled = past.ticked.length !== 2;
    fill(compare, past.ticked.length === 2 ? "Compare the 2 ticked" : "Tick 2 to compare");
    untick.classList.toggle("pe-away", !past.ticked.length); // what is ticked may be out of sight; the lines below stay where they are
    all.hidden = !past.asked.evaluation; // the runs of one evaluation are listed
    more.hidden = !past.more;
    fill(shown, past.more ? `${past.runs.length} of ${past.total.toLocaleString("en")}` : "");
  };
  return { root, draw };
}

// A form that opens is seen whole, and written in at once.
function bringForm(rows, noting) {
  const form = noting && rows.querySelector(".pe-note-form");
  form?.scrollIntoView({ block: "nearest" });
  form?.querySelector("input").focus({ preventScroll: true });
}

function noRuns({ past }) {
  const filtered = Object.values(past.asked).some(Boolean);
  return el(
    "li",
    "pe-none",
    filtered ? "No run matches. Clear the search or the filters." : "No runs yet. Ask a question first.",
  );
}

function filterBy(store, name, label, options) {
  const onchange = () => askRuns(store, { [name]: select.value || null });
  const select = el("select", { "aria-label": label, onchange });
  const root = el("label", {}, el("span", "pe-quiet", label), select);
  const draw = () => {
    const { value } = select;
    root.hidden = options(store.past).length < 2;
    offer(select, options(store.past), (lines) => lines.map(([key, words]) => el("option", { value: key }, words)));
    select.value = value;
    if (select.selectedIndex < 0) select.selectedIndex = 0;
  };
  return { root, draw };
}

// Runs of one question stand together, where the newest of them would, each with what differed.
const FEW = 3; // of them are shown at once

function runGroups(store, act) {
  const groups = Map.groupBy(store.past.runs, (run) => (run.runs ? run.iri : run.question.split(/\s+/).join(" ").trim().toLowerCase()));
  return [...groups].flatMap(([key, runs]) =>
    runs.length === 1 ? runRow(runs[0], store, act) : runGroup(key, runs, store, act),
  );
}

function runGroup(key, runs, store, act) {
  const { past } = store;
  const kept = ({ iri, name }) =>
    name || past.ticked.includes(iri) || past.noting?.iri === iri || store.title?.iri === iri;
  const shown = past.unfolded.has(key) ? runs : runs.filter((run, at) => at < FEW || kept(run));
  const rest = runs.length - shown.length;
  const unfold = () => {
    past.unfolded.add(key);
    store.tell("runs");
  };
  return [
    el(
      "li",
      "pe-asked pe-row pe-slim",
      el("b", "pe-share pe-slim", cutText(runs[0].question, 2)), // two that begin alike are told apart
      el("span", "pe-quiet pe-fine pe-rigid", `${runs.length} runs`),
    ),
    shown.map((run) => runRow(run, store, act, true)),
    rest > 0 && el("li", "pe-of", linkButton(`${rest} more`, unfold, { class: "pe-fine" })),
  ];
}

// In a group the question stands above; what a person called the run, or what differed, tells one from the other.
function runRow(run, store, act, grouped = false) {
  const { past } = store;
  const on = store.title?.iri === run.iri;
  const full = past.ticked.length === 2;
  const tick = el("input", {
    type: "checkbox",
    checked: past.ticked.includes(run.iri),
    "aria-label": `Compare: ${run.question}`,
    disabled: run.runs > 0 || (full && !past.ticked.includes(run.iri)),
    title: full ? "Two are ticked: untick one to compare another" : null,
    onchange: () => tickRun(store, run.iri),
  });
  const bad = run.trouble && run.bad;
  const badge = el("span", bad ? "pe-pill pe-inline pe-rigid pe-nowrap bad" : null, run.trouble || run.result);
  const way = joinWords([run.how, modelAfter(run.model)]);
  const when = past.opening === run.iri ? "opening …" : whenOf(run.when);
  const { mark } = run;
  const sure = mark && outcomeBadge(mark.level, mark.text);
  const facts = [grouped || way, badge, when, sure || true].filter((one) => one !== true).map((one) => el("span", {}, one));
  const onclick = () => (run.runs ? askRuns(store, { evaluation: run.iri }) : openPast(store, act, run.iri));
  const opening = { onclick, "aria-current": on ? "true" : null, title: run.question };
  const differs = grouped && (run.differs || `${way}, ${whenOf(run.when)}`); // asked alike they are told apart by the time
  const [first, ...more] = [run.name, grouped ? differs : run.question].filter(Boolean);
  return el(
    "li",
    { class: joinWords(["pe-top pe-wrap", grouped && "pe-of", on && "on"], " ") },
    tick,
    button(
      { class: "pe-bare pe-share pe-slim", ...opening },
      el(grouped && !run.name ? "span" : "b", { class: "pe-cut pe-anywhere", dir: "auto" }, first),
      more.map((words) => el("span", { class: "pe-fine pe-anywhere", dir: "auto" }, words)),
      el("span", "pe-about-run pe-row pe-wrap pe-slim pe-fine pe-quiet", facts),
      tagsOf(run),
      run.by && el("span", "pe-fine", `Asked by ${run.by}`),
      run.reviewed && el("span", "pe-fine", `Reviewed: ${run.reviewed}`),
      run.note && cutText(run.note, 6, { class: "pe-fine pe-quiet pe-noted" }),
    ),
    !run.runs && noteButton(run, store),
    past.noting?.iri === run.iri && noteForm(run, store),
  );
}

function openPast(store, act, iri) {
  if (store.title?.iri === iri) act.runs(false); // it is behind the list
  if (!store.live) return;
  store.past.opening = iri;
  store.tell("runs");
  act.past(iri);
}

// Two are compared; the one ticked first is A.
function tickRun(store, iri) {
  const { past } = store;
  past.ticked = past.ticked.includes(iri) ? past.ticked.filter((one) => one !== iri) : [...past.ticked, iri];
  store.tell("runs");
}

// What people write at a run: a name, tags and a note; and to delete it, which can be undone once.
function tagsOf({ tags }) {
  if (!tags.length) return null;
  const pill = (tag) => el("span", { class: "pe-tag pe-ell", dir: "auto", title: tag }, tag);
  return el("span", "pe-tags pe-row pe-wrap pe-slim pe-fine", tags.map(pill));
}

function noteButton(run, store) {
  const open = store.past.noting?.iri === run.iri;
  const { iri, name, note } = run;
  const written = { name, tags: run.tags.join(", "), note };
  const draft = { iri, ...written, written, sure: false };
  const label = `Name, tags and note, or delete: ${name || run.question}`;
  const props = { "aria-expanded": String(open), title: "Name, tags, note, delete" };
  return signButton("✎", label, () => noteAt(store, open ? null : draft), props);
}

// What is being written stays, whatever else comes into the list meanwhile.
function noteAt(store, draft) {
  store.past.noting = draft;
  store.tell("runs");
}

// What was refused is there to be written otherwise.
function noteAgain({ past }) {
  past.noting ??= past.sent;
  past.sent = null;
}

function noteForm(run, store) {
  const draft = store.past.noting;
  const field = (tag, name, label) => {
    const input = el(tag, { "aria-label": label, dir: "auto", oninput: () => (draft[name] = input.value) });
    input.value = draft[name];
    return el("label", "pe-stack pe-fine", el("span", "pe-quiet", label), input);
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
  return el(
    "div",
    {
      class: "pe-note-form pe-stack",
      onkeydown: (event) => {
        onEnter(save)(event);
        onEscape(close)(event);
      },
    },
    field("input", "name", "Name"),
    field("input", "tags", "Tags, with commas between"),
    field("textarea", "note", "Note"),
    el(
      "div",
      "pe-row",
      smallButton("Save", save, { class: "go" }),
      smallButton("Cancel", close),
      grow(),
      smallButton("Delete …", () => noteAt(store, { ...draft, sure: true })),
    ),
    draft.sure && sureToDelete(run, store, draft),
  );
}

function sureToDelete(run, store, draft) {
  const onDelete = () => {
    store.past.ticked = store.past.ticked.filter((one) => one !== run.iri);
    store.send({ t: "delete", iri: run.iri });
    noteAt(store, null);
  };
  return el(
    "div",
    { class: "pe-sure pe-stack pe-alarm", role: "alert" },
    "Delete this run? Its question, steps and answer go, and its name, tags and note. Undo, above the list, brings it back " +
      "until another is deleted or the kernel stops. That there was a run, and when it was deleted, stays on record; " +
      "a line below the list says so.",
    el(
      "div",
      "pe-row",
      smallButton("Delete the run", onDelete),
      smallButton("Keep it", () => noteAt(store, { ...draft, sure: false })),
    ),
  );
}

function undoOf(store) {
  const { deleted } = store.past;
  if (deleted === null) return null;
  const undo = linkButton("Undo", () => store.send({ t: "undelete" }), { class: "pe-rigid" });
  const { text, how, when } = deleted;
  const words = joinWords([how, whenOf(when)]);
  return [el("span", "pe-share pe-slim pe-anywhere", "Deleted: ", el("bdi", {}, text), el("span", "pe-quiet", ` ${words}`)), undo];
}

// Below the list: that runs are deleted, and when the last of them was. What they said is gone.
function gonePart() {
  const title = "What they said is gone; `explorer ledger deleted` lists which they were, and when each was deleted";
  const root = el("p", { class: "pe-gone pe-rigid pe-fine pe-quiet", title });
  const draw = ({ count, last }) => {
    root.hidden = !count;
    fill(
      root,
      count === 1
        ? `1 run was deleted, ${whenOf(last)}.`
        : `${count.toLocaleString("en")} runs were deleted, the last ${whenOf(last)}.`,
    );
  };
  return { root, draw };
}
