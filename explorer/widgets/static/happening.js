// Until something is selected: what happens, newest first, and what the stage that has just ended was for.
function happening(store, act) {
  const running = store.state === "running";
  const lines = store.log.map((line) => logLine(line, running && line === store.log.at(-1), store));
  const pill = running && !store.frames && el("span", { class: "pe-pill" }, store.waiting ? "waiting" : "live");
  return [
    head(titleOfEvents(store, running), grow(), pill),
    el(
      "div",
      { class: "pe-body", tabindex: 0, "aria-label": "Events of the run" },
      explained(store, act) ??
        el(
          "p",
          { class: "pe-hint" },
          "Click anything in the graph or the answer to see what it is and where it comes from.",
        ),
      el("ul", { class: "pe-log" }, lines.reverse()),
    ),
    el("div", { class: "pe-foot" }, el("span", { class: "pe-quiet" }, kept(store))),
  ];
}

function titleOfEvents(store, running) {
  if (store.frames) return `At event ${store.at} of ${lastFrame(store)}`;
  return running ? "What is happening" : "What happened";
}

function kept({ frames, state }) {
  if (frames) return "Played from the record. Times are what the steps themselves took.";
  if (state === "running") return "Everything shown is already on record: Stop keeps it.";
  return "Everything shown is on record.";
}

function logLine(line, fresh, store) {
  return el(
    "li",
    { class: fresh ? "new" : null },
    icon(line.kind, store.looks, 16),
    el("span", { class: "pe-ell", title: line.text }, line.text),
    el("span", { class: "pe-quiet" }, line.at),
  );
}

// While one waits, and in a run that is played again, the stage that has ended; else the stage that is under way.
function explained(store, act) {
  const told = store.waiting || store.frames ? store.lesson : store.state === "running" && store.note;
  if (!told) return null;
  const ended = store.frames && store.at === lastFrame(store) && !store.waiting;
  if (ended) return null;
  return el(
    "div",
    { class: "pe-happens" },
    el("b", {}, `${told.term}. `),
    told.text,
    store.waiting &&
      el("div", { class: "pe-go-on" }, button({ class: "pe-btn go", onclick: () => act.next() }, "Next ›")),
  );
}
