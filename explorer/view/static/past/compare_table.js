// The facts of two runs as a table: a row a fact, by who kept it; a click on a fact unfolds its row.
const KEPT_BY = { A: ["a"], B: ["b"], both: ["a", "b"] };
const COLUMNS = ["fact", "match", "why", "match", "why"];

function compareTable(view, found) {
  if (!found.groups.length) return el("p", { class: "pe-quiet pe-versus-none" }, "Neither run kept anything.");
  const groups = view.differences ? found.groups : [{ rows: orderedRows(found, false) }];
  return el(
    "table",
    { class: "pe-versus" },
    el("caption", { class: "pe-hear" }, `${found.heading} by two runs. ${found.looked}`),
    el("colgroup", {}, COLUMNS.map((name) => el("col", { class: name }))),
    versusHead(found),
    groups.map((group) => versusGroup(view, group)),
  );
}

function versusHead(found) {
  const column = (...words) => el("th", { scope: "col" }, words);
  const columns = (side) => [
    column(sideBadge(side), " Score", el("span", { class: "pe-broad" }, ", of 1")),
    column(`Why ${side.toUpperCase()} kept it, or not`),
  ];
  return el("thead", {}, el("tr", {}, column(found.column), columns("a"), columns("b")));
}

function versusGroup(view, group) {
  const { title, side, rows } = group;
  const heading = () => el("th", { colspan: COLUMNS.length, scope: "rowgroup" }, KEPT_BY[side].map(sideBadge), title);
  const first = title && el("tr", { class: "pe-group" }, heading());
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
  const clamped = { class: "pe-cut pe-slim pe-anywhere", dir: "auto", style: { webkitLineClamp: 2 } };
  const short = row.parts.length === 1 && row.sources[0] && !open;
  const words = short ? passageWords(row) : el("span", clamped, factWords(row, open));
  const classes = [open && "open", view.marked === row.row && "on"].filter(Boolean).join(" ");
  return el(
    "tr",
    { class: classes || null, "data-row": row.row },
    el(
      "th",
      { scope: "row" },
      el(
        "div",
        { class: "pe-fact pe-top" },
        icon(row.kind, view.store.looks, 16),
        button({ class: "pe-fact-words pe-slim pe-bare", ...turnable }, words),
        loose && el("span", { class: "pe-sides pe-rigid" }, KEPT_BY[row.side].map(sideBadge)),
      ),
      open && factSources(row),
    ),
    SIDES.map((side) => [matchCell(row[side]), whyCell(row[side])]),
  );
}

// A whole passage in two lines: its first words, and where they stand.
function passageWords({ parts, sources }) {
  const line = (name, text) => el("span", { class: `pe-ell ${name}`, dir: "auto" }, text.slice(0, MOST_SHOWN));
  return el("span", { class: "pe-in-lines" }, line("", parts[0]), line("pe-quiet", sources[0].found));
}

// A fact by its three parts; of a whole passage where it stands, and its words.
function factWords({ parts, sources }, open) {
  const shown = (text) => el("bdi", {}, open ? text : text.slice(0, MOST_SHOWN));
  if (parts.length === 1)
    return [
      sources[0] && shown(`${sources[0].where}: `),
      el("span", { class: sources[0] && "pe-quiet" }, shown(parts[0])),
    ];
  const [subject, relation, object] = parts.map(shown);
  return [subject, el("span", { class: "pe-quiet" }, " — ", relation, " → "), object];
}

function factSources(row) {
  if (!row.sources.length) return el("p", { class: "pe-fact-sources pe-fine pe-scroll pe-quiet" }, "No recorded source.");
  const source = ({ where, text }) =>
    el("li", {}, el("div", { class: "pe-quiet", dir: "auto" }, where), el("div", { dir: "auto" }, text));
  return el("ul", { class: "pe-fact-sources pe-fine pe-scroll" }, row.sources.map(source));
}

function matchCell({ number, within, cited, score }) {
  const label = numberIn(cited, within === null ? "" : "within");
  if (within !== null) {
    const title = "kept in another form: the same source words";
    return el("td", { class: "pe-match" }, cited !== null && label, el("span", { class: "pe-quiet", title }, "same words"));
  }
  if (number === null)
    return el("td", { class: "pe-match" }, el("span", { class: "pe-quiet", "aria-label": "not kept" }, "–"));
  if (score === null || score === undefined)
    return el("td", { class: "pe-match" }, label, el("span", { class: "pe-quiet" }, "kept"));
  const share = Math.max(0, Math.min(1, score));
  const bar = el("span", { class: "pe-strip", "aria-hidden": "true" }, el("i", { style: { width: `${share * 100}%` } }));
  const digits = el("span", { class: "pe-rigid pe-nowrap" }, score.toFixed(2));
  return el("td", { class: "pe-match" }, el("div", { class: "pe-row" }, label, bar, digits));
}

// The number that the answer has for it; what it does not cite has none, and its bar begins where the others do.
function numberIn(cited, form) {
  if (cited === null) return el("span", { class: "pe-uncited pe-rigid" });
  return el("span", { class: `pe-kept-as pe-rigid ${form}`, title: `number ${cited} in this run's answer` }, String(cited));
}

function whyCell({ why, author, number }) {
  const named = author && { role: "img", "aria-label": author.text, title: author.text };
  const sign = author && el("span", { class: "pe-ring pe-inline pe-rigid", ...named }, author.sign);
  const words = el("span", { class: "pe-anywhere", dir: "auto" }, why);
  const quiet = number === null ? "pe-quiet" : "";
  return el("td", { class: `pe-why-cell pe-fine ${quiet}` }, el("div", { class: "pe-top" }, sign, words));
}
