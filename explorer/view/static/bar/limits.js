// Where, how and by which model a question is answered: one line below it, which opens what can be chosen.
function wayPart(store, act) {
  const another = connectPart(store, act);
  const parts = [withinPart(store), howPart(store), modelPart(store, another), another, limitsPart(store), askerPart(store)];
  const panel = groupOf("How it is answered", "pe-ways pe-scroll pe-stack pe-gap-m", parts.map(({ root }) => root));
  const words = el("span", { class: "pe-ell", dir: "auto" });
  const outside = (event) => event.composedPath().some((one) => one === panel || one === toggle) || turn(false);
  const turn = (open) => {
    panel.hidden = !open;
    if (open) document.addEventListener("pointerdown", outside);
    else document.removeEventListener("pointerdown", outside);
    press(toggle, "aria-expanded", open);
    draw(store.bar);
  };
  const look = "pe-bare pe-way pe-fine pe-quiet pe-row pe-gap-m";
  const toggle = button({ class: look, title: HOW, onclick: () => turn(panel.hidden) }, words, "▾");
  const close = () => {
    turn(false);
    toggle.focus();
  };
  for (const root of [panel, toggle]) root.addEventListener("keydown", (event) => !panel.hidden && onEscape(close)(event));
  const draw = (bar) => {
    fill(words, wayWords(bar));
    toggle.disabled = bar.running; // only the next question can be changed
    if (bar.running && !panel.hidden) turn(false);
    for (const part of panel.hidden ? [another] : parts) part.draw(bar);
  };
  panel.hidden = true;
  return { root: toggle, panel, draw };
}

// A strategy that was chosen is bold: it stays.
function wayWords({ within, how, ways, model, changed }) {
  const titles = Object.values(within);
  const scope = titles.length > 1 ? `${titles.length} documents` : (titles[0] ?? "all documents");
  const [strategy, more] = [how[0].toLowerCase() + how.slice(1), changed > 0 && ` · ${counted(changed, "limit")} changed`];
  return [`in ${scope} · `, how === ways[0] ? strategy : el("b", { title: `Chosen, not ${ways[0]}` }, strategy), ` · ${model}`, more];
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
  const root = el("details", {}, el("summary", "pe-quiet", "Limits"), group);
  return {
    root,
    draw({ limits, changed, stale }) {
      const locked = Boolean(stale); // of the engine picked before
      root.hidden = store.mode !== "ask";
      if (root.hidden) return;
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
  input.title = "Who asks: on record with each run that is asked from now on";
  return { root: fieldOf("Asked by", input), draw: ({ by }) => put(input, by) };
}

function limitField({ name, kind, words, tip, usual, choices }, store) {
  const tell = (value) => changeBar(store, { limits: { [name]: value } });
  const label = el("span", {}, words);
  if (kind === "tick") {
    const box = el("input", { type: "checkbox", onchange: () => tell(box.checked) });
    return el("label", { class: "pe-tick pe-row pe-gap-m", title: tip }, box, label);
  }
  if (kind === "choice") {
    const options = choices.map(([one, meaning]) => el("option", { value: one }, meaning));
    const select = el("select", { onchange: () => tell(select.value) }, options);
    return el("label", { class: "pe-field pe-row pe-gap-l", title: tip }, label, select);
  }
  const onkeydown = (event) => event.key === "Enter" && tell(input.value); // Lab keeps the change that Enter makes
  const input = el("input", { type: "text", placeholder: usual, onchange: () => tell(input.value), onkeydown });
  return el("label", { class: `pe-number pe-row pe-gap-m ${kind}`, title: tip }, input, label);
}
