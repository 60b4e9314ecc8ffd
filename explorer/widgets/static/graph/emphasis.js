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
