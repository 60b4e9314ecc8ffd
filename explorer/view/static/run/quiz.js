// "Which of these five would you keep?", asked before it is shown; what is right is what the run's record says.
function quizOn({ question, choices }, store, act) {
  const picked = new Set();
  const rows = choices.map((choice, at) => {
    const tick = (event) => (event.target.checked ? picked.add(at) : picked.delete(at));
    const box = el("input", { type: "checkbox", onchange: tick });
    const right = el("span", { class: "pe-quiz-more pe-fine" });
    const where = choice.where && el("span", { class: "pe-quiz-more pe-fine pe-quiet" }, choice.where);
    return { choice, box, right, line: el("li", {}, el("label", { class: "pe-top" }, box, el("span", {}, choice.text, where, right))) };
  });
  const said = el("b", { role: "status" });
  const check = button({ class: "pe-btn small", onclick: () => checkQuiz(rows, picked, said, check, store, act) }, "Compare with the run");
  const list = el("ul", { class: "pe-quiz pe-plain" }, rows.map(({ line }) => line));
  return el("fieldset", { class: "pe-quizzed" }, el("legend", {}, glossed(question, store)), list, el("div", { class: "pe-row pe-quiz-foot" }, check, said));
}

// What was ticked and what the run did, in words: [ticked][kept].
const COMPARED = {
  true: { true: "✓ You ticked it, and the run kept it", false: "✕ You ticked it, but the run did not keep it" },
  false: { true: "✕ You did not tick it, but the run kept it", false: "✓ You did not tick it, and the run did not keep it" },
};

function checkQuiz(rows, picked, said, check, store, act) {
  let same = 0;
  rows.forEach(({ choice, box, right, line }, at) => {
    const [ticked, agrees] = [picked.has(at), picked.has(at) === choice.kept];
    same += agrees;
    box.disabled = true;
    line.className = agrees ? "agrees" : "differs";
    const words = `${COMPARED[ticked][choice.kept]}${choice.score && `: score ${choice.score}`}.`;
    fill(right, el("b", {}, words), " ", glossed(choice.why, store));
  });
  check.hidden = true;
  fill(said, `You and the run agree on ${same} of ${rows.length}.`);
  bringLesson(act.view);
}
