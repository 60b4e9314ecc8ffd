// The audit of a run: its seal, what checking it finds, and the review of its answer, sentence by sentence.
const VERDICTS = ["supported", "not supported", "unclear"];
const CHECKED = "Checked are the record's form and links, each text, the quoted words at their place, the documents' bytes, and the seal.";
const VERDICT_SIGNS = { supported: "✓", "not supported": "✗", unclear: "?" };

// What can be audited has ended, and there is a kernel to ask.
const isAudited = (store) => Boolean(store.bar && store.answer.runs && ["done", "declined", "stopped"].includes(store.state));

function auditButton(store) {
  if (!isAudited(store)) return null;
  const toggle = () => {
    store.audits = !store.audits;
    store.tell("audited");
  };
  const title = store.audits ? "Close the audit" : "Seal, checks, and your verdict on each sentence";
  return toggleButton(store.audits, "Audit", toggle, { title, told: "aria-expanded" });
}

// The audit of the run that is on show; asked for once, and again after each verdict by Python.
function auditOf(store) {
  if (store.audit?.run === store.run) return store.audit;
  if (store.audit?.asked !== store.run) {
    store.audit = { asked: store.run };
    store.send({ t: "audit?", run: store.run });
  }
  return null;
}

function takeAudited(store, message) {
  if (message.run !== store.run) return;
  store.audit = { ...message, asked: store.run };
  store.tell("audited");
}

function takeReviewed(store, message) {
  if (message.run !== store.run) return;
  store.reviewed = message.badge;
  store.tell("reviewed");
}

// Each sentence once, in the order of the answer.
function judgedSentences(store) {
  const found = new Map();
  for (const run of store.answer.runs ?? []) {
    if (!run.node || !isSentence(store, run.node)) continue;
    found.set(run.node, (found.get(run.node) ?? "") + run.text);
  }
  return [...found].map(([node, text]) => ({ node, text: text.trim() }));
}

function verdictsOn(store, node) {
  return (store.audit?.rows ?? []).filter((judgement) => judgement.node === node);
}

// Behind a sentence stands what reviewers found, as long as the audit is open; it leads to their words.
function verdictSigns(store, node, act) {
  if (!store.audits || !isAudited(store)) return null;
  const standing = verdictsOn(store, node).filter(({ before }) => !before);
  return standing.map((judgement) => {
    const words = verdictWords(judgement);
    const read = () => {
      store.opensAudit = true;
      act.select(node);
      store.tell("audited");
      act.view.parts.audit.root.scrollIntoView({ block: "nearest" });
    };
    return linkButton(VERDICT_SIGNS[judgement.verdict] ?? judgement.verdict, read, {
      class: "pe-verdict pe-fine",
      title: words,
      "aria-label": words,
    });
  });
}

const verdictWords = ({ verdict, by, comment, when }) =>
  joinWords([by ? `${by}: ${verdict}` : verdict, by ? "" : "no name given", comment, whenOf(when)]);

function auditView(store, act) {
  const root = el("section", { class: "pe-stack pe-rigid pe-audit", "aria-label": "Audit", hidden: true });
  const comment = el("input", { type: "text", dir: "auto", "aria-label": "Comment", placeholder: "Comment, if any" });
  const who = el("input", {
    type: "text",
    dir: "auto",
    "aria-label": "Your name",
    placeholder: "Your name, if any",
    title: "Your name, to go on record",
  });
  who.addEventListener("input", () => (store.by = who.value));
  const said = el("span", { class: "pe-quiet", role: "status" });
  let [run, at] = ["", 0];
  const go = (to) => {
    const told = judgedSentences(store);
    at = Math.max(0, Math.min(to, told.length - 1));
    comment.value = "";
    if (told[at]) act.select(told[at].node);
    act.looking = false; // what one presses stays under the pointer, and what it shows is not scrolled to
    draw();
    root.focus({ preventScroll: true });
  };
  const judge = (verdict) => {
    const one = judgedSentences(store)[at];
    if (!one) return;
    store.send({ t: "judge", run: store.run, node: one.node, verdict, comment: comment.value, by: store.by ?? "" });
    comment.value = "";
  };
  root.tabIndex = -1;
  root.addEventListener("keydown", (event) => {
    if (event.target.tagName === "INPUT") {
      if (event.key !== "Escape") event.stopPropagation();
      return;
    }
    if (!store.opensAudit) return;
    const verdict = VERDICTS[Number(event.key) - 1];
    if (verdict) judge(verdict);
    else if (event.key === "ArrowRight") go(at + 1);
    else if (event.key === "ArrowLeft") go(at - 1);
    else return;
    claim(event);
  });
  const say = (words) => {
    fill(said, words);
    said.scrollIntoView({ block: "nearest" });
  };
  const fileButton = (format, name, title) => smallButton(name, () => wantFile(store, format, say), { title });
  const draw = () => {
    root.hidden = !store.audits || !isAudited(store);
    if (root.hidden) return;
    if (run !== store.run) {
      [run, at] = [store.run, 0];
      fill(said); // it was said of another run
    }
    if (who !== document.activeElement) who.value = store.by ?? "";
    const audit = auditOf(store);
    const isOpen = (store.opensAudit ??= innerHeight >= ROOMY);
    store.opensChecks ??= innerHeight >= ROOMY; // it unfolds by itself only where the graph is left enough room
    root.classList.toggle("folded", !isOpen);
    const line = auditLine(store, audit);
    if (!isOpen) return fill(root, line);
    const told = judgedSentences(store);
    const chosen = told.findIndex(({ node }) => node === store.selected || node === store.source?.said);
    if (chosen >= 0 && chosen !== at) {
      at = chosen; // what is judged is the sentence that one looks at
      comment.value = "";
    }
    const files = [
      fileButton("html", "Report", "Answer, sources, pages, verdicts and checks on one page, to print or to send"),
      fileButton("bundle", "Bundle", "Record, texts, documents and seals in one archive, which others can verify"),
    ];
    const typing = [comment, who].find((one) => one === document.activeElement); // another's verdict may come meanwhile
    fill(
      root,
      el("div", "pe-row pe-wrap pe-fine", line, grow(), files, said),
      told.length ? review(told) : el("p", "pe-quiet pe-fine", "The answer has no sentence to judge."),
      audit?.agreement.map((line) => el("p", "pe-fine", line)),
      foldLine(store, audit, "opensChecks", "pe-checks-line", "Seal and checks"),
      store.opensChecks && (audit ? checks(audit) : el("p", "pe-quiet pe-fine", CHECKING)),
    );
    if (typing && typing !== document.activeElement) typing.focus({ preventScroll: true });
    return root;
  };
  const review = (told) => {
    const one = told[Math.min(at, told.length - 1)];
    const mine = verdictsOn(store, one.node).findLast(({ by, before }) => !before && (by ?? "") === (store.by ?? ""))?.verdict;
    const press = (verdict, n) => {
      const word = `${verdict[0].toUpperCase()}${verdict.slice(1)}`;
      return toggleButton(verdict === mine, word, () => judge(verdict), { title: `Key ${n + 1}` });
    };
    return groupOf(
      "Review",
      "pe-stack",
      el(
        "div",
        "pe-row pe-wrap",
        el("b", "pe-fine", `Sentence ${at + 1} of ${told.length}`),
        signButton("‹", "Previous sentence", () => go(at - 1), { disabled: at === 0 }),
        signButton("›", "Next sentence", () => go(at + 1), { disabled: at >= told.length - 1 }),
        VERDICTS.map(press),
        comment,
        who,
      ),
      one.node !== store.selected && el("p", { class: "pe-fine pe-anywhere", dir: "auto" }, `“${one.text}”`),
      verdictsOn(store, one.node).map((judgement) => judgementLine(judgement)),
    );
  };
  return { root, draw };
}

const ROOMY = 1000; // px: a lower window has no room for all of an audit beside answer and graph

// One line that opens and folds what is below it: folded it says what checking found, and the seal.
function foldLine(store, audit, kept, name, words, title = null) {
  const isOpen = store[kept];
  const onclick = () => {
    store[kept] = !isOpen;
    store.tell("audited");
  };
  const props = { class: `${name} pe-row pe-fine`, "aria-expanded": String(isOpen), title, onclick };
  return button(props, el("span", { "aria-hidden": "true" }, isOpen ? "▾" : "▸"), el("b", "pe-line", words), !isOpen && foundWords(audit));
}

function auditLine(store, audit) {
  const isOpen = store.opensAudit;
  const title = isOpen ? "Fold the audit to this line" : "Judge each sentence, and see what was checked";
  return foldLine(store, audit, "opensAudit", "pe-audit-line", isOpen ? "Audit of this run" : "Audit", title);
}

const CHECKING = "Checking the record …";
function foundWords(audit) {
  const { stands, checked = [], sound, seal, sealed } = audit ?? {};
  const found = checked.length > 1 ? `${checked.length} findings` : (checked[0] ?? CHECKING);
  const words = [
    stands,
    sound && checked.length === 1 ? found.split(". ")[0].replace(/\.$/, "") : found,
    seal,
    sealed && whenOf(sealed),
  ].filter(Boolean);
  return el("span", audit && !sound ? "pe-ell pe-alarm" : "pe-ell", words.join(" · "));
}

// What was changed later stands below what it was changed to.
const judgementLine = (judgement) =>
  el(
    "p",
    { class: judgement.before ? "pe-fine pe-anywhere pe-quiet" : "pe-fine pe-anywhere", dir: "auto" },
    `${judgement.before ? "before: " : `${VERDICT_SIGNS[judgement.verdict] ?? ""} `}${verdictWords(judgement)}`,
  );

function checks({ stands, made, by, seal, anchor, sealed, sender, checked, sound, history }) {
  return el(
    "dl",
    "pe-fine pe-checks",
    el("dt", {}, "Seal"),
    el("dd", { class: "pe-anywhere", title: anchor }, happened(joinWords([seal, whenOf(sealed)]), history)),
    el("dt", {}, "Asked"),
    el("dd", "pe-anywhere", `${by} · ${made}`),
    sender.map((line) => [el("dt", {}, "Sender"), el("dd", "pe-anywhere", line)]),
    el("dt", {}, "Checked"),
    el(
      "dd",
      sound ? "pe-anywhere" : "pe-anywhere pe-alarm",
      stands && el("div", {}, stands),
      checked.map((line) => el("div", {}, line)),
      el("div", "pe-quiet", CHECKED),
    ),
  );
}

// How it was sealed; where more has happened to it since, that is told below, unfolded.
function happened(sealed, history) {
  if (history.length < 2) return sealed;
  const words = ({ when, what, by }) => joinWords([whenOf(when), what, by && `by ${by}`]);
  const lines = history.map((one) => el("div", { dir: "auto" }, words(one)));
  return foldOf(`${sealed} · history (${history.length})`, lines);
}
