// "Which of these five would you keep?", asked before it is shown; what is right is what the run's record says.
// Who comes back to it finds it as it was left.
function quizOn(quiz, store, act) {
  const { question, choices } = quiz;
  const left = store.quizzed.get(quiz) ?? { picked: new Set(), compared: false };
  store.quizzed.set(quiz, left);
  const { picked } = left;
  const rows = choices.map((choice, at) => {
    const tick = (event) => (event.target.checked ? picked.add(at) : picked.delete(at));
    const box = el("input", { type: "checkbox", checked: picked.has(at), onchange: tick });
    const right = el("span", { class: "pe-quiz-more pe-fine" });
    const quote = choice.quote && el("q", { class: "pe-quiz-more pe-quiz-said" }, choice.quote);
    const where = choice.where && el("span", { class: "pe-quiz-more pe-fine pe-quiet" }, choice.where);
    return { choice, box, right, line: el("li", {}, el("label", { class: "pe-top" }, box, el("span", {}, choice.text, quote, where, right))) };
  });
  const said = el("b", { role: "status" });
  const compare = () => {
    left.compared = true;
    compareQuiz(rows, picked, said, store);
    check.hidden = true;
    root.classList.add("pe-compared");
  };
  const onclick = () => {
    compare();
    check.closest(".pe-asked-first").style.maxHeight = ""; // of what is told now all is brought into sight
    bringLesson(act.view);
  };
  const check = button({ class: "pe-btn small", onclick }, "Compare with the run");
  const list = el("ul", { class: "pe-quiz pe-plain" }, rows.map(({ line }) => line));
  const root = el("fieldset", { class: "pe-quizzed" }, el("legend", {}, glossed(question, store)), list, el("div", { class: "pe-row pe-quiz-foot" }, check, said));
  shadeWhileMore(root);
  if (left.compared) compare();
  return root;
}

// A shade at the lower edge of what scrolls around it, as long as there is more below.
function shadeWhileMore(root) {
  const shade = () => {
    const around = root.parentElement;
    if (!around) return;
    around.onscroll = shade;
    root.classList.toggle("pe-more-below", around.scrollHeight - around.scrollTop - around.clientHeight > 1);
  };
  const measured = new ResizeObserver(shade);
  measured.observe(root);
}

// What was ticked and what the run did, in words: [ticked][kept].
const COMPARED = {
  true: { true: "✓ You ticked it, and the run kept it", false: "✕ You ticked it, but the run did not keep it" },
  false: { true: "✕ You did not tick it, but the run kept it", false: "✓ You did not tick it, and the run did not keep it" },
};

const NOT_STATED = "– The run kept it, but its sentence does not say it outright: ticked or not, neither is wrong";

function compareQuiz(rows, picked, said, store) {
  const agreed = rows.map(({ choice }, at) => picked.has(at) === choice.kept);
  rows.forEach(({ choice, box, right, line }, at) => {
    box.disabled = true;
    line.className = choice.stated ? (agreed[at] ? "agrees" : "differs") : "open";
    const compared = choice.stated ? COMPARED[picked.has(at)][choice.kept] : NOT_STATED;
    fill(right, el("b", {}, `${compared}${choice.score && `: score ${choice.score}`}.`), " ", glossed(choice.why, store));
  });
  const counted = agreed.filter((_, at) => rows[at].choice.stated);
  fill(said, `You and the run agree on ${counted.filter(Boolean).length} of ${counted.length}.`);
}
