// The legend, opened below the graph: each kind of node that is in it, how many there are, and a tick that dims them.
function legendView(store) {
  const root = groupOf("Kinds of node: untick one to dim it", "pe-legend pe-row pe-gap-s pe-wrap pe-rigid pe-tinted");
  root.hidden = true;
  const keep = keeping();
  const turn = () => {
    root.hidden = !root.hidden;
    draw();
  };
  const draw = () => {
    if (root.hidden) return;
    const entries = [...kindsShown(store)].map(([kind, count]) => {
      const shown = !store.hidden.has(kind);
      return [JSON.stringify([kind, count, shown]), () => legendEntry(kind, count, shown, store)];
    });
    fill(root, keep([...entries, ...arrowEntry(store), ...barEntry(store)]), grow(), signButton("×", "Close the legend", turn));
  };
  return { root, draw, turn };
}

// How thick the arrow to what was kept is, once there is one.
function arrowEntry(store) {
  if (!hereNodes(store).some(({ kind }) => EXPLAINED.has(kind))) return [];
  return signEntry("arrows", el("b", { "aria-hidden": "true" }, "→"), "the thicker, the better it fits");
}

const signEntry = (key, sign, words) =>
  [[key, () => el("span", "pe-entry pe-bars pe-rigid pe-inline pe-gap-s pe-nowrap pe-fine", sign, words)]];

function kindsShown(store) {
  const kinds = new Map();
  for (const node of hereNodes(store)) kinds.set(node.kind, node.count ?? (kinds.get(node.kind) ?? 0) + 1);
  for (const [kind, { within, end }] of Object.entries(store.looks.kinds)) {
    if (kinds.has(within) && kinds.has(kind)) kinds.set(within, kinds.get(kind));
    if (within) kinds.delete(kind);
    else if (kinds.has(kind) && (end || kind === "Question")) kinds.set(kind, null);
  }
  const shown = new Map(); // by the first kind of each word
  for (const kind of Object.keys(store.looks.kinds).filter((one) => kinds.has(one))) {
    const first = [...shown.keys()].find((one) => isCalledAlike(store, one, kind)) ?? kind;
    const count = kinds.get(kind);
    shown.set(first, shown.get(first) ? shown.get(first) + count : count);
  }
  return shown;
}

const isCalledAlike = ({ looks: { kinds } }, one, other) => kinds[one].word === kinds[other].word;

function legendEntry(kind, count, shown, store) {
  const toggle = () => {
    for (const [one, { within }] of Object.entries(store.looks.kinds)) {
      if (!isCalledAlike(store, one, kind) && within !== kind) continue;
      if (shown) store.hidden.add(one);
      else store.hidden.delete(one);
    }
    store.tell("filtered");
  };
  const told = { role: "checkbox", "aria-checked": String(shown), onclick: toggle };
  const parts = [icon(kind, store.looks, 16), store.looks.kinds[kind].word, count !== null && el("span", "pe-quiet", String(count))];
  return button({ class: "pe-entry pe-rigid pe-inline pe-gap-s pe-nowrap pe-fine", ...told }, parts);
}
