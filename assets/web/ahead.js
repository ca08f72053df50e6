// What was computed ahead along one slider, and shows nothing by itself.
// data: {slider, key, still, steps}, as live.js keeps them; without key where it is here already (strip.js says so)
// steps: what they have in common is told once: {same} of all of them, {of: [steps] or {name: steps}} of lists or
// objects of one shape, {kinds: [steps], at: [[kind, which of it]]} of several shapes, {each: […], within: [before, after]} of
// texts, else {each: […]}

import { live, move } from "./live.js";

export function render({ data }) {
  const { slider, key, still, steps } = data;
  if (!key || live.ahead[slider]?.key === key) return;
  live.ahead[slider] = { key, still, step: (i) => nth(steps, i) };
  if (live.place) move(live.place); // a hand may have been quicker
}

function nth(node, i) {
  if ("same" in node) return node.same;
  if (node.within) return node.within.join(node.each[i]);
  if (node.each) return node.each[i];
  if (node.kinds) return nth(node.kinds[node.at[i][0]], node.at[i][1]);
  if (Array.isArray(node.of)) return node.of.map((one) => nth(one, i));
  return Object.fromEntries(Object.entries(node.of).map(([name, one]) => [name, nth(one, i)]));
}
