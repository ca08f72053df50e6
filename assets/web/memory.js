// This browser's own drafts, remembered here and nowhere else.
// data: {keep: {id, name}, token} on every page with a draft, {token} where a teacher comes in; {show: true}
// on the start page.

import { child, element, resize, text } from "./dom.js";
import "./history.js";
import "./plot.js"; // so that the charts of the next page are there at once

const KEY = "epsilon-studio-drafts";
const MOST = 6;

function remembered() {
  try {
    const list = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(list) ? list.filter((d) => /^[0-9a-f]{12}$/.test(d.id)) : [];
  } catch {
    return []; // storage may be closed to us, or hold something else
  }
}

const COOKIE = "epsilon_visitor";
const cookie = () => document.cookie.match(/(?:^|; )epsilon_visitor=([0-9a-f]{32})/)?.[1];

let told;

// A random token that names this browser to the server and nobody else. On the first visit it is the one
// that the session has already, so that what was launched until now stays this browser's own.
function introduce(component, proposed) {
  const token = cookie() ?? proposed;
  document.cookie = `${COOKIE}=${token}; path=/; max-age=31536000; samesite=lax`;
  if (token !== proposed && token !== told) {
    told = token; // another tab was first; later connections send the cookie themselves
    component.setStateValue("token", token);
  }
}

// Tables scroll by themselves where they are too wide; so they must be within reach of the keyboard.
const reach = () =>
  document.querySelectorAll('[data-testid="stMarkdownContainer"] table').forEach((table) => {
    if (table.scrollWidth > table.clientWidth) table.tabIndex = 0;
    else table.removeAttribute("tabindex");
  });
let soon;
// measured when all is quiet: to ask for a width while charts are drawn would lay everything out again
new MutationObserver(() => {
  clearTimeout(soon);
  soon = setTimeout(reach, 400);
}).observe(document.body, { childList: true, subtree: true });
window.addEventListener("resize", reach);
reach();

export function render(component) {
  const { data, parentElement } = component;
  if (data.token) introduce(component, data.token);
  if (data.keep) keep(data.keep);
  if (data.show) show(parentElement, data.base);
}

function keep({ id, name }) {
  const list = [{ id, name, at: Date.now() }, ...remembered().filter((d) => d.id !== id)];
  try {
    localStorage.setItem(KEY, JSON.stringify(list.slice(0, MOST)));
  } catch {
    // nothing is lost but a convenience
  }
}

function show(parent, base) {
  const list = remembered();
  const note = child(parent, "p", "es-memory-empty");
  text(note, list.length ? "" : "Nothing yet: what you open is remembered in this browser.");
  const links = resize(child(parent, "ul", "es-memory"), list.length, () => {
    const item = element("li", "");
    item.append(element("a", ""), element("span", ""));
    return item;
  });
  links.forEach((item, i) => {
    const [link, when] = item.children;
    link.href = `${base}/train?draft=${list[i].id}`;
    link.target = "_self";
    text(link, list[i].name || "Untitled");
    text(when, new Date(list[i].at).toLocaleString([], { dateStyle: "medium", timeStyle: "short" }));
  });
}
