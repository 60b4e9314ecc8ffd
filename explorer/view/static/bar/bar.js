// The ask bar: question, How, Model, Teach, Present, Ask which turns into Stop; below it what was refused. The question
// and Stop stay in sight while the notebook scrolls.
// Python holds its state. A control changes when Python says something new of it, so what is typed meanwhile stays.
const ANOTHER = "another…";

function barView(store, act) {
  const another = connectPart(store);
  const asking = [questionPart(store, act), goPart(store, act)];
  const choices = [howPart(store), modelPart(store, another), teachPart(act), toPastPart(act, store), presentPart(act)];
  const others = [doesPart(), another, withinPart(store), refusedPart(act)];
  const drawn = [...asking, ...choices, ...others];
  const rootsOf = (parts) => parts.map((part) => part.root);
  const row = el("div", "pe-ask pe-row", rootsOf(asking));
  const ways = el("div", "pe-ways pe-row pe-wrap", rootsOf(choices));
  const root = el("section", { class: "pe-bar", "aria-label": "Ask" }, row, ways, rootsOf(others));
  const isKept = ({ key }) => key === "Escape" && !act.presents; // the graph hears it too
  root.addEventListener("keydown", (event) => isKept(event) && event.stopPropagation());
  const draw = () => {
    const files = store.mode === "documents";
    root.hidden = !store.bar || !(store.mode === "ask" || (files && (store.documents.total > 0 || store.documents.text)));
    root.classList.toggle("beside-files", files);
    if (!root.hidden) for (const part of drawn) part.draw(store.bar);
  };
  return { root, draw };
}

function changeBar(store, { limits, ...shown }) {
  store.bar = { ...store.bar, ...shown, stale: Boolean(shown.how) }; // limits show by themselves what is typed in them
  const { question, how, model, open, teaches, quizzes, further, look, within, by } = shown;
  store.send({ t: "bar", question, how, model, limits, open, teaches, quizzes, further, look, within, by });
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
  const clear = () => {
    input.value = "";
    changeBar(store, { question: "" });
    input.focus();
  };
  const input = el("input", {
    type: "text",
    "aria-label": "Your question",
    placeholder: "Ask your documents",
    // not before the click is over that leaves the field: to draw parts anew under it would lose it
    onchange: (event) =>
      store.later(
        () => event.target.value !== store.bar.question && changeBar(store, { question: event.target.value }),
      )(),
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
      if (event.key !== "Escape" || !input.value || act.presents) return;
      event.stopPropagation();
      clear();
    },
  });
  const cross = signButton("×", "Clear the question", clear, { class: "pe-bare pe-clear" });
  const picker = el("select", {
    class: "pe-examples",
    "aria-label": label,
    title: label,
    onchange: () => {
      const { examples, beyond, earlier } = store.bar;
      changeBar(store, { question: [...examples, ...beyond, ...earlier][picker.value] });
      picker.selectedIndex = 0;
    },
  });
  return {
    root: el("div", "pe-field pe-row pe-rigid pe-fine pe-quiet pe-question", input, cross, picker),
    draw({ question, examples, beyond, earlier, running }) {
      put(input, question);
      if (running && !ran) {
        asked = question;
        fresh = true;
        if (document.activeElement === input) input.select();
      }
      ran = running;
      offer(picker, [examples, beyond, earlier], questionGroups);
    },
  };
}

function questionGroups(groups) {
  let at = 0;
  const option = (question) => el("option", { value: at++, title: question.slice(0, 1_000) }, shortened(question));
  const labels = ["Examples", "Not in these documents", "Earlier"];
  const made = labels.map((label, i) => groups[i].length > 0 && el("optgroup", { label }, groups[i].map(option)));
  const head = groups[0].length || !groups[2].length ? "Examples" : "Earlier";
  return [el("option", { value: "", hidden: true }, head), made];
}

const HOW = "How the question is answered";

function howPart(store) {
  const select = el("select", { onchange: () => changeBar(store, { how: select.value }) });
  const root = el("label", "pe-field pe-row pe-rigid pe-fine pe-quiet pe-how", el("span", {}, "How"), select);
  return {
    root,
    draw({ ways, how, does, running }) {
      offer(select, ways, optionsOf);
      root.title = does || HOW;
      put(select, how);
      select.disabled = running;
    },
  };
}

// What the way that is picked does, in a line; once it was asked by, its tooltip says it.
function doesPart() {
  const root = el("p", "pe-does pe-fine pe-quiet");
  let asked = "";
  return {
    root,
    draw({ does, running }) {
      if (running) asked = does;
      root.hidden = !does || does === asked;
      fill(root, does);
    },
  };
}

// A list of models, whose last line unfolds the fields for another one.
function modelPart(store, another) {
  const list = el("select", { onchange: () => (list.value === ANOTHER ? begin() : pick(list.value)) });
  list.addEventListener("focus", () => changeBar(store, { look: true }));
  const root = el("label", "pe-field pe-row pe-rigid pe-fine pe-quiet pe-model", el("span", {}, "Model"), list);
  const pick = (model) => changeBar(store, { model });
  const begin = () => {
    list.value = store.bar.model;
    another.open(list);
  };
  return {
    root,
    draw({ models, model, about, running }) {
      root.title = about;
      offer(list, [...new Set([...models, model, ANOTHER])], optionsOf);
      put(list, model);
      list.disabled = running;
    },
  };
}

function teachPart(act) {
  const title = "For a class: wait after each stage, and explain it";
  const root = button({ class: "pe-btn pe-teach", title, onclick: () => act.teach() }, "Teach");
  return { root, draw: ({ teaches }) => press(root, "aria-pressed", teaches) };
}

function press(root, attribute, on) {
  root.setAttribute(attribute, String(on));
  root.classList.toggle("on", on);
}

// Which documents alone are searched, each with a cross to search the others too.
function withinPart(store) {
  const root = groupOf("Documents that are searched", "pe-within pe-row pe-wrap pe-fine");
  const keep = keeping();
  const one = ([iri, title], within) => {
    const { [iri]: _, ...others } = within;
    const close = signButton("×", `Stop searching only ${title}`, () => changeBar(store, { within: others }), {
      title: "Search all documents",
    });
    return el("span", "pe-inline pe-slim", el("b", { class: "pe-ell", dir: "auto", title }, title), close);
  };
  return {
    root,
    draw({ within }) {
      const chosen = Object.entries(within);
      root.hidden = !chosen.length;
      const parts = keep(chosen.map((each) => [JSON.stringify([each, within]), () => one(each, within)]));
      fill(root, el("span", "pe-quiet", "Searched only:"), parts);
    },
  };
}

function refusedPart(act) {
  const root = el("div", { class: "pe-trouble-line pe-row pe-wrap pe-alarm", role: "alert" });
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
  store.send({ t: "ask", question });
  store.asking = store.live;
  store.tell("bar");
}

// The question was heard: a run began, or the bar says why not.
function takeAsked(store) {
  store.asking = false;
  store.tell("bar");
}

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
      const over = running && isLastLesson(store); // but for what is explained: the lesson ends it
      const asks = store.asking && !running;
      fill(root, asks ? "Asking …" : running && !over ? "■ Stop" : "Ask");
      root.classList.toggle("stop", running && !over);
      root.disabled = over;
      root.classList.toggle("asking", asks);
      root.title = asks
        ? "Your question is on its way"
        : over
          ? "The answer is there: Finish ends the lesson"
          : running
            ? "Stop: what is shown stays on record"
            : "Ask (Enter)";
    },
  };
}

// A model of one's own choice, below the ask bar: its name, and where it is with the key for that if it needs them.
// What is typed stays in these fields: it is sent once, and nothing of address and key comes back.
function connectPart(store) {
  const field = (words, label, more) => {
    const input = el("input", { type: "text", autocomplete: "off", spellcheck: "false", "aria-label": label, ...more });
    return el("label", "pe-field pe-row pe-rigid pe-fine pe-quiet", el("span", {}, words), input);
  };
  const fields = [
    field("Name", "Name of the model", { placeholder: "such as gpt-4o-mini" }),
    field("Address", "Address of the model", { placeholder: "the workspace’s, if empty" }),
    field("Key", "Key for the model", { type: "password", placeholder: "if it needs one" }),
  ];
  const inputs = fields.map((one) => one.querySelector("input"));
  let [opener, known] = [null, 0];
  const close = () => {
    const held = root.contains(document.activeElement);
    root.hidden = true;
    for (const input of inputs) input.value = "";
    if (held) opener.focus();
  };
  const use = () => {
    const [model, address, key] = inputs.map(({ value }) => value.trim());
    if (!model) return close();
    return store.send({ t: "connect", model, address, key });
  };
  const root = el(
    "div",
    {
      class: "pe-connect pe-row pe-wrap pe-tinted pe-edged",
      role: "group",
      "aria-label": "Another model",
      hidden: true,
    },
    fields,
    button({ class: "pe-btn", onclick: use }, "Use"),
    button({ class: "pe-btn", onclick: close }, "Cancel"),
    el("span", "pe-quiet", "Address and key stay in this kernel: they are not recorded and not saved."),
  );
  root.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
    else if (event.key === "Enter" && inputs.includes(event.target)) use();
  });
  return {
    root,
    open(from) {
      opener = from;
      root.hidden = false;
      inputs[0].focus();
    },
    draw({ connected, running }) {
      if (!root.hidden && (running || connected !== known)) close();
      known = connected;
    },
  };
}
