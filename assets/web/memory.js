// This browser's own drafts, remembered here and nowhere else.
// data: {keep: {id, name}} on every page with a draft; {show: true} on the start page.

import { child, element, resize, text } from "./dom.js";
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

// A random token that names this browser to the server and nobody else; made up on the first visit.
function token() {
  const known = cookie();
  const bytes = known ? [] : crypto.getRandomValues(new Uint8Array(16));
  const value = known ?? Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
  document.cookie = `${COOKIE}=${value}; path=/; max-age=31536000; samesite=lax`;
  return { value, fresh: !known };
}

const me = token();

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
  if (data.keep && me.fresh && !me.told) {
    me.told = true; // later connections send the cookie themselves
    component.setStateValue("token", me.value);
  }
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
