// Detail and Source: beside the graph, and where there is no room for that in a drawer below it, which a click opens.
const BESIDE = 800; // px of the run: with less, a column beside the graph leaves too little to both

function paneView(store, run, canvas, parts) {
  const shut = signButton("×", "Close the source", () => pane.shut(), { title: "Close (Esc)" });
  const root = el("div", "pe-pane pe-stack pe-slim", parts, shut);
  const opener = smallButton("Source", () => pane.show(true, opener));
  shut.classList.add("pe-shut");
  const pane = { root, opener, narrow: false, from: null };
  // Who opens the drawer by a key or a click stays where they are; who asks for it by its button is put into it.
  pane.show = (open, from = null) => {
    const held = focusIn(root);
    const closing = pane.narrow && !open;
    if (open && root.hidden) pane.from = from;
    root.hidden = closing;
    opener.hidden = !closing;
    if (from && open) pane.enter();
    if (closing && held) (pane.from?.isConnected ? pane.from : canvas).focus({ preventScroll: true });
  };
  pane.enter = () => (root.querySelector(".pe-desk") ?? root.querySelector(".pe-body"))?.focus({ preventScroll: true });
  pane.shut = () => {
    const open = pane.narrow && !root.hidden;
    if (open) pane.show(false);
    return open;
  };
  pane.follow = () => pane.show(Boolean(store.selected || store.source));
  pane.fold = (narrow) => {
    pane.narrow = narrow;
    run.classList.toggle("narrow", narrow);
    shut.hidden = !narrow;
    root.role = narrow ? "dialog" : null;
    root.ariaLabel = narrow ? "Detail and source" : null;
    pane.follow();
  };
  pane.fit = () => {
    const narrow = run.clientWidth < BESIDE;
    if (run.clientWidth && narrow !== pane.narrow) pane.fold(narrow);
  };
  pane.measured = new ResizeObserver(pane.fit);
  pane.measured.observe(run);
  pane.fold(false);
  return pane;
}
