// What was imported and is no run: a line for each record below the past runs. One of them is drawn: what something
// derives from is to the left of it, and a node says its statements.
const NODE = { wide: 170, high: 36 };
const PASSING = 14;

function takeDerivation(store, message) {
  const { t: _, ...told } = message;
  Object.assign(store.past, { derivation: told, node: null });
  store.tell("runs");
}

function recordsPart(store) {
  const root = el("section", { class: "pe-records pe-topped pe-scroll pe-rigid pe-stack pe-slim", "aria-label": "Imported, and no runs" });
  const draw = () => {
    const { records, derivation } = store.past;
    root.hidden = !records.length;
    const rows = records.map((record) => [recordRow(record, store), derivation?.iri === record.iri && drawnRecord(store)]);
    fill(root, el("b", "pe-fine pe-quiet", "Imported, and no runs"), rows);
  };
  return { root, draw };
}

function recordRow({ iri, label, holds }, store) {
  const open = store.past.derivation?.iri === iri;
  const onclick = () => (open ? takeDerivation(store, {}) : store.send({ t: "derivation?", iri }));
  const words = [el("span", { class: "pe-ell", dir: "auto" }, label), el("span", "pe-ell pe-fine pe-quiet", holds)];
  return button({ class: "pe-bare pe-row pe-gap-l pe-slim", title: iri, "aria-expanded": String(open), onclick }, words);
}

function drawnRecord(store) {
  const { derivation, node: chosen } = store.past;
  const { nodes, arcs, more } = derivation;
  const at = new Map(nodes.map((node) => [node.iri, node]));
  const places = [...nodes.map(({ x, y }) => [x, y]), ...arcs.flatMap(({ past }) => past)];
  const [wide, high] = [0, 1].map((n) => Math.max(...places.map((place) => place[n])));
  const lines = arcs.filter(({ to }) => to).map((arc) => derivedArc(arc, at, chosen));
  const size = { width: wide + NODE.wide + 4, height: high + NODE.high + 4 };
  const label = `Derivation: ${counted(nodes.length, "node")}`;
  const boxes = nodes.map((node) => derivedNode(node, store));
  const drawing = svg("svg", { ...size, role: "group", "aria-label": label }, ...lines, ...boxes);
  const rest = more > 0 && el("p", "pe-fine pe-quiet", `${more.toLocaleString("en")} more are not drawn.`);
  return el("div", "pe-stack", el("div", "pe-derived-room pe-scroll pe-rigid", drawing), rest, statements(store));
}

function derivedArc({ from, to, verb, past }, at, chosen) {
  const [a, b] = [at.get(from), at.get(to)];
  let [x, y] = [a.x + 2, a.y + NODE.high / 2];
  const curve = (u, v) => {
    const bend = Math.max(24, Math.abs(x - u) / 2);
    return `C${x - bend} ${y} ${u + bend} ${v} ${u} ${v}`;
  };
  let d = `M${x} ${y}`;
  for (const [left, top] of past) {
    d += `${curve(left + NODE.wide, top + PASSING / 2)}H${left}`;
    [x, y] = [left, top + PASSING / 2];
  }
  d += curve(b.x + NODE.wide, b.y + NODE.high / 2);
  const on = from === chosen || to === chosen;
  return svg("g", { class: `pe-derived-arc ${on ? "on" : ""}` }, svg("title", {}, `${a.label} ${verb} ${b.label}`), svg("path", { d }));
}

function derivedNode(node, store) {
  const { iri, label, kind, x, y } = node;
  const on = store.past.node === iri;
  const choose = () => {
    store.past.node = iri;
    store.tell("runs");
  };
  const press = { role: "button", tabindex: 0, onclick: choose, onkeydown: onPress(choose) };
  const props = { class: `pe-derived-node ${kind} ${on ? "on" : ""}`, ...press };
  const box = { x: x + 2, y: y + 2, width: NODE.wide - 4, height: NODE.high, rx: { Entity: 14, Activity: 0 }[kind] ?? 4 };
  const cut = label.length > 22 ? `${label.slice(0, 10)}…${label.slice(-11)}` : label; // what begins alike ends apart
  return svg(
    "g",
    { ...props, "aria-label": `${kind} ${label}`, "aria-pressed": String(on) },
    svg("title", {}, iri),
    svg("rect", box),
    svg("text", { x: x + 12, y: y + 15, class: "pe-derived-kind" }, kind),
    svg("text", { x: x + 12, y: y + 30 }, cut),
  );
}

// What the chosen node says, and what is said of it.
function statements({ past: { derivation, node: chosen } }) {
  const { nodes, arcs } = derivation;
  const node = nodes.find(({ iri }) => iri === chosen);
  if (!node) return el("p", "pe-fine pe-quiet", "What each rests on is to the left of it. A node says its statements.");
  const called = (iri) => nodes.find((one) => one.iri === iri)?.label ?? "something that is not named";
  const further = (told) => (told.length ? ` (${told.map((pair) => pair.join(" ")).join(", ")})` : "");
  const said = [
    ...node.told.map(([name, value]) => `${name}: ${value}`),
    ...arcs.filter(({ from }) => from === chosen).map(({ verb, to, told }) => `${verb} ${called(to)}${further(told)}`),
    ...arcs.filter(({ to }) => to === chosen).map(({ from, verb, told }) => `${called(from)} ${verb} this${further(told)}`),
  ];
  const lines = said.map((line) => el("li", { class: "pe-anywhere", dir: "auto" }, line));
  const head = el("p", "pe-anywhere", el("b", {}, `${node.kind} ${node.label}`), el("span", "pe-fine pe-quiet", ` ${node.iri}`));
  return el("div", { class: "pe-said pe-stack", "aria-live": "polite" }, head, el("ul", "pe-plain", lines));
}
