// Figures of what was found, as over Train's charts. data: {chips} of head.js

import { head } from "./head.js";

export function render({ data, parentElement }) {
  head(parentElement, data);
}
