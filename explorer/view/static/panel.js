// One part of the app apart, as a widget among others: nothing else of the app is made.
const PANELS = {
  question: (store, act) => ["", barView(store, act)],
  answer: (store, act) => ["", answerView(store, act)],
  graph: (store, act) => ["pe-high", graphAlone(store, act)],
  source: (store, act) => ["pe-high", detailView(store, act), sourceView(store, act)],
};

function renderPart({ store, el: place }) {
  const act = {
    ...actions(store),
    select: (id, said) => select(store, id, undefined, said),
    source: (passage) => openSource(store, passage),
    open: (id) => (store.nodes.get(id).opens ? openRun(store, id) : select(store, id)),
    ask: (question) => sendQuestion(store, question),
    refused: () => {},
    escape: () => clearSelection(store),
    list: () => {},
    find: () => {},
  };
  const [look, ...parts] = PANELS[store.part](store, act);
  const root = el("div", `pe pe-part ${look}`, parts.map((part) => part.root));
  place.append(root);
  setColours(root, store.looks);
  root.explorer = { store, parts };
  for (const part of parts) part.draw = keepingFocus(part.root, part.draw);
  const draw = (what, detail) => parts.forEach((part) => part.draw(what, detail));
  const deaf = store.listen(draw);
  const unwatch = watchTheme(() => {
    setColours(root, store.looks);
    draw("theme");
  });
  draw("reset");
  return () => {
    deaf();
    unwatch();
    for (const part of parts) part.end?.();
    root.remove();
  };
}

// The graph with the keys of the app's.
function graphAlone(store, act) {
  const graph = graphView(store, act);
  graph.canvas.setAttribute("aria-label", "Graph of the run. Arrow keys move between nodes.");
  const root = el("section", { class: "pe-stage-area pe-share", "aria-label": "How the answer came about" }, graph.canvas, graph.map.root);
  graph.canvas.addEventListener("keydown", (event) => keyInGraph(event, store, act));
  act.view = { graph };
  return {
    root,
    graph,
    draw(what, detail) {
      const anew = ["reset", "level", "columns"].includes(what) || detail?.again;
      if (what === "theme") graph.face = "";
      if (anew) forget(graph);
      if (anew || what === "grown") showNew(graph, store, detail?.nodes ?? hereNodes(store), Boolean(anew || detail?.whole || still()));
      if (what === "selected" && store.selected && areHere(store, store.selected)) reveal(graph, store, store.selected);
      if (["selected", "mattered", "theme"].includes(what)) redraw(graph, store);
    },
    end() {
      forget(graph);
      graph.network.destroy();
    },
  };
}
