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
      root.title = asks ? "Your question is on its way" : over ? "The answer is there: Finish ends the lesson" : running ? "Stop: what is shown stays on record" : "Ask (Enter)";
    },
  };
}
