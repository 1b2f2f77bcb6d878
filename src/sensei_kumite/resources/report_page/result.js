"use strict";
// One result: its line, and what opens below it. `facts` and `details` come as names with texts.

const LABELS = {
  breached: "Breached",
  potential: "Potential",
  error: "Error",
  resilient: "Resilient",
  skipped: "Skipped",
};
const LONG = 4000;
const AROUND_EVIDENCE = 400;

/** The list item of a result. Its body is made when it is first opened; `onToggle` hears of every change. */
function resultItem(result, { isOpen, isPrinted, onToggle }) {
  const body = make("div", { className: "body", id: `body-${result.index}`, hidden: true });
  const button = make(
    "button",
    { type: "button", className: "line", "aria-expanded": "false", "aria-controls": body.id },
    make("span", { className: `badge ${result.status}` }, LABELS[result.status] || result.status),
    line("name", result.attack),
    line("id", result.case_id),
    line("reason", result.reason),
  );
  const heading = make("h3", {}, button);
  const item = make("li", { className: "result", id: `result-${result.index}` }, heading, body);
  const show = (open) => {
    if (open && !body.hasChildNodes()) fillBody(body, result, isPrinted);
    body.hidden = !open;
    button.setAttribute("aria-expanded", String(open));
  };
  button.addEventListener("click", () => {
    show(body.hidden);
    onToggle(result, !body.hidden);
  });
  show(isOpen);
  return item;
}

function line(name, text) {
  const span = make("span", { className: name, dir: "auto" });
  appendText(span, text.slice(0, 300));
  return span;
}

function fillBody(body, result, isPrinted) {
  body.append(block("Reason", paragraph(result.reason)));
  if (result.errors.length) body.append(block("Errors", ...result.errors.map(paragraph)));
  body.append(block("Conversation", conversation(result, isPrinted)));
  if (result.search) body.append(block("Search", ...searchParts(result.search, result.status, isPrinted)));
  body.append(block("Facts", definitions(result.facts)));
  for (const [title, facts] of result.details) {
    body.append(make("details", {}, make("summary", {}, title), definitions(facts)));
  }
}

function block(title, ...content) {
  return make("section", {}, make("h4", {}, title), ...content);
}

function paragraph(text) {
  const node = make("p", { className: "text", dir: "auto" });
  appendText(node, text);
  return node;
}

function definitions(facts) {
  const list = make("dl", { className: "facts" });
  for (const [name, text] of facts) {
    const term = make("dt", { dir: "auto" });
    appendText(term, name);
    const value = make("dd", { dir: "auto", className: "text" });
    appendText(value, text);
    list.append(make("div", {}, term, value));
  }
  return list;
}

/** The messages in their order. The last one sent is the attack, and its answer is what was scored. */
function conversation(result, isPrinted) {
  const list = make("ol", { className: "conversation" });
  result.conversation.forEach(([user, assistant], place) => {
    const isAttack = result.unsent === undefined && place === result.conversation.length - 1;
    const quotes = isAttack ? result.quotes : [];
    list.append(message("user", isAttack ? "Attack" : "User", user, { isPrinted }));
    list.append(
      assistant === null
        ? noAnswer()
        : message("target", isAttack ? "Target, scored" : "Target", assistant, { quotes, isPrinted }),
    );
  });
  if (result.unsent !== undefined) {
    const speaker = result.status === "skipped" ? "Attack, skipped" : "Attack, not sent";
    list.append(message("user", speaker, result.unsent, { isPrinted }));
  }
  return list;
}

function noAnswer() {
  return make("li", { className: "message target none" }, "No answer came.");
}

/** One message; a long one is cut behind its evidence until one asks for the rest. */
function message(side, speaker, text, { quotes = [], isPrinted = false, longest = LONG } = {}) {
  const places = placesOf(quotes, text);
  const words = make("div", { className: "text", dir: "auto" });
  const name = make("span", { className: "speaker" }, speaker);
  const item = make("li", { className: `message ${side}` }, name, words);
  const lastMark = places.length ? places[places.length - 1][1] : 0;
  const shown = Math.max(longest, lastMark + AROUND_EVIDENCE);
  if (text.length <= shown + AROUND_EVIDENCE) {
    appendMarked(words, text, places);
    return item;
  }
  appendMarked(words, text.slice(0, shown), places);
  const rest = `${(text.length - shown).toLocaleString("en")} more characters`;
  if (isPrinted) item.append(make("p", { className: "rest" }, `… ${rest}`));
  else {
    const button = make("button", { type: "button" }, `Show ${rest}`);
    button.addEventListener("click", () => {
      appendText(words, text.slice(shown));
      button.remove();
    });
    item.append(button);
  }
  return item;
}
