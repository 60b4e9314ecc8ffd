// Present, for a class at a projector: the view covers the window in larger type, until Escape or its entry in the menu.
// It stays on from the run to the comparison and back.
const ENLARGED = 1.5; // as --pe-size

function presenting(view) {
  const { root, act, pane, graph, parts, store } = view;
  const place = root.parentElement;
  const onKey = (event) => {
    if (event.key !== "Escape" || root.contains(targetOf(event))) return; // within, the view hears it itself
    claim(event);
    act.escape();
  };
  const onLesson = (event) => {
    const { ctrlKey, metaKey, altKey, key } = event;
    const target = targetOf(event);
    const walks = target === graph.canvas && store.selected; // in the graph
    if (ctrlKey || metaKey || altKey || walks || target.closest?.("input:not([type=checkbox]), select, textarea")) return;
    if (!parts.lesson.press(key)) return;
    claim(event);
  };
  const set = (on) => {
    place.style.minHeight = on ? `${root.offsetHeight}px` : ""; // the notebook stays where it is
    root.classList.toggle("presents", on);
    if (on) root.setAttribute("popover", "manual"); // above all else, from wherever it stands in the page
    else root.removeAttribute("popover");
    if (on) root.showPopover?.();
    const listen = on ? addEventListener : removeEventListener;
    for (const does of [onKey, onLesson]) listen("keydown", does, true); // before Lab takes the key
    act.presents = on;
    Object.assign(graph, { ...FROM_THE_START, enlarged: on ? ENLARGED : 1 }); // fitted when its canvas is measured
    pane.fit();
    drawMode(view);
  };
  return {
    toggle: () => set(!act.presents),
    leave: () => {
      const on = act.presents;
      if (on) set(false);
      return on;
    },
  };
}
