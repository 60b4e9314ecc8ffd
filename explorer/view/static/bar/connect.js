// A model of one's own choice, below the ask bar: its name, and where it is with the key for that if it needs them.
// What is typed stays in these fields: it is sent once, and nothing of address and key comes back.
function connectPart(store) {
  const field = (words, label, more) => {
    const input = el("input", { type: "text", autocomplete: "off", spellcheck: "false", "aria-label": label, ...more });
    return el("label", { class: "pe-field pe-row pe-rigid pe-fine pe-quiet" }, el("span", {}, words), input);
  };
  const fields = [
    field("Name", "Name of the model", { placeholder: "such as gpt-4o-mini" }),
    field("Address", "Address of the model", { placeholder: "the workspace’s, if empty" }),
    field("Key", "Key for the model", { type: "password", placeholder: "if it needs one" }),
  ];
  const inputs = fields.map((one) => one.querySelector("input"));
  let [opener, known] = [null, 0];
  const close = () => {
    const held = root.contains(document.activeElement);
    root.hidden = true;
    for (const input of inputs) input.value = "";
    if (held) opener.focus();
  };
  const use = () => {
    const [model, address, key] = inputs.map(({ value }) => value.trim());
    if (!model) return close();
    return store.send({ t: "connect", model, address, key });
  };
  const root = el(
    "div",
    {
      class: "pe-connect pe-row pe-wrap pe-tinted pe-edged",
      role: "group",
      "aria-label": "Another model",
      hidden: true,
    },
    fields,
    button({ class: "pe-btn", onclick: use }, "Use"),
    button({ class: "pe-btn", onclick: close }, "Cancel"),
    el("span", { class: "pe-quiet" }, "Address and key stay in this kernel: they are not recorded and not saved."),
  );
  root.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
    else if (event.key === "Enter" && inputs.includes(event.target)) use();
  });
  return {
    root,
    open(from) {
      opener = from;
      root.hidden = false;
      inputs[0].focus();
    },
    draw({ connected, running }) {
      if (!root.hidden && (running || connected !== known)) close();
      known = connected;
    },
  };
}
