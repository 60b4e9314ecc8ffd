// The limits of the engine that is picked, below the ask bar: each field shows its default in grey.
function limitsToggle(store) {
  const count = el("span", {});
  const onclick = () => changeBar(store, { open: !store.bar.open });
  const root = button({ class: "pe-btn pe-row pe-gear", onclick }, gear(), count);
  return {
    root,
    draw({ open, changed }) {
      const words = changed ? `Limits · ${changed} changed` : "Limits";
      press(root, "aria-expanded", open);
      root.setAttribute("aria-label", words);
      root.title = `${words}: how far to look`;
      count.hidden = !changed; // an empty one takes up the gap beside the icon
      fill(count, changed);
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
  const most = el("span", { class: "pe-quiet pe-line" }, "At most");
  const root = el("div", { class: "pe-limits pe-row pe-wrap pe-tinted pe-edged", role: "group", "aria-label": "Limits" });
  return {
    root,
    draw({ open, limits, changed, running, stale }) {
      const locked = running || Boolean(stale); // stale are the limits of the engine picked before
      root.hidden = !open;
      if (!open) return;
      const fields = keep(limits.map((limit) => [limit.name + limit.tip, () => limitField(limit, store)]));
      fill(root, most, fields, reset);
      reset.classList.toggle("pe-away", !changed);
      reset.disabled = locked;
      fields.forEach((field, at) => drawLimit(field.querySelector("input, select"), limits[at], locked));
    },
  };
}

function drawLimit(control, { value, wrong }, locked) {
  put(control, value);
  control.disabled = locked;
  control.setAttribute("aria-invalid", String(wrong));
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
