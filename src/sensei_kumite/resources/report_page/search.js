"use strict";
// What a dynamic attack tried: its facts, its tries, and the tree of a conversation that branched.

const LONGEST_IN_LIST = 1200;
const LONGEST_ON_PAPER = 300;
const SPEAKERS = { user: "User", assistant: "Target", system: "System" };
const SIDES = { user: "user", assistant: "target" };

/** The parts of the section on a search. */
function searchParts(search, status, isPrinted) {
  const { facts, notes, tries, more, tree } = search;
  const parts = [definitions(facts), ...notes.map(paragraph)];
  const kept = counted(tries.length + more, "try", "tries");
  parts.push(folded([kept], () => [tryList(tries, isPrinted), ...rest(more, "more try", "more tries")], { isPrinted }));
  if (tree) {
    const branches = tree.abandoned ? `, ${counted(tree.abandoned, "abandoned branch", "abandoned branches")}` : "";
    const title = `Conversation: ${counted(tree.messages, "message")}${branches}`;
    parts.push(folded([title], () => treeParts(tree, status, isPrinted), { isPrinted }));
  }
  return parts;
}

/** Every text of a search, to be searched. */
function searchTexts({ facts, tries, ids, tree }) {
  const tried = tries.flatMap((each) => [
    ...[each.input, each.response ?? "", ...each.errors],
    ...each.facts.map(([, text]) => text),
  ]);
  return [...ids, ...facts.map(([, text]) => text), ...tried, ...(tree ? threadTexts(tree.steps) : [])];
}

function threadTexts(steps) {
  return steps.flatMap(({ text, notes, branches }) => [
    ...[text ?? "", ...notes],
    ...branches.flatMap((branch) => threadTexts(branch.steps)),
  ]);
}

function counted(number, noun, nouns = `${noun}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? noun : nouns}`;
}

/** What the page does not hold. */
function rest(number, noun, nouns) {
  if (number === 0) return [];
  return [make("p", { className: "rest" }, `And ${counted(number, noun, nouns)}: the suite report has all.`)];
}

/** What opens at a click or a key, made when it first does; on paper it stands open below its title. */
function folded(title, fill, { isOpen = false, isPrinted = false } = {}) {
  if (isPrinted) return make("div", { className: "folded" }, make("p", { className: "title" }, ...title), ...fill());
  const details = make("details", { className: "folded" }, make("summary", {}, ...title));
  if (isOpen) details.append(...fill());
  else details.addEventListener("toggle", () => details.append(...fill()), { once: true });
  details.open = isOpen;
  return details;
}

function tryList(tries, isPrinted) {
  return make("ol", { className: "tries" }, ...tries.map((each) => tryItem(each, isPrinted)));
}

/** A try: a line, which is all that paper has of it, and what opens below. */
function tryItem(each, isPrinted) {
  const kind = each.status === "unjudged" ? "skipped" : each.status;
  const title = [
    make("span", { className: `badge ${kind}` }, LABELS[each.status] || "Unjudged"),
    make("span", { className: "number" }, each.name),
    line("input", each.input),
  ];
  if (isPrinted) return make("li", { className: "line" }, ...title);
  return make("li", {}, folded([make("span", { className: "line" }, ...title)], () => tryParts(each)));
}

function tryParts({ input, response, errors, facts }) {
  const messages = make("ol", { className: "conversation" }, message("user", "Sent", input, { longest: LONGEST_IN_LIST }));
  messages.append(
    response === null ? noAnswer() : message("target", "Target", response, { longest: LONGEST_IN_LIST }),
  );
  return [messages, ...errors.map(paragraph), definitions(facts)];
}

function treeParts(tree, status, isPrinted) {
  const isWon = status === "breached" || status === "potential";
  const path = isWon ? "the path that led to the breach" : "the last path that was tried";
  const dashed = tree.abandoned ? " Dashed: what was given up on the way." : "";
  const legend = `With a thick line: ${path}.${dashed}`;
  const note = make("p", { className: "legend" }, legend);
  return [note, thread(tree.steps, isPrinted), ...rest(tree.left_out, "more message")];
}

/** The messages of a thread below each other, each followed by the branches that were given up after it. */
function thread(steps, isPrinted) {
  const list = make("ol", { className: "thread" });
  for (const step of steps) {
    if (step.text !== null) list.append(treeMessage(step, isPrinted));
    for (const branch of step.branches) list.append(make("li", {}, abandoned(branch, isPrinted)));
  }
  return list;
}

function abandoned({ size, steps }, isPrinted) {
  const title = `Abandoned branch: ${counted(size, "message")}`;
  const branch = folded([title], () => [thread(steps, isPrinted)], { isOpen: true, isPrinted });
  branch.classList.add("abandoned");
  return branch;
}

function treeMessage({ role, text, notes }, isPrinted) {
  const longest = isPrinted ? LONGEST_ON_PAPER : LONGEST_IN_LIST;
  const item = message(SIDES[role] ?? "other", SPEAKERS[role] ?? (role || "Message"), text, { isPrinted, longest });
  if (notes.length) item.append(make("ul", { className: "notes" }, ...notes.map(noteItem)));
  return item;
}

function noteItem(text) {
  const item = make("li", { dir: "auto" });
  appendText(item, text);
  return item;
}
