// What people write at a run: a name, tags and a note; and to delete it, which can be undone once.
function tagsOf({ tags }) {
  if (!tags.length) return null;
  const pill = (tag) => el("span", { class: "pe-tag pe-ell", dir: "auto", title: tag }, tag);
  return el("span", { class: "pe-tags pe-row pe-wrap pe-slim pe-fine" }, tags.map(pill));
}

function noteButton(run, store) {
  const open = store.past.noting?.iri === run.iri;
  const { iri, name, note } = run;
  const written = { name, tags: run.tags.join(", "), note };
  const draft = { iri, ...written, written, sure: false };
  const label = `Name, tags and note, or delete: ${name || run.question}`;
  const props = { "aria-expanded": String(open), title: "Name, tags, note, delete" };
  return signButton("✎", label, () => noteAt(store, open ? null : draft), props);
}

// What is being written stays, whatever else comes into the list meanwhile.
function noteAt(store, draft) {
  store.past.noting = draft;
  store.tell("runs");
}

// What was refused is there to be written otherwise.
function noteAgain({ past }) {
  past.noting ??= past.sent;
  past.sent = null;
}

function noteForm(run, store) {
  const draft = store.past.noting;
  const field = (tag, name, label) => {
    const input = el(tag, { "aria-label": label, dir: "auto", oninput: () => (draft[name] = input.value) });
    input.value = draft[name];
    return el("label", { class: "pe-stack pe-fine" }, el("span", { class: "pe-quiet" }, label), input);
  };
  const close = () => noteAt(store, null);
  const changed = (name) => (draft[name] === draft.written[name] ? null : draft[name]); // what another window wrote stays
  const save = () => {
    const [name, listed, note] = ["name", "tags", "note"].map(changed);
    const tags = listed === null ? null : listed.split(",");
    store.send({ t: "annotate", iri: run.iri, name, tags, note });
    store.past.sent = draft;
    close();
  };
  return el(
    "div",
    {
      class: "pe-note-form pe-stack",
      onkeydown: (event) => {
        if (event.key === "Enter" && event.target.tagName === "INPUT") save();
        if (event.key !== "Escape") return;
        event.stopPropagation();
        close();
      },
    },
    field("input", "name", "Name"),
    field("input", "tags", "Tags, with commas between"),
    field("textarea", "note", "Note"),
    el(
      "div",
      { class: "pe-row" },
      button({ class: "pe-btn small go", onclick: save }, "Save"),
      button({ class: "pe-btn small", onclick: close }, "Cancel"),
      grow(),
      button({ class: "pe-btn small", onclick: () => noteAt(store, { ...draft, sure: true }) }, "Delete …"),
    ),
    draft.sure && sureToDelete(run, store, draft),
  );
}

function sureToDelete(run, store, draft) {
  const onDelete = () => {
    store.past.ticked = store.past.ticked.filter((one) => one !== run.iri);
    store.send({ t: "delete", iri: run.iri });
    noteAt(store, null);
  };
  return el(
    "div",
    { class: "pe-sure pe-stack pe-alarm", role: "alert" },
    "Delete this run? Its question, steps and answer go, and its name, tags and note. Undo, above the list, brings it back " +
      "until another is deleted or the kernel stops. That there was a run, and when it was deleted, stays on record; a line below the list says so.",
    el(
      "div",
      { class: "pe-row" },
      button({ class: "pe-btn small", onclick: onDelete }, "Delete the run"),
      button({ class: "pe-btn small", onclick: () => noteAt(store, { ...draft, sure: false }) }, "Keep it"),
    ),
  );
}

function undoOf(store) {
  const { deleted } = store.past;
  if (deleted === null) return null;
  const undo = button({ class: "pe-link pe-rigid", onclick: () => store.send({ t: "undelete" }) }, "Undo");
  const { text, how, when } = deleted;
  const words = [how, whenOf(when)].filter(Boolean).join(" · ");
  return [el("span", { class: "pe-share pe-slim pe-anywhere" }, "Deleted: ", el("bdi", {}, text), el("span", { class: "pe-quiet" }, ` ${words}`)), undo];
}

// Below the list: that runs are deleted, and when the last of them was. What they said is gone.
function gonePart() {
  const title = "What they said is gone; `explorer ledger deleted` lists which they were, and when each was deleted";
  const root = el("p", { class: "pe-gone pe-rigid pe-fine pe-quiet", title });
  const draw = ({ count, last }) => {
    root.hidden = !count;
    fill(root, count === 1 ? `1 run was deleted, ${whenOf(last)}.` : `${count.toLocaleString("en")} runs were deleted, the last ${whenOf(last)}.`);
  };
  return { root, draw };
}
