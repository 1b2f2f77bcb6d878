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
  const item = make("li", { className: "result", id: `result-${result.index}` }, make("h3", {}, button), body);
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
  const turns = result.conversation.map(([user, assistant]) => ({ user, assistant }));
  if (result.prompt !== undefined) turns.push({ user: result.prompt, unsent: true });
  turns.forEach((turn, place) => {
    const isLast = place === turns.length - 1;
    const wasSent = !turn.unsent && result.status !== "skipped";
    list.append(message("user", isLast ? (wasSent ? "Attack" : "Attack, not sent") : "User", turn.user, [], isPrinted));
    if (turn.assistant !== null && turn.assistant !== undefined) {
      const marked = isLast ? placesOf(result.quotes, turn.assistant) : [];
      list.append(message("target", isLast ? "Target, scored" : "Target", turn.assistant, marked, isPrinted));
    } else if (wasSent) {
      list.append(make("li", { className: "message target none" }, "No answer came."));
    }
  });
  if (result.response) list.append(message("target", "Target, scored", result.response, placesOf(result.quotes, result.response), isPrinted));
  return list;
}

/** One message; a long one is cut behind its evidence until one asks for the rest. */
function message(side, speaker, text, places, isPrinted) {
  const words = make("div", { className: "text", dir: "auto" });
  const item = make("li", { className: `message ${side}` }, make("span", { className: "speaker" }, speaker), words);
  const lastMark = places.length ? places[places.length - 1][1] : 0;
  const shown = Math.max(LONG, lastMark + AROUND_EVIDENCE);
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
