// Small helpers that update a page's nodes in place.

export function child(parent, tag, name, before) {
  let node = parent.querySelector(`:scope > .${name}`);
  if (!node) {
    node = document.createElement(tag);
    node.className = name;
    if (before) parent.insertBefore(node, before);
    else parent.append(node);
  }
  return node;
}

export function text(node, value) {
  if (node.textContent !== value) node.textContent = value;
  return node;
}

// Make `parent` have exactly `count` children made by `make`, keeping those that are there.
export function resize(parent, count, make) {
  while (parent.children.length > count) parent.lastElementChild.remove();
  while (parent.children.length < count) parent.append(make());
  return [...parent.children];
}

export function element(tag, name) {
  const node = document.createElement(tag);
  node.className = name;
  return node;
}
