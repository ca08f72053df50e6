// What was computed ahead, and shows nothing by itself: {key, steps: [{rest, rows}]}, the verdicts at each budget.

import { live } from "./live.js";

export function render({ data }) {
  live.ahead = data;
}
