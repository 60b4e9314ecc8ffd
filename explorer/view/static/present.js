// Present, for a class at a projector: the view covers the window, one column in larger type, until Escape or its button.
// It stays on from the run to the comparison and back. Of past runs it shows one, or the list of all.
const ENLARGED = 1.5; // as --pe-size

function presentPart(act, small = "") {
  const root = button({ class: `pe-btn pe-present ${small}`, onclick: () => act.present() });
  return {
    root,
    draw() {
      fill(root, act.presents ? "Leave Present" : "Present");
      root.title = act.presents ? "Back to the notebook (Esc)" : "Larger, over the whole window, for a class";
    },
  };
}

// Presented, one sees no tabs: what is past has a way back to the question.
function pastPresentPart(act, store) {
  const ask = smallButton("‹ Ask", () => store.send({ t: "asking" }), { title: "Back to Ask" });
  const present = presentPart(act, "small");
  return {
    root: el("span", "pe-inline pe-rigid pe-past-ways", ask, present.root),
    draw() {
      ask.hidden = !act.presents || !store.bar;
      present.draw();
    },
  };
}

// And from the question to what is past: in the ask bar, or where there is no room below the gear.
function toPastPart(act, store) {
  const onclick = () => {
    act.seeksRuns = true;
    store.send({ t: "past" });
  };
  const root = button({ class: "pe-btn pe-to-past", title: "All runs, to show one again or compare two", onclick }, "Past runs");
  return {
    root,
    draw() {
      root.hidden = !act.presents;
    },
  };
}

const listsAlone = (act, store) => act.presents && (act.lists || !isPlayed(store));

function listRuns(view, lists) {
  Object.assign(view.act, { lists, seeksRuns: false });
  if (view.act.presents) drawMode(view);
}

function presenting(view) {
  const { root, act, pane, graph, parts, store } = view;
  const place = root.parentElement;
  const onKey = (event) => {
    if (event.key !== "Escape" || root.contains(event.target)) return; // within, the view hears it itself
    claim(event);
    act.escape();
  };
  const onLesson = (event) => {
    const { ctrlKey, metaKey, altKey, key, target } = event;
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
    const buttons = [...root.querySelectorAll(".pe-present")];
    buttons.find((one) => one.offsetParent)?.focus({ preventScroll: true });
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
