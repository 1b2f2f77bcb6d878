"use strict";
// The results of the page: read, filtered, and shown a page at a time.

const PER_PAGE = 50;
const MOST_PRINTED = 100;
const NEED_A_READER = new Set(["breached", "potential", "error"]);
const RANKS = Object.keys(LABELS);

const byId = (id) => document.getElementById(id);
const search = byId("search");
const attack = byId("attack");
const order = byId("order");
const list = byId("list");

const attacks = readData("attacks");
const results = readData("results");
const opened = new Set();
const words = new Map();
const worstFirst = [...results].sort((one, other) => rank(one) - rank(other) || one.index - other.index);
let matching = [];
let page = 0;

function rank(result) {
  return RANKS.indexOf(result.status);
}

/** The items of all data elements of a kind, which are then no longer needed. */
function readData(kind) {
  const items = [];
  for (const element of document.querySelectorAll(`script.${kind}`)) {
    items.push(...JSON.parse(element.textContent));
    element.remove();
  }
  return items;
}

/** Every text of a result, without what the page calls them; made when it is first searched. */
function wordsOf(result) {
  if (!words.has(result.index)) {
    const { attack, case_id, reason, conversation, unsent, errors, facts, details, search: tried } = result;
    const named = [facts, ...details.map(([, values]) => values)].flat().map(([, text]) => text);
    const texts = [attack, case_id, reason, conversation.flat(), unsent, errors, named, tried ? searchTexts(tried) : []];
    words.set(result.index, texts.flat().join("\n").toLowerCase());
  }
  return words.get(result.index);
}

function wantedStatuses() {
  return new Set([...document.querySelectorAll("#statuses input:checked")].map((box) => box.value));
}

function filter() {
  const statuses = wantedStatuses();
  const terms = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const name = attack.value === "" ? null : attacks[Number(attack.value)];
  matching = (order.value === "worst" ? worstFirst : results).filter(
    (result) =>
      statuses.has(result.status) &&
      (name === null || result.attack === name) &&
      terms.every((term) => wordsOf(result).includes(term)),
  );
  page = 0;
  render();
}

function pageCount() {
  return Math.max(1, Math.ceil(matching.length / PER_PAGE));
}

function shownResults() {
  return matching.slice(page * PER_PAGE, (page + 1) * PER_PAGE);
}

function item(result, isPrinted = false) {
  return resultItem(result, {
    isPrinted,
    isOpen: opened.has(result.index) || (isPrinted && NEED_A_READER.has(result.status)),
    onToggle: (one, isOpen) => {
      if (isOpen) opened.add(one.index);
      else opened.delete(one.index);
      showAllButton();
    },
  });
}

function render() {
  const shown = shownResults();
  list.replaceChildren(...shown.map((result) => item(result)));
  byId("count").textContent = shown.length ? extent(shown.length) : "No result matches.";
  byId("page").textContent = `Page ${written(page + 1)} of ${written(pageCount())}`;
  byId("previous").disabled = page === 0;
  byId("next").disabled = page + 1 >= pageCount();
  showAllButton();
}

function areAllOpen() {
  return shownResults().every((result) => opened.has(result.index));
}

function written(number) {
  return number.toLocaleString("en");
}

/** Which of how many results are shown. */
function extent(shown) {
  const first = page * PER_PAGE + 1;
  const range = `${written(first)} to ${written(first + shown - 1)} of ${written(matching.length)}`;
  if (matching.length === results.length) return `${range} results`;
  return `${range} matching results (${written(results.length)} in all)`;
}

function showAllButton() {
  byId("all").textContent = areAllOpen() ? "Close all on this page" : "Open all on this page";
  byId("all").disabled = shownResults().length === 0;
}

function toggleAll() {
  const isClosing = areAllOpen();
  for (const result of shownResults()) {
    if (isClosing) opened.delete(result.index);
    else opened.add(result.index);
  }
  render();
}

function turnTo(number) {
  if (number < 0 || number >= pageCount()) return false;
  page = number;
  render();
  return true;
}

function lines() {
  return [...list.querySelectorAll("button.line")];
}

/** Show the result that the address names, without filters if they hide it. */
function followAddress() {
  const index = Number(/^#result-(\d+)$/.exec(location.hash)?.[1] ?? NaN);
  if (!results.some((result) => result.index === index)) return;
  if (!matching.some((result) => result.index === index)) clearFilters();
  opened.add(index);
  turnTo(Math.floor(matching.findIndex((result) => result.index === index) / PER_PAGE));
  const target = byId(`result-${index}`);
  target.scrollIntoView();
  target.querySelector("button.line").focus({ preventScroll: true });
}

function clearFilters() {
  search.value = attack.value = "";
  for (const box of document.querySelectorAll("#statuses input")) box.checked = true;
  filter();
}

function moveFocus(key) {
  const all = lines();
  const at = all.indexOf(document.activeElement);
  const steps = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 };
  if (key in steps) all[steps[key]]?.focus();
  else if (turnTo(page + (key === "ArrowRight" ? 1 : -1))) lines()[0]?.focus();
}

function onKey(event) {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const isTyping = ["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName);
  if (event.key === "/" && !isTyping) search.focus();
  else if (event.key === "Escape" && event.target === search) {
    search.value = "";
    filter();
  } else if (event.key === "Enter" && event.target === search) lines()[0]?.focus();
  else if (event.target.matches("button.line") && /^Arrow|^Home$|^End$/.test(event.key)) moveFocus(event.key);
  else return;
  event.preventDefault();
}

/** On paper stand the first results of the list, those open that somebody has to look at. */
function beforePrint() {
  const printed = matching.slice(0, MOST_PRINTED);
  list.replaceChildren(...printed.map((result) => item(result, true)));
  const rest = results.length - printed.length;
  byId("not-printed").hidden = rest === 0;
  byId("not-printed").textContent =
    `Not printed: ${written(rest)} further results. ` +
    `Paper takes the first ${MOST_PRINTED} that the filters let through.`;
}

function afterPrint() {
  byId("not-printed").hidden = true;
  render();
}

function addFilters() {
  attacks.forEach((name, place) => attack.append(make("option", { value: place }, name.slice(0, 80))));
  for (const [status, label] of Object.entries(LABELS)) {
    const number = results.filter((result) => result.status === status).length;
    const box = make("input", { type: "checkbox", value: status, checked: true, disabled: number === 0 });
    box.addEventListener("change", filter);
    const badge = make("span", { className: `badge ${status}` }, label);
    byId("statuses").append(make("label", {}, box, badge, ` ${written(number)}`));
  }
}

function listen() {
  search.addEventListener("input", filter);
  attack.addEventListener("change", filter);
  order.addEventListener("change", filter);
  byId("all").addEventListener("click", toggleAll);
  byId("previous").addEventListener("click", () => turnTo(page - 1));
  byId("next").addEventListener("click", () => turnTo(page + 1));
  document.querySelector("form.filters").addEventListener("submit", (event) => event.preventDefault());
  for (const button of document.querySelectorAll("button[data-attack]")) {
    button.addEventListener("click", () => {
      attack.value = button.dataset.attack;
      filter();
      byId("results").scrollIntoView();
      lines()[0]?.focus({ preventScroll: true });
    });
  }
  document.addEventListener("keydown", onKey);
  window.addEventListener("hashchange", followAddress);
  window.addEventListener("beforeprint", beforePrint);
  window.addEventListener("afterprint", afterPrint);
}

for (const part of document.querySelectorAll("[hidden].filters, [hidden].bar")) part.hidden = results.length === 0;
byId("empty").hidden = results.length > 0;
addFilters();
listen();
filter();
followAddress();
