// Nodes of a page, updated in place: those that are there are kept, and with them focus and what was drawn in them.

import { paint } from "./pixels.js";

const SVG = "http://www.w3.org/2000/svg";

export function child(parent, tag, name, before = null) {
  const known = parent.querySelector(`:scope > .${name}`);
  return known ?? parent.insertBefore(Object.assign(document.createElement(tag), { className: name }), before);
}

export function text(node, value) {
  if (node.textContent !== value) node.textContent = value;
}

// Have an element's children be what `list` says: [“tag.class.class”, {properties} or nothing, children or text or
// nothing]. Where another `key` is given than before, the children are new ones.
export function fill(parent, list) {
  while (parent.children.length > list.length) parent.lastElementChild.remove();
  list.forEach(([kind, ...rest], i) => {
    const [given, inner] = Array.isArray(rest[0]) || typeof rest[0] === "string" ? [{}, rest[0]] : [rest[0] ?? {}, rest[1]];
    const [tag, ...classes] = kind.split(".");
    let node = parent.children[i];
    if (node?.localName !== tag) {
      const fresh = document.createElementNS(tag === "svg" ? SVG : parent.namespaceURI, tag);
      if (node) node.replaceWith(fresh);
      else parent.append(fresh);
      node = fresh;
    }
    if (node.kind !== kind) node.setAttribute("class", classes.join(" "));
    if (node.key !== given.key) node.replaceChildren();
    [node.kind, node.key] = [kind, given.key];
    Object.entries(given).forEach(([name, value]) => set(node, name, value));
    if (Array.isArray(inner)) fill(node, inner);
    else if (inner !== undefined) text(node, inner ?? "");
  });
  return [...parent.children];
}

function set(node, name, value) {
  if (name === "key" || value === undefined) return;
  if (name === "image") paint(node, value);
  else if (name === "style") Object.entries(value).forEach(([rule, one]) => node.style.setProperty(rule, one));
  else if (value === null) node.removeAttribute(name);
  else if (name in node && node.namespaceURI !== SVG) {
    if (node[name] !== value) node[name] = value;
  } else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
}

// A slider over the places 0 to `last`, for `fill`.
export function slider(name, last, at, moved, more = {}) {
  const oninput = ({ target }) => moved(Number(target.value));
  return [`input.${name}`, { type: "range", min: 0, max: Math.max(last, 0), value: at, oninput, ...more }];
}

// An image that is painted on a canvas and told in words, for `fill`.
export function picture(name, image, label) {
  return [`canvas.${name}`, { image, role: "img", "aria-label": label }];
}

// Edits are kept in a log, so that none is lost however fast they come; Python applies those it has not seen.
export function log(box, edits) {
  box.mount ??= crypto.randomUUID?.() ?? String(Math.random());
  box.log = [...(box.log ?? []), ...edits];
  const all = box.log.map((edit, i) => ({ serial: i + 1, ...edit }));
  box.component.setStateValue("edits", { mount: box.mount, log: all.slice(-2000) });
}

export function download(href, name) {
  Object.assign(document.createElement("a"), { href, download: name }).click();
}

// Where labels stand that keep their distance, as near to their lines as that allows.
export function spread(wanted, gap, top, bottom) {
  const order = wanted.map((_, i) => i).sort((a, b) => wanted[a] - wanted[b]);
  const found = wanted.map((one) => Math.max(top, one));
  order.forEach((i, k) => {
    if (k) found[i] = Math.max(found[i], found[order[k - 1]] + gap);
  });
  let limit = bottom;
  [...order].reverse().forEach((i) => {
    found[i] = Math.max(top, Math.min(found[i], limit));
    limit = found[i] - gap;
  });
  return found;
}
