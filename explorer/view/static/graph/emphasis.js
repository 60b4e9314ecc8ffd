// Everything that stays bright while something is selected: its path, what a step found, the ideas a fact fits, what it
// rests on and what rests on it, down to the sources and on to the sentences of the answer, also of all that a step kept;
// of a fold that is open all that stands in it.
function brightOf(store) {
  const selected = litNode(store);
  const path = store.selected || !selected ? store.path : pathThrough(store, selected, []);
  if (!selected || store.nodes.get(selected)?.kind === "Question") return null;
  const bright = new Set([...wayTo(store, selected, path), ...(store.nodes.get(selected).also ?? [])]);
  for (const kind of ["selected", "folded", "concept", "candidate"]) {
    for (const id of children(store, selected, kind)) bright.add(id);
  }
  const cited = [selected, ...children(store, selected, "says")].flatMap((id) => parents(store, id, "cites"));
  const kept = children(store, selected, "selected");
  for (const id of [...children(store, selected, "says"), ...closure(store, [selected, ...kept, ...cited], children)]) bright.add(id);
  for (const id of cited) for (const one of besides(store, id)) bright.add(one);
  const resting = looksOf(store, selected).source ? closure(store, [selected], parents) : [selected, ...kept];
  for (const id of resting) {
    bright.add(id);
    for (const said of children(store, id, "cites")) bright.add(said).add(parents(store, said, "says")[0]);
  }
  const { opens } = store.nodes.get(selected);
  if (opens && isUnfolded(store, opens)) for (const one of hereNodes(store)) if (spotIn(store, one, opens)) bright.add(one.id);
  return bright;
}

// The path that is lit. What an answer rests on is told by what it cites: of an agent's steps not by those before it.
function wayTo({ nodes, looks }, selected, path) {
  const told = nodes.get(selected).kind === "Sentence" || looks.kinds[nodes.get(selected).kind]?.end;
  const isStage = ({ kind }) => kind === "Question" || kind === "Sentence" || looks.kinds[kind]?.stage || looks.kinds[kind]?.end;
  return told ? path.filter((id) => isStage(nodes.get(id))) : path;
}

// The step that a folded run belongs to, and what came of it.
function besides(store, id) {
  if (store.nodes.get(id)?.kind !== "Run") return [];
  return [...parents(store, id, "derived"), ...children(store, id, "derived")];
}

// All that arcs to sources lead to from some nodes, one way or the other, with these.
function closure(store, from, next) {
  const all = new Set(from);
  for (const id of all) for (const one of next(store, id, "source")) all.add(one);
  return all;
}

// The colours of one node in one state: rest, path (on the lit path), selected, fresh (just arrived), dim or off (of a
// kind that is switched off). Dimmed kinds keep a trace of their hue, so that they can still be told apart.
function nodePaint(look, state, theme, colours) {
  const [fillColour, text, line] = look[theme];
  if (state === "off") {
    const faint = (colour) => mix(colour, colours.canvas, 0.8);
    return { fill: faint(fillColour), text: mix(colours.dim, colours.canvas, 0.5), line: faint(line), width: look.border };
  }
  if (state === "dim") {
    const share = look.solid ? 0.86 : 0.62;
    return {
      fill: mix(fillColour, colours.canvas, share),
      text: colours.dim,
      line: mix(line, colours.canvas, 0.62),
      width: look.border,
    };
  }
  const width = { selected: 3.5, fresh: 3, path: Math.max(2, look.border), rest: look.border }[state];
  return { fill: fillColour, text, line: ["selected", "fresh"].includes(state) ? colours.lit : line, width };
}

function channels(colour) {
  return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
}

function mix(from, to, share) {
  const [a, b] = [channels(from), channels(to)];
  const mixed = a.map((value, i) => Math.round(value + (b[i] - value) * share));
  return `#${mixed.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}
