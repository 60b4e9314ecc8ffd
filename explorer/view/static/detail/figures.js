// A score as a bar, and as the sum of the parts that it is made of.
function meter({ value, cutoff, mark = "Cut-off" }) {
  const bar = el(
    "span",
    { class: "pe-meter", role: "img", "aria-label": `Score ${value} of 1` },
    el("i", { style: { width: `${Math.max(0, Math.min(1, value)) * 100}%` } }),
  );
  if (cutoff !== null && cutoff !== undefined)
    bar.append(el("u", { style: { left: `${cutoff * 100}%` }, title: `${mark} ${cutoff.toFixed(2)}` }));
  return bar;
}

// A score as the parts it is made of, side by side; what takes away lies over the end of what came before it.
const DIGITS = 4; // as the record has them
const TINTS = ["first", "second", "third", "fourth", "fifth", "sixth"]; // more than any score has parts
const tintOf = (value, number) => (value < 0 ? "less" : TINTS[number % TINTS.length]);

function barOf(parts) {
  const bar = el("span", { class: "pe-meter wide", "aria-hidden": "true" });
  let at = 0;
  for (const [number, [, value]] of parts.entries()) {
    const style = { left: `${Math.min(at, at + value) * 100}%`, width: `${Math.abs(value) * 100}%` };
    bar.append(el("i", { class: tintOf(value, number), style }));
    at += value;
  }
  return bar;
}

function sumOf({ text }, rows) {
  const { parts, value } = rows.find((row) => row.k === "match");
  const term = ([name, part], number) => {
    const tint = el("i", { class: `pe-tint ${tintOf(part, number)}`, "aria-hidden": "true" });
    const sign = el("span", { class: "pe-sign" }, part < 0 ? "− " : number ? "+ " : "");
    return [el("span", {}, el("span", { class: "pe-nowrap" }, tint, sign, Math.abs(part).toFixed(DIGITS)), ` ${name}`), " "];
  };
  const total = el("b", { class: "pe-nowrap" }, `${parts.length ? "= " : ""}${value.toFixed(DIGITS)}`);
  return [el("div", { class: "pe-sum pe-fine" }, parts.map(term), total), el("span", { class: "pe-fine" }, text, " ")];
}
