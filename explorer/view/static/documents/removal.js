// Removing a document: what that changes is said before it is done.
function takeImpact(store, message) {
  if (store.documents.removing?.iri !== message.iri) return;
  store.documents.removing = { ...store.documents.removing, impact: message };
  store.tell("documents");
}

function takeGone(store, message) {
  const { iri, title, when } = message;
  if (iri !== store.documents.open) return;
  Object.assign(store.documents, { one: null, gone: { iri, title, when } });
  store.tell("documents");
}

function removeButton(store, { iri, title }) {
  const on = store.documents.removing?.iri === iri;
  const onclick = () => {
    store.documents.removing = on ? null : { iri, title, impact: null, words: false };
    if (!on) store.send({ t: "impact?", iri });
    store.tell("documents");
  };
  return button({ class: on ? "pe-btn small on" : "pe-btn small", "aria-expanded": String(on), onclick }, "Remove…");
}

function sureToRemove(store, act) {
  const { removing, open } = store.documents;
  if (!removing || removing.iri !== open) return null;
  const { iri, title, impact } = removing;
  if (removing.goes) return el("div", { class: "pe-removing pe-edged pe-quiet pe-anywhere", role: "status" }, `Removing “${title}” …`);
  const end = (goes) => {
    store.documents.removing = goes ? { ...removing, goes } : null; // until Python says what is here now
    if (goes) store.send({ t: "remove", iri, words: removing.words });
    store.tell("documents");
  };
  return el(
    "div",
    { class: "pe-removing pe-stack pe-rigid pe-edged pe-scroll", role: "group", "aria-label": "What removing it changes" },
    el("b", { class: "pe-anywhere" }, `Remove “${title}”?`),
    impact ? impactLines(impact, removing, act) : el("span", { class: "pe-quiet", role: "status" }, "Looking up what that changes …"),
    el(
      "div",
      { class: "pe-row pe-slim" },
      button({ class: "pe-btn small", disabled: !impact, onclick: () => end(true) }, "Remove it"),
      button({ class: "pe-btn small", onclick: () => end(false) }, "Keep it"),
    ),
  );
}

function impactLines(impact, removing, act) {
  const { facts, kept, named, versions, used, uses, looked, texts } = impact;
  const go = facts === 1 ? "goes" : "go";
  const stay = kept ? `; ${kept === 1 ? "one stays" : `${kept.toLocaleString("en")} stay`}, as other documents say the same` : "";
  const more = facts - named.length;
  return [
    facts || kept
      ? el("details", {}, el("summary", {}, `${counted(facts, "fact")} ${go} with it${stay}.`), el("ul", { class: "pe-gone-facts" }, named.map((one) => el("li", { dir: "auto" }, one)), more > 0 && el("li", {}, `and ${more.toLocaleString("en")} more`)))
      : el("span", {}, "No fact goes with it."),
    uses
      ? el("details", { open: uses <= 3 }, el("summary", {}, `${counted(uses, "answer")} ${uses === 1 ? "quotes it. It stays" : "quote it. They stay"}; in place of the page ${uses === 1 ? "it says" : "they say"} that the source was removed.`), usedList(used, uses, act))
      : el("span", {}, "No answer quotes it."),
    onlyLooked(looked, uses),
    versions > 0 && el("span", {}, `${versions === 1 ? "The version before it goes" : `The ${versions} versions before it go`} too.`),
    texts > 0 &&
      el(
        "label",
        { class: "pe-top pe-slim" },
        el("input", { type: "checkbox", checked: removing.words, onchange: ({ target }) => (removing.words = target.checked) }),
        el("span", {}, `Also remove the words of it that answers quote (${counted(texts, "text")} of past answers). These do not come back with Undo.`),
      ),
    el("span", { class: "pe-quiet" }, "Undo brings all of it back as it was, as long as this app is open."),
  ];
}

function usedList(used, uses, act) {
  const run = ({ iri, question, when }) =>
    el("li", {}, button({ class: "pe-link pe-ell", onclick: () => act.past(iri), title: question }, question), " ", el("span", { class: "pe-quiet" }, whenOf(when)));
  return el("ul", { class: "pe-plain pe-used" }, used.map(run), uses > used.length && el("li", { class: "pe-quiet" }, `and ${uses - used.length} more`));
}

// Runs that found something in it and did not say it rest on others.
const onlyLooked = (looked, uses) =>
  looked > 0 && el("span", { class: "pe-quiet pe-fine" }, `${counted(looked, uses ? "more run" : "run")} only looked at it: nothing of it stands in the answer.`);

// In the place of a document that is not here any more: what that means, and what one can do.
function goneView(store) {
  const { gone, open, removed } = store.documents;
  if (!gone || gone.iri !== open) return null;
  const name = gone.title ? `“${gone.title}”` : "This document";
  const back = removed.find(({ iri }) => iri === open);
  const said = gone.when ? `${name} was removed ${whenOf(gone.when)}.` : `${name} is not here any more.`;
  const after = "Its pages and facts are not searched any more. Answers that quoted it say that their source was removed.";
  return [
    el("b", { class: "pe-anywhere pe-gone-from", dir: "auto" }, said),
    el("span", { class: "pe-gone-from" }, after),
    back ? undoRemoval(store, open, gone.title, "Undo: bring it back") : el("span", {}, "Add its file again to have it back."),
  ];
}
