// Who asks for the same, a line each: a dot that is dragged sets the budget of all of them. A group opens, and its
// clients have dots of their own.
// data: {words: [text], values: [text], groups: [{name, clients, all, at, noise: [text], worth: [{kind, words: [text]}]}]};
// a place for each budget.
// What was set is sent as the cells of the clients' table are (table.js): in a log.

import { child, element, resize, text } from "./dom.js";

export function render(component) {
  const { data, parentElement } = component;
  const box = child(parentElement, "div", "es-dots");
  box.component = component;
  box.mount ??= crypto.randomUUID?.() ?? String(Math.random());
  box.log ??= [];
  box.open ??= new Set();
  const lines = data.groups.flatMap((group) => {
    const opened = group.clients.length > 1 && group.clients.some((client) => box.open.has(client));
    const each = opened ? group.clients.map((client) => ({ ...group, name: `client ${client}`, all: [client], inner: true })) : [];
    return [{ ...group, opened }, ...each];
  });
  const held = box.contains(document.activeElement) && document.activeElement.dataset.held;
  resize(box, lines.length, () => line(box)).forEach((node, i) => fill(box, node, lines[i], data));
  // who sets one client apart by keyboard goes on with that client
  if (held && document.activeElement.dataset.held !== held) box.querySelector(`[data-held="${held}"]`)?.focus();
}

function line(box) {
  const node = element("div", "es-dots-line");
  const button = Object.assign(element("button", "es-dots-open"), { type: "button" });
  const input = Object.assign(element("input", "es-dot"), { type: "range", min: 0, step: 1 });
  node.append(button, element("span", "es-dots-name"), input, element("strong", "es-dots-budget"), element("span", "es-dots-noise"), element("span", "es-dots-worth"));
  button.onclick = () => {
    const { opened, clients } = node.shown;
    clients.forEach((client) => (opened ? box.open.delete(client) : box.open.add(client)));
    render(box.component);
  };
  input.oninput = () => {
    input.moving = true;
    tell(node);
  };
  input.onchange = () => {
    input.moving = false;
    const value = node.data.values[Number(input.value)];
    node.shown.all.forEach((client) => box.log.push({ serial: box.log.length + 1, client, field: "epsilon", text: value }));
    box.component.setStateValue("edits", { mount: box.mount, log: box.log.slice(-2000) });
  };
  return node;
}

function fill(box, node, one, data) {
  node.shown = one;
  node.data = data;
  node.classList.toggle("es-dots-inner", Boolean(one.inner));
  const [button, name, input] = node.children;
  const many = one.clients.length > 1 && !one.inner;
  button.hidden = !many;
  name.hidden = many;
  text(button, one.name);
  text(name, one.name);
  button.setAttribute("aria-expanded", String(Boolean(one.opened)));
  input.dataset.held = one.inner || !many ? one.all[0] : `group ${one.all[0]}`;
  input.max = data.values.length - 1;
  if (!input.moving) input.value = one.at;
  input.setAttribute("aria-label", `Budget ε of ${one.name}`);
  tell(node);
}

// What the dot stands on, and the noise that follows from it.
function tell(node) {
  const [, , input, budget, noise, worth] = node.children;
  const at = Number(input.value);
  text(budget, `ε ${node.data.words[at]}`);
  text(noise, node.shown.noise[at]);
  const promise = node.shown.worth[at];
  const words = promise.words.join("");
  text(worth, words).dataset.kind = promise.kind;
  input.setAttribute("aria-valuetext", `ε ${node.data.words[at]}, ${node.shown.noise[at]}, ${words}`);
}
