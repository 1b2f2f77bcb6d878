"use strict";
// Elements from texts. Nothing here or elsewhere reads a text as markup.

// What cannot be seen, or turns the text around it: shown by its code, and copied as it is.
// A joiner between letters or emoji is ordinary writing and left alone.
const UNSEEN = new RegExp(
  "[" +
    "\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f" + // control characters but tab and line feed
    "\\u00ad\\u034f\\u115f\\u1160\\u180e\\u200b\\u2060-\\u2065\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb" + // of no width
    "\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u206f" + // lines and directions
    "\\ud800-\\udfff\\u{e0000}-\\u{e0fff}" + // halves of characters, tags
    "]",
  "gu",
);
const MOST_MARKS = 500;

/** An element with its properties and attributes (`aria-*`, `data-*`, `role`, `dir`), and its children. */
function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** Where any of `quotes` stands in `text`: [start, end) in order, those that touch made one. */
function placesOf(quotes, text) {
  const found = [];
  for (const quote of quotes) {
    let at = text.indexOf(quote);
    while (at >= 0 && found.length < MOST_MARKS) {
      found.push([at, at + quote.length]);
      at = text.indexOf(quote, at + quote.length);
    }
  }
  found.sort((one, other) => one[0] - other[0]);
  const merged = [];
  for (const [start, end] of found) {
    const last = merged[merged.length - 1];
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged;
}

/** Append `text` to `node`, with the unseen made visible. */
function appendText(node, text) {
  let done = 0;
  for (const match of text.matchAll(UNSEEN)) {
    const code = match[0].codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
    node.append(text.slice(done, match.index));
    node.append(make("span", { className: "unseen", "data-code": `U+${code}` }, match[0]));
    done = match.index + match[0].length;
  }
  node.append(text.slice(done));
}

/** Append `text` to `node`, with the given places marked as evidence. */
function appendMarked(node, text, places) {
  let done = 0;
  for (const [start, end] of places) {
    appendText(node, text.slice(done, start));
    const mark = make("mark", { title: "Evidence" });
    appendText(mark, text.slice(start, end));
    node.append(mark);
    done = end;
  }
  appendText(node, text.slice(done));
}
