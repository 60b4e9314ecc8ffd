// The facts that were taken from the page on view: a list of them below it; one that is chosen is marked on the page.
function factsButton(view, facts) {
  const gone = facts.items.filter((fact) => fact.gone).length; // they are listed, but no facts of the document any more
  const held = facts.total - gone;
  const words = `${held.toLocaleString("en")} ${held === 1 ? "fact" : "facts"} from this ${facts.from}${gone ? `, ${gone} removed` : ""}`;
  const toggle = () => {
    Object.assign(view, { listing: !view.listing, chosen: null });
    view.draw();
  };
  return button({ class: "pe-link pe-line", "aria-expanded": String(view.listing), onclick: toggle }, words);
}

function factList(view, store, page) {
  const { facts } = page;
  if (!view.listing || !facts) return null;
  const rest = facts.total - facts.items.length;
  return el(
    "ul",
    { class: "pe-facts pe-plain pe-rigid pe-scroll", "aria-label": `Facts from this ${facts.from}` },
    facts.items.map((fact, number) => factLine(fact, number, view, store, page)),
    rest > 0 && el("li", { class: "pe-quiet" }, `and ${rest.toLocaleString("en")} more`),
  );
}

function factLine(fact, number, view, store, page) {
  const { words: [s, p, o], at, n, node, gone } = fact;
  const on = view.chosen === number;
  const choose = () => {
    view.chosen = on ? null : number;
    view.draw();
  };
  return el(
    "li",
    { class: ["pe-top", on && "on", gone && "gone"].filter(Boolean).join(" ") },
    button(
      {
        class: "pe-bare",
        "aria-pressed": String(on),
        title: at.length ? "Highlight its words" : "The place of its words is not recorded",
        onclick: choose,
      },
      el("b", {}, s),
      ` — ${p} → ${o}`,
    ),
    correctingOf(fact, on, view, page),
    store.nodes.has(node) && keptButton(store, node, n),
  );
}

// What the answer cites has its number there.
function keptButton(store, node, n) {
  const [cited] = store.nodes.get(node).numbers ?? [];
  const props = { title: "Kept in this run: select it", "aria-label": `Select fact ${n}`, onclick: () => select(store, node) };
  return button({ class: cited ? "pe-cite" : "pe-link", ...props }, cited ? String(cited) : "kept");
}

const chosenPlaces = (view, page) => (view.chosen === null ? [] : (page.facts?.items[view.chosen]?.at ?? []));

// Runs of text, cut where chosen words begin and end; each piece says whether it is chosen.
function cutRuns(runs, spans) {
  const pieces = [];
  let from = 0;
  for (const [text, kind] of runs) {
    const to = from + text.length;
    const cuts = spans.flat().filter((cut) => cut > from && cut < to);
    const ends = [...new Set([...cuts, to])].sort((a, b) => a - b);
    let at = from;
    for (const end of ends) {
      const isChosen = spans.some(([start, stop]) => start <= at && end <= stop);
      pieces.push([text.slice(at - from, end - from), kind, isChosen]);
      at = end;
    }
    from = to;
  }
  return pieces;
}

// Escape closes the list and takes the mark away; only without them does it clear the selection.
function closeFacts(event, view) {
  if (event.key !== "Escape" || !(view.listing || view.chosen !== null)) return;
  event.stopPropagation();
  Object.assign(view, { listing: false, chosen: null });
  view.draw();
}
