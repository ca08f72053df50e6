// This browser's own drafts, remembered here and nowhere else.

import { child, fill, text } from "./dom.js";

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
  text(child(parent, "strong", "es-memory-title"), list.length ? "Your last drafts" : "");
  const link = ({ id, name, at }) => [
    ["a", { href: `${base}/train?draft=${id}`, target: "_self" }, name || "Untitled"],
    ["span", new Date(at).toLocaleString([], { dateStyle: "medium", timeStyle: "short" })],
  ];
  fill(child(parent, "ul", "es-memory"), list.map((one) => ["li", link(one)]));
}
