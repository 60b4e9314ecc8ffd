// Limits of the engine that is picked, and what is left out: they open from the gear at the end of the stages, over what
// is below. Each field shows its default in grey.
function settingsView(store, act) {
  const words = el("span", {});
  const onclick = () => changeBar(store, { open: !store.bar.open });
  const toggle = button({ class: "pe-btn pe-row pe-rigid pe-gear", onclick }, gear(), words);
  const parts = [leftPart(store, act), presentedPart(store, act), limitsPart(store), askerPart(store)];
  const close = () => {
    toggle.focus();
    onclick();
  };
  const cross = signButton("×", "Close", close, { title: "Close (Esc)" });
  const panel = el("div", "pe-settings pe-tinted", cross, parts.map(({ root }) => root));
  const root = el("div", "pe-gears pe-row pe-rigid", toggle, panel);
  root.addEventListener("keydown", (event) => store.bar?.open && onEscape(close)(event));
  const draw = () => {
    root.hidden = !store.bar || (store.mode === "past" && !(store.bar.left.length && store.leaves === store.run));
    if (root.hidden) return;
    const { open, changed, left, further } = store.bar;
    const limits = changed ? `Limits · ${changed} changed` : "Limits";
    const without = left.length ? `${further ? "Next" : "What if"}: ${withoutWords(left)}` : "";
    press(toggle, "aria-expanded", open);
    toggle.classList.toggle("pe-without", left.length > 0);
    toggle.setAttribute("aria-label", joinWords([limits, without], ", "));
    toggle.title = `${limits}: ${act.presents ? "how it is answered, " : ""}how far to look, and what to leave out`;
    words.hidden = !changed && !without; // an empty one takes up the gap beside the icon
    fill(words, joinWords([changed || null, without]));
    const opens = open && (panel.hidden || (store.seeks && left.length > 0));
    panel.hidden = !open;
    for (const part of parts) part.draw(store.bar);
    if (!opens) return;
    store.seeks = false;
    panel.scrollIntoView({ block: "nearest", behavior: still() ? "instant" : "smooth" });
  };
  return { root, draw };
}

// What the ask bar has no room for while it is presented.
function presentedPart(store, act) {
  const parts = [howPart(store), toPastPart(act, store)];
  parts[0].root.classList.remove("pe-how"); // that is the one in the bar
  const root = el("div", "pe-presented pe-row pe-wrap", parts.map(({ root }) => root));
  return {
    root,
    draw(bar) {
      root.hidden = !act.presents || store.mode !== "ask";
      for (const part of parts) part.draw(bar);
    },
  };
}

function gear() {
  const ring = { cx: 8, cy: 8, fill: "none", stroke: "currentColor" };
  const teeth = svg("circle", { ...ring, r: 6, "stroke-width": 2.4, "stroke-dasharray": "2.356" });
  const wheel = svg("circle", { ...ring, r: 3.9, "stroke-width": 2.2 });
  return svg("svg", { class: "pe-icon", width: 16, height: 16, viewBox: "0 0 16 16", "aria-hidden": "true" }, teeth, wheel);
}

function limitsPart(store) {
  const keep = keeping();
  const onclick = () => {
    const usual = ({ kind, usual }) => (kind === "choice" || kind === "tick" ? usual : "");
    changeBar(store, { limits: Object.fromEntries(store.bar.limits.map((limit) => [limit.name, usual(limit)])) });
  };
  const reset = button({ class: "pe-btn", title: "Reset all limits to their defaults", onclick }, "Defaults");
  const most = el("b", "pe-limits-head pe-fine", "How far to look, at most");
  const group = groupOf("Limits", "pe-limits pe-row pe-wrap");
  const summary = el("summary", "pe-quiet", "Limits: how far to look");
  const root = el("details", "pe-limits-fold", summary, group);
  return {
    root,
    draw({ open, limits, changed, running, stale, left }) {
      const locked = running || Boolean(stale); // stale are the limits of the engine picked before
      root.hidden = !open || store.mode !== "ask";
      if (root.hidden) return;
      const beside = left.length > 0; // what is left out: that is what it was opened for
      if (summary.hidden === beside) root.open = !beside;
      summary.hidden = !beside;
      const fields = keep(limits.map((limit) => [limit.name + limit.tip, () => limitField(limit, store)]));
      fill(group, most, fields, reset);
      reset.classList.toggle("pe-away", !changed);
      reset.disabled = locked;
      for (const [at, field] of fields.entries()) {
        const control = field.querySelector("input, select");
        put(control, limits[at].value);
        control.disabled = locked;
        control.setAttribute("aria-invalid", String(limits[at].wrong));
      }
    },
  };
}

// Who asks, as on record; the same name judges and corrects.
function askerPart(store) {
  const tell = () => {
    store.by = input.value.trim();
    if (store.bar && store.bar.by !== store.by) changeBar(store, { by: store.by });
  };
  const onkeydown = (event) => event.key === "Enter" && tell();
  const input = el("input", { type: "text", dir: "auto", placeholder: "Your name (optional)", onchange: tell, onkeydown });
  const title = "Who asks: on record with each run that is asked from now on";
  const root = el("label", { class: "pe-field pe-asker pe-row pe-rigid pe-fine pe-quiet", title }, el("span", {}, "Asked by"), input);
  return {
    root,
    draw({ open, by, running }) {
      root.hidden = !open || store.mode !== "ask";
      put(input, by);
      input.disabled = running;
    },
  };
}

function limitField({ name, kind, words, tip, usual, choices }, store) {
  const tell = (value) => changeBar(store, { limits: { [name]: value } });
  const label = el("span", {}, words);
  if (kind === "tick") {
    const box = el("input", { type: "checkbox", onchange: () => tell(box.checked) });
    return el("label", { class: "pe-tick pe-row", title: tip }, box, label);
  }
  if (kind === "choice") {
    const options = choices.map(([one, meaning]) => el("option", { value: one }, meaning));
    const select = el("select", { onchange: () => tell(select.value) }, options);
    return el("label", { class: "pe-field pe-row pe-rigid pe-fine pe-quiet", title: tip }, label, select);
  }
  const onkeydown = (event) => event.key === "Enter" && tell(input.value); // Lab keeps the change that Enter makes
  const input = el("input", { type: "text", placeholder: usual, onchange: () => tell(input.value), onkeydown });
  return el("label", { class: `pe-number pe-row ${kind}`, title: tip }, input, label);
}
