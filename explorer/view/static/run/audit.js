// The audit of a run: the review of its answer, sentence by sentence, its seal, and what checking it finds.
const VERDICTS = { supported: "✓", "not supported": "✗", unclear: "?", irrelevant: "–" };
const CHECKED = "Checked: format, links, texts, quotations, document hashes, seal.";
const NOT_SEALED = " The seal is on the run; verdicts are written apart.";
const CHECKING = "Checking the record …";

// What can be audited has ended, and there is a kernel to ask.
const isAudited = (store) => Boolean(store.bar && store.answer.runs && ["done", "declined", "stopped"].includes(store.state));

// It begins at its first sentence, with the source of that open.
function turnAudit(store, act, on = !store.audits, node = judgedSentences(store)[0]?.node) {
  store.audits = on;
  if (on && node) act.select(node);
  store.tell("audited");
  if (!on || !isAudited(store)) return;
  const { root } = act.view.parts.audit;
  root.focus({ preventScroll: true }); // its keys are heard
  root.scrollIntoView({ block: "nearest" });
}

// The audit of the run that is on show; asked for once, and again after each verdict by Python.
function auditOf(store) {
  if (store.audit?.run === store.run) return store.audit;
  if (store.live && store.audit?.asked !== store.run) {
    store.audit = { asked: store.run };
    store.send({ t: "audit?", run: store.run });
  }
  return null;
}

function takeAudited(store, message) {
  store.audit = { ...message, asked: store.run };
  store.tell("audited");
}

function takeReviewed(store, message) {
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

const isCiting = (store, node) => store.answer.runs.some((run) => run.node === node && run.cites.length > 0);
const unjudged = (store, { node }) => `${isCiting(store, node) ? "" : "It cites no source. "}No verdict on it yet`;

const verdictsOn = (store, node) => (store.audit?.rows ?? []).filter((judgement) => judgement.node === node);

// What whoever judges here found of a sentence, as it stands.
const ownVerdict = (store, node) =>
  verdictsOn(store, node).findLast(({ by, before }) => !before && (by ?? "") === (store.by ?? ""))?.verdict;

// Behind a sentence stands what reviewers found, as long as the audit is open; it leads to their words.
function verdictSigns(store, node, act) {
  if (!store.audits || !isAudited(store)) return null;
  const standing = verdictsOn(store, node).filter(({ before }) => !before);
  return standing.map((judgement) => {
    const words = verdictWords(judgement);
    const props = { class: "pe-verdict pe-fine", title: words, "aria-label": words };
    return linkButton(VERDICTS[judgement.verdict] ?? judgement.verdict, () => turnAudit(store, act, true, node), props);
  });
}

const verdictWords = ({ verdict, by, comment, when }) =>
  joinWords([by ? `${by}: ${verdict}` : `${verdict} (no name given)`, comment, whenOf(when)]);

// What was changed later stands behind what it was changed to.
const judgementWords = (judgement) =>
  `${judgement.before ? "before: " : `${VERDICTS[judgement.verdict] ?? ""} `}${verdictWords(judgement)}`;

function auditView(store, act) {
  const typed = (label, placeholder) => el("input", { type: "text", dir: "auto", "aria-label": label, placeholder });
  const [comment, who] = [typed("Comment", "Comment (optional)"), typed("Your name", "Your name")];
  const said = el("span", { class: "pe-quiet", role: "status" });
  let [run, at, opens, judged] = ["", 0, false, new Set()]; // judged: here, whether or not Python has said so
  who.addEventListener("input", () => {
    store.by = who.value;
    judged.clear();
  });
  const look = "pe-stack pe-gap-s pe-rigid pe-audit pe-topped pe-fine";
  const root = el("section", { class: look, "aria-label": "Audit", tabindex: -1, hidden: true });
  const go = (to) => {
    const one = judgedSentences(store)[to];
    if (!one) return;
    at = to;
    comment.value = "";
    act.select(one.node);
    act.looking = false; // what one presses stays under the pointer
    act.view.parts.audit.draw();
    if (!focusIn(root)) root.focus({ preventScroll: true });
  };
  // A run that ends while the audit is open begins at its first sentence too; who types stays where they are.
  const begin = (node) => {
    if (run !== store.run || (store.selected && !store.byItself)) return;
    act.select(node);
    act.looking = false;
  };
  // It goes on to the next sentence without a verdict.
  const judge = (verdict) => {
    const told = judgedSentences(store);
    if (!told[at] || !store.live) return;
    const { node } = told[at];
    store.send({ t: "judge", run: store.run, node, verdict, comment: comment.value, by: store.by ?? "" });
    judged.add(node);
    const ahead = [...told.keys()].map((step) => (at + step) % told.length);
    go(ahead.find((one) => !judged.has(told[one].node) && !ownVerdict(store, told[one].node)) ?? at);
    root.focus({ preventScroll: true }); // no button looks pressed for the next sentence
  };
  root.addEventListener("keydown", (event) => {
    if (event.target.tagName === "INPUT") return event.key !== "Escape" && event.stopPropagation();
    const verdict = Object.keys(VERDICTS)[Number(event.key) - 1];
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (opens && event.key === "Escape") open();
    else if (verdict) judge(verdict);
    else if (step) go(at + step);
    else return;
    claim(event);
  });
  const open = () => {
    opens = !opens;
    act.view.parts.audit.draw();
  };
  const fileButton = (format, name, title) => smallButton(name, () => wantFile(store, format, (words) => fill(said, words)), { title });
  const draw = () => {
    root.hidden = !store.audits || !isAudited(store);
    if (root.hidden) return;
    const told = judgedSentences(store);
    if (run !== store.run) {
      [run, at, opens] = [store.run, 0, false];
      judged.clear();
      fill(said); // it was said of another run
      if (told.length && (!store.selected || store.byItself)) queueMicrotask(() => begin(told[0].node));
    }
    if (!focusIn(who)) who.value = store.by ?? "";
    const audit = auditOf(store);
    const chosen = told.findIndex(({ node }) => node === store.selected || node === store.source?.said);
    if (chosen >= 0 && chosen !== at) {
      at = chosen; // what is judged is the sentence that one looks at
      comment.value = "";
    }
    const typing = [comment, who].find(focusIn); // another's verdict may come meanwhile
    const line = el("span", { role: "status" }, store.reviewed?.text);
    const sign = el("span", { "aria-hidden": "true" }, opens ? "▾ " : "▸ ");
    const words = store.live || audit ? sealWords(audit) : "Not connected";
    const sealed = button({ class: "pe-seal pe-bare", "aria-expanded": String(opens), onclick: open }, sign, words);
    const files = [
      fileButton("html", "Report", "Answer, sources, pages, verdicts and checks on one page"),
      fileButton("bundle", "Bundle", "Record, texts, documents and seals in one archive, which its verify.py checks"),
    ];
    const judges = told.length ? review(told) : el("p", "pe-quiet", "The answer has no sentence to judge.");
    const lines = [el("div", "pe-row pe-gap-m", sealed, files), el("div", "pe-row pe-gap-m pe-wrap", line, grow(), said)];
    fill(root, judges, lines, opens && audit && checks(audit, judgementsOn(told)));
    if (typing && !focusIn(typing)) typing.focus({ preventScroll: true });
  };
  const judgementsOn = (told) => verdictsOn(store, told[at]?.node).map(judgementWords);
  const review = (told) => {
    const one = told[Math.min(at, told.length - 1)];
    const [mine, judgements] = [ownVerdict(store, one.node), judgementsOn(told)];
    const press = ([verdict, sign], n) => {
      const word = `${sign} ${verdict[0].toUpperCase()}${verdict.slice(1)}`;
      const props = { title: store.live ? `Key ${n + 1}` : "Not connected", disabled: !store.live, "aria-label": word.slice(2) };
      return toggleButton(verdict === mine, word, () => judge(verdict), props);
    };
    const line = [
      el("b", "pe-nowrap", `Sentence ${at + 1} of ${told.length}`),
      signButton("‹", "Previous sentence", () => go(at - 1), { title: "Previous sentence (←)", disabled: at === 0 }),
      signButton("›", "Next sentence", () => go(at + 1), { title: "Next sentence (→)", disabled: at >= told.length - 1 }),
      judgements.length === 0 && el("div", "pe-ell", unjudged(store, one)),
    ];
    return groupOf(
      "Review",
      "pe-stack pe-gap-s",
      el("div", "pe-row pe-gap-m", line),
      el("div", "pe-row pe-gap-m pe-wrap", Object.entries(VERDICTS).map(press)), // above what comes and goes: they stay in place
      el("div", "pe-row pe-gap-m", comment, who),
      judgements.map((words) => el("div", { class: "pe-anywhere", dir: "auto" }, words)),
      one.node !== store.selected && el("p", { class: "pe-anywhere", dir: "auto" }, `“${one.text}”`),
    );
  };
  return { root, draw };
}

// What is to be known of seal and checks without opening them.
function sealWords(audit) {
  if (!audit) return CHECKING;
  const { stands, checked, sound, seal, sealed } = audit;
  const found = sound ? "no fault found" : counted(checked.length, "fault");
  const since = sound && sealed ? `Record unchanged since ${dayAndTime(sealed)}: ${seal.toLowerCase()}` : `Record: ${seal}`;
  const title = "The record is as it was written; whether the answer is right is for you to judge";
  return el("span", { class: sound ? "pe-quiet" : "pe-alarm", title: sound ? title : null }, joinWords([stands, since, found]));
}

function checks({ stands, made, by, seal, anchor, sealed, signed, sender, checked, sound, history, agreement }, judgements) {
  const lines = (all) => all.map((words) => el("div", { dir: "auto" }, words));
  const row = (name, ...words) => [el("dt", "pe-quiet", name), el("dd", "pe-anywhere", words)];
  const still = sound && sealed ? `Unchanged since it was sealed, ${dayAndTime(sealed)}` : joinWords([seal, whenOf(sealed)]);
  return el(
    "dl",
    { class: "pe-checks pe-scroll", "aria-label": "Seal and checks" },
    row("Seal", still, ". ", signed, NOT_SEALED),
    anchor && row("Hash", el("code", {}, anchor)),
    row("Asked", `${by} · ${made}`),
    sender.map((line) => row("Sender", line)),
    row("Checked", el("div", sound ? null : "pe-alarm", lines([stands, ...checked].filter(Boolean))), el("div", "pe-quiet", CHECKED)),
    judgements.length > 0 && row("Verdicts on this sentence", lines(judgements)),
    agreement.length > 0 && row("Agreement", lines(agreement)),
    history.length > 1 && row("History", lines(history.map(({ when, what, by }) => joinWords([whenOf(when), what, by && `by ${by}`])))),
  );
}
