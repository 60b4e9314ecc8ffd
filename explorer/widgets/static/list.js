// The same graph as a nested list, for screen readers and for those who would rather read.
function listView(store, act) {
  const root = el("div", {
    class: "pe-list",
    hidden: true,
    role: "region",
    "aria-label": "The graph as a list",
    tabindex: -1,
  });
  const draw = () => {
    if (root.hidden) return;
    const steps = [];
    for (let at = firstOf(store, "Question"); at; at = children(store, at, "derived")[0]) steps.push(at);
    fill(
      root,
      store.nodes.size
        ? el(
            "ul",
            {},
            steps.map((id) => branch(store, id, act, new Set(steps), new Set())),
          )
        : nothing("Nothing to list yet", "Ask a question first."),
    );
  };
  return { root, draw };
}

// What is below a step is told once, at the first of those it derives from; sources stand below each fact.
function branch(store, id, act, above, told) {
  const node = store.nodes.get(id);
  if (!node) return null;
  const again = told.has(id) && !sourceKinds.has(node.kind);
  told.add(id);
  const inside = again ? [] : children(store, id).filter((child) => !above.has(child));
  const here = new Set([...above, id]);
  const [first, ...rest] = node.lines.map(([, text]) => text);
  const step = node.lines[0][0] === "k";
  const term = step ? first : (store.looks.kinds[node.kind]?.word ?? node.kind);
  const words = step ? rest.join(" ") : [first, ...rest].join(" ");
  const on = id === store.selected;
  const line = button(
    { class: on ? "on" : null, "aria-current": on ? "true" : null, onclick: () => act.select(id) },
    icon(node.kind, store.looks, 16),
    el("span", {}, el("b", {}, `${term}: `), words),
  );
  return el(
    "li",
    {},
    line,
    inside.length > 0 &&
      el(
        "ul",
        {},
        inside.map((child) => branch(store, child, act, here, told)),
      ),
  );
}

function legendView(store) {
  const root = el("div", { class: "pe-legend", role: "group", "aria-label": "Kinds of node: untick one to dim it" });
  const draw = () =>
    fill(
      root,
      [...kindsShown(store)].map(([kind, count]) => legendEntry(kind, count, store)),
    );
  return { root, draw };
}

function kindsShown(store) {
  const kinds = new Map();
  for (const node of hereNodes(store)) kinds.set(node.kind, node.count ?? (kinds.get(node.kind) ?? 0) + 1);
  if (kinds.has("Grounding")) kinds.set("Grounding", kinds.get("Concept") ?? 0);
  kinds.delete("Concept");
  for (const once of ["Question", "Synthesis", "Conclusion", "Failure"]) if (kinds.has(once)) kinds.set(once, null);
  return new Map(
    Object.keys(store.looks.kinds)
      .filter((kind) => kinds.has(kind))
      .map((kind) => [kind, kinds.get(kind)]),
  );
}

function legendEntry(kind, count, store) {
  const shown = !store.hidden.has(kind);
  const toggle = () => {
    for (const one of kind === "Grounding" ? ["Grounding", "Concept"] : [kind]) {
      if (shown) store.hidden.add(one);
      else store.hidden.delete(one);
    }
    store.tell("filtered");
  };
  return button(
    { class: "pe-entry", role: "checkbox", "aria-checked": String(shown), onclick: toggle },
    icon(kind, store.looks, 16),
    store.looks.kinds[kind].word,
    count !== null && el("span", { class: "pe-quiet" }, String(count)),
  );
}
