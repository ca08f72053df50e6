// This browser's own drafts, remembered here and nowhere else.

import { child, element, resize, text } from "./dom.js";

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

// Of drafts that are as their scenario was prepared, the last one opened: they are all the same.
export function keep({ id, name, prepared }) {
  const twin = (d) => d.id === id || (prepared && d.prepared && d.name === name);
  const list = [{ id, name, prepared, at: Date.now() }, ...remembered().filter((d) => !twin(d))];
  try {
    localStorage.setItem(KEY, JSON.stringify(list.slice(0, MOST)));
  } catch {
    // nothing is lost but a convenience
  }
}

export function show(parent, base) {
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
