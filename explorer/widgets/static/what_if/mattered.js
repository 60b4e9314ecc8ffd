// What mattered for the answer: it is asked again without each fact, passage or document, and each is rated by what is lost.
const MATTERED = { facts: "Facts", passages: "Passages", documents: "Documents" };
const SIGNS = { needed: "●", helped: "◐", "made no difference": "○", "not tried": "·" };

function takeMattered(store, message) {
  if (message.run !== store.run) return;
  store.mattered = message;
  store.tell("mattered");
}

const isAnswer = (store, { kind, id }) => looksOf(store, id).end && kind !== "Failure";

// On the answer: all that was rated; on a fact, a passage or a document its own rating.
function matteredRows(node, store, act) {
  const { mattered } = store;
  if ((isAnswer(store, node) || node.kind === "Sentence") && !node.level && store.state === "done" && (store.live || mattered))
    return labelled("What mattered", matteredOn(store, act), "broad");
  const own = ratingOf(store, node.id);
  return own ? labelled("Without it", [rated(own, own.verdict), el("span", { class: "pe-fine pe-quiet" }, ` ${lost(own)}`)]) : [];
}

const lost = ({ change }) => (change ? `${Math.round(change * 100)} % of the answer's sentences are lost` : "the answer says the same");

function matteredOn(store, act) {
  const { mattered } = store;
  const going = mattered?.state === "going";
  const ask = Object.entries(MATTERED).map(([over, word]) => {
    const on = mattered?.over === over;
    return button({ class: on ? "pe-btn small on" : "pe-btn small", "aria-pressed": String(on), disabled: going || store.bar?.running, onclick: () => act.matter(over) }, word);
  });
  const ways = store.live && el("div", { class: "pe-row pe-wrap pe-matter-ways" }, ask);
  if (!mattered) return [ways, el("p", { class: "pe-fine pe-quiet" }, "Asks again without each, and says what the answer loses.")];
  const rows = mattered.items.map((item) => matteredLine(item, store, act));
  const list = el("ul", { class: "pe-plain pe-matter" }, rows);
  return [ways, going && progressOf(mattered, act), el("p", { class: "pe-fine", role: "status" }, mattered.said.join(" ")), list, byline(mattered.author)];
}

function progressOf({ made, of, now }, act) {
  const bar = el("progress", { max: of, value: made, "aria-label": `${made} of ${of} runs` });
  const words = el("span", { class: "pe-fine pe-quiet pe-ell" }, `run ${made} of ${of}: ${now === "as it was" ? now : `without ${now}`}`);
  return el("div", { class: "pe-row pe-matter-ways" }, bar, words, button({ class: "pe-btn small", onclick: () => act.stop() }, "Stop"));
}

function matteredLine(item, store, act) {
  const link = item.node ? button({ class: "pe-link", onclick: () => act.select(item.node) }, item.text) : el("span", {}, item.text);
  const numbers = item.numbers.map((number) => el("span", { class: "pe-kept-as pe-rigid", title: "Its number in the answer" }, String(number)));
  const words = el("div", { class: "pe-top" }, leftBox(item.node, item.text, store), numbers, link);
  const odd = item.change !== null && item.cited === (item.change === 0); // cited for nothing, or it matters unseen
  const cited = item.cited ? "cited" : "not cited";
  return el("li", { class: odd ? "odd" : null }, words, rated(item, `${item.verdict}, ${cited}`));
}

function rated({ change, verdict }, text) {
  const share = Math.round((change ?? 0) * 100);
  const bar = el("span", { class: "pe-meter", "aria-hidden": "true" }, el("i", { style: { width: `${share}%` } }));
  return el("span", { class: "pe-fine pe-quiet pe-rated" }, bar, el("span", { "aria-hidden": "true" }, `${SIGNS[verdict] ?? ""} `), text);
}
