// What was computed ahead, and shows nothing by itself: {key, steps: [{rest, rows}]}, the verdicts at each budget;
// without steps where they are here already (strip.js says of which key).

import { live } from "./live.js";

export function render({ data }) {
  if (data.steps) live.ahead = data;
}
