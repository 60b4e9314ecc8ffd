// Elements are made here and nowhere else. Text from documents, models and files only ever becomes a text node,
// so that markup in it is shown and never run.
const SVG = "http://www.w3.org/2000/svg";

// Of an element that has classes alone they stand in place of its properties.
function el(tag, given, ...children) {
  const node = document.createElement(tag);
  const props = typeof given === "string" ? { class: given } : (given ?? {});
  // Lab's one-letter shortcuts match the focused element before they look above it, so each such element says no.
  if (["button", "summary", "input", "select"].includes(tag) || props.tabindex !== undefined)
    node.setAttribute("data-lm-suppress-shortcuts", "true");
  return made(node, props, children);
}

const svg = (tag, props, ...children) => made(document.createElementNS(SVG, tag), props, children);

function made(node, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "style") Object.assign(node.style, value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...shown(children));
  return node;
}

const shown = (children) => children.flat(3).filter((child) => child !== null && child !== undefined && child !== false);

// What stays in its place is left alone: to put an element anew means to lay it out anew.
function fill(parent, ...children) {
  const wanted = shown(children);
  const staying = new Set(wanted);
  for (const child of [...parent.childNodes]) if (!staying.has(child)) child.remove();
  let at = parent.firstChild;
  for (const child of wanted) {
    if (child === at) at = at.nextSibling;
    else parent.insertBefore(typeof child === "object" ? child : document.createTextNode(child), at);
  }
  return parent;
}

// Gives elements by a key that tells all they say and do: what the last drawing had by the same key is given again.
function keeping() {
  let last = new Map();
  return (wanted) => {
    const now = new Map();
    for (const [key, make] of wanted) {
      let own = key;
      while (now.has(own)) own += " again";
      now.set(own, last.get(own) ?? make());
    }
    last = now;
    return [...now.values()];
  };
}

// A part that folds. Whether it is open is kept in `open` by its key, so that it stays so when it is drawn anew.
function folding(open, key, summary, ...children) {
  const onclick = () => (fold.open ? open.delete(key) : open.add(key));
  const fold = el("details", { class: "pe-fine", open: open.has(key) }, el("summary", { onclick }, summary), ...children);
  return fold;
}

const foldOf = (words, ...children) => el("details", {}, el("summary", {}, words), ...children);

const button = (props, ...children) => el("button", { type: "button", ...props }, ...children);

// What is heard here is for nobody around it, nor for the browser.
function claim(event) {
  event.preventDefault();
  event.stopPropagation();
}

// Enter in a field sends its form: JupyterLab keeps the browser from doing so.
const onEnter = (send) => (event) => {
  if (event.key !== "Enter" || event.target.tagName !== "INPUT") return;
  claim(event);
  send();
};

// Enter and the space bar press what is no button.
const onPress = (does) => (event) => {
  if (event.key !== "Enter" && event.key !== " ") return;
  claim(event);
  does();
};

// Escape closes the innermost part that is open.
const onEscape = (close) => (event) => {
  if (event.key !== "Escape") return;
  event.stopPropagation();
  close();
};

const inForm = (send, close) => (event) => {
  onEnter(send)(event);
  onEscape(close)(event);
};

// A field to search in: what is typed is sought once nobody has typed for a while.
const TYPED_FOR = 200; // ms

function searchField(placeholder, label, seek) {
  const ask = () => {
    input.late = null;
    seek(input.value.trim());
  };
  const oninput = () => {
    clearTimeout(input.late);
    input.told = input.value.trim(); // what is typed stays as it is
    input.late = setTimeout(ask, TYPED_FOR);
  };
  const input = el("input", { type: "search", placeholder, "aria-label": label, oninput });
  return input;
}

// What takes files that are chosen, out of sight: a button opens it.
function fileField(label, take, multiple = false) {
  const onchange = () => {
    take([...input.files]);
    input.value = "";
  };
  const input = el("input", { type: "file", multiple, hidden: true, "aria-label": label, onchange });
  return input;
}

// Beside what is large, and within text; `class` says more of its look.
const smallButton = (words, onclick, { class: more = "", ...props } = {}) =>
  button({ class: `pe-btn small ${more}`, onclick, ...props }, words);
const linkButton = (words, onclick, { class: more = "", ...props } = {}) =>
  button({ class: `pe-link ${more}`, onclick, ...props }, words);

// A small button with a sign on it; its label is what it is called, and what its tooltip says if nothing else is given.
function signButton(sign, label, onclick, props = {}) {
  return button({ class: "pe-btn small square", title: label, "aria-label": label, onclick, ...props }, sign);
}

// A button that is on or off; of one that opens something `told` is "aria-expanded".
function toggleButton(on, label, onclick, { told = "aria-pressed", ...props } = {}) {
  return button({ class: on ? "pe-btn small on" : "pe-btn small", [told]: String(on), onclick, ...props }, label);
}

// The number of a source within a text.
function citeButton(n, tip, onclick, { on = false, ...props } = {}) {
  const label = `Source ${n}: ${tip}`;
  return button({ class: on ? "pe-cite on" : "pe-cite", title: tip, "aria-label": label, onclick, ...props }, String(n));
}

// The look of a kind as a small picture, for chips, legend, list and breadcrumb. Colours come from CSS variables,
// so a change of theme needs no redrawing.
function icon(kind, looks, size = 16, { outcome, ...place } = {}) {
  const look = looks.kinds[kind] ?? looks.kinds.Unknown;
  const colour = outcome ? colourOf(look, outcome) : kind;
  const paint = {
    fill: `var(--pe-${colour}-fill)`,
    stroke: `var(--pe-${colour}-line)`,
    "stroke-width": 1.4,
    "stroke-dasharray": (looks.outcomes[colour] ?? look).dashes ? "3 2" : null,
  };
  const props = { class: "pe-icon", width: size, height: size, viewBox: "0 0 18 18", "aria-hidden": "true", ...place };
  return svg("svg", props, iconShapes(look, colour, paint));
}

const colourOf = ({ solid }, outcome) => (solid ? outcome : `${outcome}-part`); // as a part of an answer is paler

function iconShapes(look, colour, paint) {
  if (look.shape === "square") return [svg("rect", { x: 3, y: 3, width: 12, height: 12, ...paint })];
  if (look.shape === "hexagon") return [svg("path", { d: "M9 1.5 15.5 5.3v7.4L9 16.5 2.5 12.7V5.3z", ...paint })];
  const radius = Math.min(8, look.radius);
  const wide = look.stacked ? 14 : 16;
  const letter = { "font-size": 10.5, "font-weight": 700, "text-anchor": "middle", fill: `var(--pe-${colour}-text)` };
  const sign = svg("text", { x: 1 + wide / 2, y: 12.8, ...letter }, look.sign);
  const front = svg("rect", { x: 1, y: 2, width: wide, height: look.stacked ? 13 : 14, rx: radius, ...paint });
  if (!look.stacked) return [front, sign];
  return [svg("rect", { x: 4, y: 5, width: 13, height: 12, rx: 2, fill: paint.stroke, opacity: 0.45 }), front, sign];
}

// Who said it: a sign in a ring, and words.
function byline(author) {
  if (!author) return null;
  const ring = el("span", { class: "pe-ring pe-inline pe-rigid", "aria-hidden": "true" }, author.sign);
  const props = { class: "pe-by pe-inline pe-gap-s pe-slim pe-fine pe-quiet", title: author.text };
  return el("span", props, ring, el("span", {}, author.text));
}

const groupOf = (label, look, ...children) => el("div", { class: look, role: "group", "aria-label": label }, ...children);

const HEAD = "pe-head pe-lined pe-row pe-gap-l pe-rigid pe-slim pe-tinted";
const head = (title, ...rest) => el("div", HEAD, el("h3", {}, title), ...rest);

const grow = () => el("span", "pe-grow");

function nothing(title, ...lines) {
  const spans = lines.map((line) => el("span", {}, line));
  return el("div", "pe-nothing pe-row pe-stack pe-quiet", el("b", {}, title), ...spans);
}

// Where an event began, also for who hears it outside of a shadow, in which marimo puts the app.
const targetOf = (event) => event.composedPath()[0];

// What has the focus in a part, also within a shadow; null where nothing of it has.
function focusIn(part) {
  const held = part.getRootNode().activeElement;
  return part.contains(held) ? held : null;
}

// Redrawing replaces elements; whoever was on one of them is put on the one that took its place.
let putsFocusBack = false; // then nobody has come there

function keepingFocus(root, draw, otherwise) {
  return (...what) => {
    const held = focusIn(root);
    draw(...what);
    if (!held || held === root || root.contains(held) || focusIn(root)) return;
    putsFocusBack = true;
    (successor(root, held) ?? otherwise?.())?.focus({ preventScroll: true });
    putsFocusBack = false;
  };
}

function successor(root, held) {
  const nameOf = (node) => node.getAttribute("aria-label") ?? node.textContent;
  const open = [...root.querySelectorAll("button:enabled, input:enabled, select, [tabindex], summary")];
  const same = open.find((node) => node.tagName === held.tagName && nameOf(node) === nameOf(held));
  return same ?? open.find((node) => node.classList[0] === held.classList[0]) ?? open[0];
}

const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// Jupyter, VS Code, marimo and Colab say on their page that it is dark; a report, which is alone, is as the reader's
// screen is, and light on paper. The colours of both come from Python as one table.
const DARK = `:is([data-jp-theme-light="false"], [data-vscode-theme-kind="vscode-dark"],
  [data-vscode-theme-kind="vscode-high-contrast"], body.dark, [theme="dark"] > body)`;
const isSaved = () => document.body.matches(".pe-file");
const darkScreen = () => matchMedia("screen and (prefers-color-scheme: dark)");

function themeName() {
  const isDark = isSaved() ? darkScreen().matches : document.body.matches(DARK);
  return isDark ? "dark" : "light";
}

function watchTheme(changed) {
  const observer = new MutationObserver(changed);
  const attributeFilter = ["data-jp-theme-light", "data-jp-theme-name", "data-vscode-theme-kind", "class", "theme"];
  for (const page of [document.body, document.documentElement]) observer.observe(page, { attributeFilter });
  const screen = darkScreen();
  screen.addEventListener("change", changed);
  return () => {
    observer.disconnect();
    screen.removeEventListener("change", changed);
  };
}

function setColours(root, looks) {
  const theme = themeName();
  for (const one of [root, root.closest(".pe-file")]) if (one) one.dataset.theme = theme;
  for (const [name, look] of Object.entries({ ...looks.kinds, ...looks.outcomes })) {
    for (const [i, part] of ["fill", "text", "line"].entries())
      root.style.setProperty(`--pe-${name}-${part}`, look[theme][i]);
  }
}

// What is part of something that scrolls is brought into sight there, its beginning first; nothing around that moves.
function bringWithin(around, part) {
  if (!part || !around.clientHeight) return;
  const size = around.currentCSSZoom ?? 1; // boxes are measured as they are seen, and scrolled by as they are written
  const [of, own] = [around, part].map((one) => one.getBoundingClientRect());
  const down = Math.min(own.bottom - of.bottom, own.top - of.top);
  const by = own.top < of.top ? own.top - of.top : Math.max(0, down);
  if (by) around.scrollTop += by / size;
}
