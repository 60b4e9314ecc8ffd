// Words that a class may not know, explained below the text that they stand in, under the mouse and when they have the focus.
let glosses = 0; // numbered, so that each word can name its explanation

function glossed(text, { looks: { glossary = {} } }) {
  const meanings = new Map(Object.entries(glossary).map(([word, meaning]) => [word.toLowerCase(), meaning]));
  if (!meanings.size) return [text];
  const words = [...meanings.keys()].sort((a, b) => b.length - a.length);
  const parts = [];
  const told = new Set(); // each is explained once in a text
  let at = 0;
  for (const found of text.matchAll(new RegExp(`\\b(${words.join("|")})(?:e?s)?\\b`, "gi"))) {
    const word = found[1].toLowerCase();
    if (told.has(word)) continue;
    told.add(word);
    parts.push(text.slice(at, found.index), glossedWord(found[0], meanings.get(word)));
    at = found.index + found[0].length;
  }
  return [...parts, text.slice(at)];
}

function glossedWord(word, meaning) {
  const id = `explained-${++glosses}`;
  const tip = el("span", { class: "pe-gloss-tip pe-fine", role: "tooltip", id }, meaning);
  const show = () => {
    tip.hidden = false;
    const size = tip.currentCSSZoom ?? 1; // boxes are measured as they are seen, and placed as they are written
    const around = tip.closest(".pe-lesson-in");
    const [box, at, own] = [around, term, tip].map((one) => one.getBoundingClientRect());
    const told = (term.closest(".pe-quiz li") ?? around).getBoundingClientRect();
    tip.style.top = `${(told.bottom - box.top) / size}px`;
    tip.style.left = `${between(0, at.left - box.left, box.width - own.width - 8) / size}px`;
  };
  const onkeydown = (event) => {
    if (event.key !== "Escape" || tip.hidden) return;
    event.stopPropagation();
    tip.hidden = true;
  };
  const term = button({ class: "pe-glossed pe-bare", "aria-describedby": id, onkeydown, onfocus: show, onclick: show }, word);
  return el("span", { class: "pe-gloss", onpointerenter: show }, term, tip);
}

function lessonWords({ word, term, text, why, inside }, store) {
  const heading = pairOf({ word, term: term && glossed(term, store) });
  const within = inside && el("span", { class: "pe-pill pe-inline" }, "within the run");
  const reason = why && el("p", { class: "pe-fine" }, el("b", {}, "Why? "), glossed(why, store));
  return el("div", {}, el("p", {}, heading, within, " ", glossed(text, store)), reason);
}
