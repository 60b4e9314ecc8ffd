// An entity with its neighbours, drawn as runs are: itself on top, below it the facts, beside each its other end.
function openEntity(store, iri) {
  Object.assign(store.documents, { entity: null, wanted: iri });
  store.send({ t: "entity?", iri });
  store.tell("settled");
  store.tell("documents");
}

// What is on show stays until its newer state comes.
const entityAnew = (store) => store.send({ t: "entity?", iri: store.documents.wanted });

function closeEntity(store) {
  Object.assign(store.documents, { entity: null, wanted: null });
  store.tell("documents");
}

function takeEntity(store, message) {
  if (store.documents.wanted !== message.asked) return; // another window asked
  store.documents.entity = message;
  store.tell("documents");
}

function takeNobody(store, message) {
  if (store.documents.wanted !== message.asked) return;
  store.documents.entity = { gone: true, name: store.documents.entity?.name };
  store.tell("documents");
}

// The names on the page on view: what they are about is one click away.
const CHIPS = 12;

function entityChips(page, view) {
  const store = correctedHere(view, page);
  const { entities = [] } = page;
  if (!view.alone || !store || !entities.length) return null;
  const chip = ({ iri, name }) => {
    const props = { title: `What is said of ${name}`, onclick: () => openEntity(store, iri) };
    return button({ class: "pe-chip pe-ell pe-rigid", dir: "auto", ...props }, name);
  };
  const rest = restOf("span", entities.length, CHIPS, "pe-quiet pe-rigid");
  const chips = [el("span", "pe-quiet pe-rigid", "Named here:"), entities.slice(0, CHIPS).map(chip), rest];
  return groupOf("Named here", "pe-chips pe-topped pe-gap-m pe-row pe-wrap pe-rigid pe-fine", chips);
}

const ENTITY_LABEL =
  "The entity with its facts and neighbours. Arrow keys move between them, Enter opens one, L shows them as a list.";

function entityView(store, act) {
  const net = makeStore({ get: (name) => store[name], send: () => null });
  const { kinds } = store.looks;
  net.looks = { ...store.looks, kinds: { ...kinds, Concept: { ...kinds.Concept, word: "Name" } } }; // as no question has it
  let byKey = false;
  const go = (id) => {
    if (net.nodes.get(id)?.kind !== "Concept") openFact(store, id);
    else if (id !== store.documents.entity.iri) openEntity(store, id);
  };
  const own = {
    select: (id) => (byKey ? select(net, id) : go(id)),
    open: go,
    escape: () => closeEntity(store),
    ...scaling(() => graph, net),
    list: () => {
      store.documents.listed = !store.documents.listed;
      draw();
      if (store.documents.listed) (list.root.querySelector("button") ?? list.root).focus();
      else graph.canvas.focus();
    },
    find: () => null,
  };
  let graph = null; // made with the first entity
  const list = listView(net, { ...own, select: go });
  list.root.setAttribute("aria-label", "The entity as a list");
  list.root.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "l") return;
    claim(event);
    own.list();
  });
  const makeGraph = () => {
    graph = graphView(net, own);
    graph.canvas.ariaLabel = ENTITY_LABEL;
    graph.canvas.addEventListener("keydown", (event) => {
      byKey = true;
      keyInGraph(event, net, own);
      byKey = false;
    });
    net.listen((what) => ["selected", "columns"].includes(what) && redraw(graph, net));
    area.append(graph.canvas);
  };
  const head = el("div", `${HEAD} pe-wrap pe-source-head`);
  const foot = el("div", "pe-rigid");
  const area = el("div", "pe-stage-area pe-share", list.root);
  const none = el("div", { class: "pe-nothing pe-row pe-stack pe-quiet", hidden: true });
  const root = el("section", { class: "pe-panel pe-stack pe-share pe-slim pe-entity", "aria-label": "Entity" }, head, area, none, foot);
  const anew = changes();
  const draw = () => {
    const { entity, wanted, listed, one, gone, removed } = store.documents;
    root.hidden = !wanted;
    if (root.hidden || !anew("entity", entity, store.correcting, listed, one, gone, removed)) return;
    const told = entity && !entity.gone;
    fill(head, entityHead(entity, store, own.list));
    fill(foot, correctForm(store, "entity") ?? (told && entityFoot(entity)));
    area.hidden = Boolean(entity?.gone);
    none.hidden = !area.hidden;
    fill(none, entity?.gone && nobodySpeaks(entity, store));
    if (told && !graph) makeGraph();
    if (told && anew("drawn", entity)) showEntity(net, graph, entity);
    list.root.hidden = !listed;
    graph?.canvas.classList.toggle("pe-away", listed);
    list.draw();
  };
  return { root, draw };
}

function showEntity(net, graph, { iri, nodes, arcs }) {
  empty(net);
  Object.assign(net, { run: iri, state: "done" });
  forget(graph);
  takeIn(net, { nodes, arcs });
  net.seq += 1;
  Object.assign(graph, FROM_THE_START);
  showNew(graph, net, nodes, true);
}

function entityHead(entity, store, list) {
  const { one, open, listed } = store.documents;
  const back = smallButton(one && one.iri === open ? "‹ Back to the page" : "‹ Back", () => closeEntity(store));
  if (entity?.gone) return [back, el("h3", { class: "pe-ell", dir: "auto" }, entity.name ?? "")];
  if (!entity) return [back, el("span", { class: "pe-quiet", role: "status" }, "Looking it up …")];
  const { name, names, facts, documents } = entity;
  const others = names.length > 1 ? `also called ${names.slice(1).join(", ")} · ` : "";
  const told = `${others}${counted(facts, "fact")} in ${counted(documents, "document")}`;
  const correct = (target) => () => turnCorrecting(store, { place: "entity", entity: entity.iri, name, ...target });
  const rename = correct({ splits: false });
  const split = correct({ splits: true, others: names.slice(1), named: entity.named });
  const listing = { title: "The same as a list (L)", "aria-pressed": String(listed) };
  const renaming = { title: "Give it another name, or say that it is the same as something else" };
  const title = el("h3", { class: "pe-ell", dir: "auto", title: name }, name);
  const about = el("span", { class: "pe-quiet pe-line pe-ell", title: told }, told);
  const ways = [
    smallButton(listed ? "Graph view" : "List view", list, listing),
    smallButton("Rename…", rename, renaming),
    smallButton("Split…", split, { title: "It is two things that are called the same" }),
  ];
  return [back, el("span", "pe-row pe-gap-l pe-slim pe-grow", title, about), el("span", "pe-inline pe-wrap pe-slim pe-gap-l", ways)];
}

// What was removed, if that is why, when, and how it comes back.
function nobodySpeaks({ name }, store) {
  const said = name ? `No document here speaks of “${name}” any more.` : "No document here speaks of this any more.";
  return [el("b", { class: "pe-anywhere", role: "status", dir: "auto" }, said), goneView(store)];
}

function entityFoot({ neighbours, drawn }) {
  const rest = neighbours - drawn;
  const words = "Click a name to go there, a fact to see its words.";
  const more = rest > 0 ? ` Showing ${drawn} of ${neighbours.toLocaleString("en")} names.` : "";
  return el("div", "pe-foot pe-fine pe-quiet", words + more);
}

// The page that says it, with its words marked.
function openFact(store, key) {
  const { document, part } = store.documents.entity.places[key];
  if (!document) {
    store.tell("trouble", { text: "No document says this: it was added by hand.", details: null, closed: false });
    return;
  }
  store.documents.choose = key;
  Object.assign(store.documents, { entity: null, wanted: null });
  openDocument(store, document, part);
}
