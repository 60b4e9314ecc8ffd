// The tabs of the app, and at their right what its workspace is and holds. Python turns to a tab, and says so.
const TURNS = { ask: { t: "asking" }, documents: { t: "shelf" }, past: { t: "past" } }; // which tab is asked for by which message
const MODES = Object.keys(TURNS);

function tabsView(store, act) {
  const turn = (mode) => {
    if (mode === "past" && store.mode === mode) return store.compare ? act.closeCompare() : act.runs(true);
    draw(mode); // at once, however busy the kernel is
    act.view.risen = null; // who turns to another does not stay where the run was
    tabs[MODES.indexOf(mode)].focus({ preventScroll: true });
    const message = TURNS[mode];
    store.send(message);
  };
  const tabs = MODES.map((mode) => button({ class: "pe-tab pe-bare", role: "tab", onclick: () => turn(mode) }));
  const onkeydown = (event) => {
    const at = tabs.indexOf(event.target);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: -1 }[event.key];
    if (to === undefined) return;
    claim(event);
    turn(MODES.at(to % MODES.length));
  };
  const list = el("div", { class: "pe-row pe-rigid", role: "tablist", "aria-label": "The app", onkeydown }, tabs);
  const size = el("span", "pe-ell pe-fine pe-quiet");
  const draw = (open = store.mode) => {
    for (const [at, tab] of tabs.entries()) {
      const isOpen = MODES[at] === open;
      fill(tab, store.heading.titles[at]);
      tab.setAttribute("aria-selected", String(isOpen));
      tab.tabIndex = isOpen ? 0 : -1;
    }
    fill(size, store.heading.size);
    size.title = store.heading.size;
  };
  const root = el("header", "pe-tabs pe-row pe-tinted pe-edged", list, grow(), size);
  list.hidden = !store.heading;
  return { root, draw: () => store.heading && draw() };
}
