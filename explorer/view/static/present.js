// Present, for a class at a projector: the view covers the window in larger type, until Escape or its entry in the menu.
// It stays on from the run to the comparison and back.
const ENLARGED = 1.5; // as --pe-size
const TAKES_KEYS = "input:not([type=checkbox]), select, textarea, [role=menu], [role=tab]";

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
    const isHere = root.contains(target) || target === document.body; // where a button that was pressed has gone
    const isElsewhere = !act.presents && !(isHere && key.startsWith("Arrow"));
    if (isElsewhere || ctrlKey || metaKey || altKey || walks || target.closest?.(TAKES_KEYS)) return;
    if (!parts.lesson.press(key)) return;
    claim(event);
  };
  const set = (on) => {
    place.style.minHeight = on ? `${root.offsetHeight}px` : ""; // the notebook stays where it is
    root.classList.toggle("presents", on);
    root.popover = on ? "manual" : null; // above all else, from wherever it stands in the page
    if (on) root.showPopover();
    if (on) act.unfold(false); // a class reads the source
    (on ? addEventListener : removeEventListener)("keydown", onKey, true);
    act.presents = on;
    Object.assign(graph, { ...FROM_THE_START, enlarged: on ? ENLARGED : 1 }); // fitted when its canvas is measured
    pane.fit();
    drawMode(view);
  };
  addEventListener("keydown", onLesson, true); // before Lab takes the key
  return {
    toggle: () => set(!act.presents),
    end: () => removeEventListener("keydown", onLesson, true),
    leave: () => {
      const on = act.presents;
      if (on) set(false);
      return on;
    },
  };
}
