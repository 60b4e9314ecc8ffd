// The source as large as the window, over everything; it shows what the panel has, also when the kernel is gone.
function enlargedView(small, store) {
  const root = el("dialog", { class: "pe-large pe-stack", "aria-label": "Source, enlarged" });
  const view = { ...small, root, large: true, alone: false, width: 1, mode: null, close: () => root.close() };
  view.enlarged = { root };
  view.draw = () => root.open && (store.source ? drawSource(view, store) : root.close());
  view.sized = new ResizeObserver(() => settleSource(view, store));
  view.open = () => {
    Object.assign(view, { mode: null, listing: false, chosen: null });
    root.showModal();
    drawSource(view, store);
    root.querySelector(".pe-desk").focus();
  };
  root.addEventListener("click", ({ target }) => target === root && root.close()); // beside the page
  root.addEventListener("keydown", (event) => {
    closeFacts(event, view);
    if (event.key === "Escape") event.stopPropagation(); // the graph would hear it too
  });
  root.addEventListener("close", () => {
    fill(root);
    small.root.querySelector(".pe-enlarge")?.focus({ preventScroll: true });
  });
  return view;
}

const enlargeButton = (view) =>
  button({ class: "pe-btn small pe-enlarge", title: "Enlarge over the whole window", onclick: view.enlarged.open }, "⤢ Enlarge");

const closeButton = (view) => button({ class: "pe-btn small", title: "Close (Esc)", onclick: view.close }, "Close");
