// The ask bar: the question, below it in one line where, how and by which model it is answered, and Ask, which turns into
// Stop. It stays in sight while the notebook scrolls.
// Python holds its state. A control changes when Python says something new of it, so what is typed meanwhile stays.
const ANOTHER = "another…";

function barView(store, act) {
  const [question, way, go, refused] = [questionPart(store, act), wayPart(store, act), goPart(store, act), refusedPart(act)];
  const box = el("div", "pe-question pe-share pe-slim", question.root, way.root);
  const line = el("div", "pe-top pe-gap-l", box, go.root);
  const root = el("section", { class: "pe-bar pe-edged", "aria-label": "Ask" }, line, way.panel, refused.root);
  const isKept = ({ key }) => key === "Escape" && !act.presents; // the graph hears it too
  root.addEventListener("keydown", (event) => isKept(event) && event.stopPropagation());
  const draw = () => {
    const files = store.mode === "documents";
    const isTaught = act.presents && teaches(store) && (store.waiting || store.state === "running"); // it takes all room
    const isHere = store.mode === "ask" ? !isTaught : files && (store.documents.total > 0 || store.documents.text);
    root.hidden = !store.bar || !isHere;
    if (!root.hidden) for (const part of [question, way, go, refused]) part.draw(store.bar);
  };
  return { root, draw };
}

function changeBar(store, { limits, ...shown }) {
  store.bar = { ...store.bar, ...shown, stale: Boolean(shown.how) }; // limits show by themselves what is typed in them
  const { question, how, model, teaches, quizzes, further, look, within, by } = shown;
  store.send({ t: "bar", question, how, model, limits, teaches, quizzes, further, look, within, by });
  store.tell("bar");
}

function put(control, value) {
  if (control.told === value) return;
  control[control.type === "checkbox" ? "checked" : "value"] = control.told = value;
}

// Lines to pick from are made anew only when they are others.
function offer(select, lines, make) {
  const key = JSON.stringify(lines);
  if (select.offered === key) return;
  fill(select, make(lines));
  Object.assign(select, { offered: key, told: null });
}

const optionsOf = (lines) => lines.map((line) => el("option", { value: line }, modelWord(line)));

function questionPart(store, act) {
  const label = "Examples and earlier questions";
  let asked = ""; // the question that was asked last: as long as it stands here, typing replaces it
  let [fresh, ran] = [true, false]; // whether the next click here is the first since one left, or since it was asked
  const isAsked = () => Boolean(input.value) && [asked, store.answer.question].includes(input.value);
  const change = (question) => changeBar(store, { question });
  const input = el("input", {
    type: "search",
    "aria-label": "Your question",
    placeholder: "Ask your documents",
    // not before the click is over that leaves the field: to draw parts anew under it would lose it
    onchange: () => store.later(() => input.value !== store.bar.question && change(input.value))(),
    onfocus: () => isAsked() && input.select(),
    onmousedown: (event) => {
      if (fresh && isAsked()) {
        event.preventDefault(); // it would put the caret somewhere
        input.focus();
        input.select();
      }
      fresh = false;
    },
    onblur: () => (fresh = true),
    onkeydown: (event) => {
      if (event.key === "Enter" && !event.isComposing) act.ask(input.value);
      if (event.key === "ArrowDown") act.toAnswer(event);
      if (event.key === "Escape" && !act.presents) claim(event); // a browser would empty it
    },
  });
  const picker = el("select", {
    class: "pe-examples",
    "aria-label": label,
    title: label,
    onchange: () => {
      const { examples, beyond, earlier } = store.bar;
      change([...examples, ...beyond, ...earlier][picker.value]);
      picker.selectedIndex = 0;
      input.focus();
    },
  });
  return {
    root: el("div", "pe-row pe-written", input, picker),
    draw({ question, examples, beyond, earlier, running }) {
      put(input, question);
      if (running && !ran) {
        asked = question;
        fresh = true;
        if (focusIn(input)) input.select();
      }
      ran = running;
      picker.hidden = !(examples.length || beyond.length || earlier.length);
      offer(picker, [examples, beyond, earlier], questionGroups);
    },
  };
}

function questionGroups(groups) {
  let at = 0;
  const option = (question) => el("option", { value: at++, title: question.slice(0, 1_000) }, shortened(question));
  const labels = ["Examples", "Not in these documents", "Earlier"];
  const made = labels.map((label, i) => groups[i].length > 0 && el("optgroup", { label }, groups[i].map(option)));
  return [el("option", { value: "", hidden: true }), made];
}

const HOW = "How the question is answered";

const fieldOf = (words, control) => el("label", "pe-field pe-row pe-gap-l", el("span", "pe-quiet", words), control);

function howPart(store) {
  const select = el("select", { title: HOW, onchange: () => changeBar(store, { how: select.value }) });
  const does = el("span", "pe-fine pe-quiet");
  return {
    root: el("div", "pe-row pe-wrap", fieldOf("Strategy", select), does),
    draw(bar) {
      offer(select, bar.ways, optionsOf);
      put(select, bar.how);
      fill(does, bar.does);
    },
  };
}

// A list of models, whose last line unfolds the fields for another one.
function modelPart(store, another) {
  const onchange = () => {
    if (list.value !== ANOTHER) return changeBar(store, { model: list.value });
    list.value = store.bar.model;
    return another.open(list);
  };
  const list = el("select", { onchange, onfocus: () => changeBar(store, { look: true }) });
  return {
    root: fieldOf("Model", list),
    draw({ models, model, about }) {
      list.title = about;
      offer(list, [...new Set([...models, model, ANOTHER])], optionsOf);
      put(list, model);
    },
  };
}

function press(root, attribute, on) {
  root.setAttribute(attribute, String(on));
  root.classList.toggle("on", on);
}

// Which documents are searched: all, or those chosen, each with a cross to search the others too. All are on a list to
// choose from, which opens here.
function withinPart(store) {
  const [keep, ticking] = [keeping(), keeping()];
  const all = linkButton("Search all", () => changeBar(store, { within: {} }));
  const turn = () => {
    listed.hidden = !listed.hidden;
    choose.setAttribute("aria-expanded", String(!listed.hidden));
    if (listed.hidden) store.tell("bar");
    else askDocuments(store, "");
  };
  const choose = linkButton("Choose documents…", turn, { "aria-expanded": "false" });
  const search = searchField("Search titles and words", "Documents to choose", (text) => askDocuments(store, text));
  const ticks = el("ul", { class: "pe-plain pe-scroll pe-ticks", "aria-label": "Documents to choose from" });
  const listed = el("div", { class: "pe-stack", hidden: true }, search, ticks);
  const tick = ({ iri, title }, within) => {
    const { [iri]: chosen, ...others } = within;
    const onchange = () => changeBar(store, { within: chosen ? others : { ...others, [iri]: title } });
    const box = el("input", { type: "checkbox", checked: Boolean(chosen), onchange });
    return el("li", {}, el("label", "pe-row pe-slim", box, el("span", { class: "pe-ell", dir: "auto", title }, title)));
  };
  const list = el("span", "pe-row pe-wrap pe-share pe-slim pe-gap-l");
  const one = ([iri, title], within) => {
    const { [iri]: _, ...others } = within;
    const close = signButton("×", `Stop searching only ${title}`, () => changeBar(store, { within: others }), { title: null });
    return el("span", "pe-inline pe-slim pe-gap-s", el("b", { class: "pe-ell", dir: "auto", title }, title), close);
  };
  const scope = groupOf("Documents that are searched", "pe-field pe-row pe-gap-l", el("span", "pe-quiet", "Scope"), list);
  const offerAll = ({ list: documents, total, text }, within) => {
    fill(ticks, ticking(documents.map((each) => [JSON.stringify([each.iri, each.title, within]), () => tick(each, within)])));
    if (!search.late) put(search, text);
    search.hidden = total === documents.length && !text;
  };
  return {
    root: el("div", "pe-stack", scope, listed),
    draw({ within }) {
      if (!listed.hidden) offerAll(store.documents, within);
      const chosen = Object.entries(within);
      const parts = keep(chosen.map((each) => [JSON.stringify([each, within]), () => one(each, within)]));
      const named = listed.hidden ? parts : counted(chosen.length, "document"); // what is ticked next stays where it is
      fill(list, chosen.length ? [named, all] : "all documents", choose);
    },
  };
}

function refusedPart(act) {
  const root = el("div", { class: "pe-trouble-line pe-edged pe-row pe-gap-l pe-wrap pe-alarm", role: "alert" });
  let last = null;
  return {
    root,
    draw({ trouble, details }) {
      root.hidden = !trouble;
      const key = JSON.stringify([trouble, details]);
      if (key === last) return;
      last = key;
      if (trouble) requestAnimationFrame(() => act.refused(root)); // it may have scrolled away
      fill(root, trouble && el("span", "pe-share pe-slim pe-anywhere", trouble), details && unfolding(details));
    },
  };
}

const unfolding = (details) => foldOf("Details", el("pre", {}, details));

// The button that asks, and turns into Stop. A kernel that is busy hears a question late: the press shows at once.
function sendQuestion(store, question) {
  if (store.asking) return; // it is on its way
  if ([...store.typing].some((use) => use(question))) return; // with a model that is to be connected first
  store.send({ t: "ask", question });
  store.asking = store.live;
  store.tell("bar");
}

// The question was heard: a run began, or the bar says why not.
function takeAsked(store) {
  store.asking = false;
  store.tell("bar");
}

const GO = {
  asking: ["Asking …", "Your question is on its way"],
  running: ["■ Stop", "Stop: what is shown stays on record"],
  ready: ["Ask", "Ask (Enter)"],
};

function goPart(store, act) {
  const field = () => root.parentElement.querySelector(".pe-question input");
  const onclick = (event) => {
    if (event.detail > 1) return; // a double click means one
    if (store.bar.running) store.send({ t: "stop" });
    else act.ask(field().value);
  };
  const root = button({ class: "pe-btn go pe-go", onclick });
  return {
    root,
    draw({ running }) {
      const asks = store.asking && !running;
      const [words, title] = GO[asks ? "asking" : running ? "running" : "ready"];
      fill(root, words);
      Object.assign(root, { title });
      root.classList.toggle("stop", running);
      root.classList.toggle("asking", asks);
    },
  };
}

// A model of one's own choice, below the ask bar: its name, and where it is with the key for that if it needs them.
// What is typed stays in these fields: it is sent once, and nothing of address and key comes back. Who asks meanwhile asks
// the model that is typed, once it is connected.
function connectPart(store, act) {
  const field = (words, label, more) => {
    const input = el("input", { type: "text", autocomplete: "off", spellcheck: "false", "aria-label": label, ...more });
    return el("label", "pe-field pe-row pe-gap-l pe-rigid pe-fine pe-quiet", el("span", {}, words), input);
  };
  const fields = [
    field("Name", "Name of the model", { placeholder: "such as gpt-4o-mini" }),
    field("Address", "Address of the model", { placeholder: "the workspace’s, if empty" }),
    field("Key", "Key for the model", { type: "password", placeholder: "if it needs one" }),
  ];
  const inputs = fields.map((one) => one.querySelector("input"));
  let [opener, known, question] = [null, 0, null];
  const close = () => {
    const held = focusIn(root);
    root.hidden = true;
    store.typing.delete(useAnd);
    question = null;
    for (const input of inputs) input.value = "";
    if (held) opener.focus();
  };
  const use = (then = null) => {
    const [model, address, key] = inputs.map(({ value }) => value.trim());
    if (!model) return close();
    question = then;
    return store.send({ t: "connect", model, address, key });
  };
  const useAnd = (asked) => {
    const isTyped = Boolean(inputs[0].value.trim());
    if (isTyped) use(asked);
    return isTyped;
  };
  store.typing ??= new Set(); // the forms that are open, of each view one
  const root = groupOf(
    "Another model",
    "pe-connect pe-row pe-gap-m pe-wrap pe-tinted pe-edged",
    fields,
    button({ class: "pe-btn", onclick: () => use() }, "Use"),
    button({ class: "pe-btn", onclick: close }, "Cancel"),
    el("span", "pe-quiet", "Address and key stay in this kernel: they are not recorded and not saved."),
  );
  root.hidden = true;
  root.addEventListener("keydown", onEscape(close));
  root.addEventListener("keydown", (event) => event.key === "Enter" && inputs.includes(event.target) && use());
  return {
    root,
    open(from) {
      opener = from;
      root.hidden = false;
      store.typing.add(useAnd);
      inputs[0].focus();
    },
    draw({ connected, running }) {
      const [isNew, asked] = [connected !== known, question];
      known = connected;
      if (!root.hidden && (running || isNew)) close();
      if (isNew && asked !== null) act.ask(asked);
    },
  };
}
