// Going back through the frames of a search: a slider, and what a picture was like at one of its steps.
// data: {steps: [number]}; a cell with `frames` has one for each of them: {image, lines}

import { child, text } from "./dom.js";

// The slider, if there are any steps to go back through; gives the step that it shows, and tells `show` others.
export function back(box, data, show, before) {
  const bar = child(box, "label", "es-back", before);
  const words = child(bar, "span", "es-back-words");
  const slider = child(bar, "input", "es-back-slider");
  const last = (data.steps?.length ?? 0) - 1;
  bar.hidden = last < 1;
  if (slider.type !== "range" || Number(slider.max) !== last) {
    slider.type = "range";
    slider.min = 0;
    slider.max = Math.max(last, 0);
    slider.value = slider.max;
  }
  const tell = () => {
    const step = data.steps?.[Number(slider.value)];
    slider.setAttribute("aria-valuetext", `step ${step}`);
    text(words, Number(slider.value) === last ? "How the pictures formed: the end" : `How the pictures formed: step ${step}`);
  };
  slider.oninput = () => {
    tell();
    show(Number(slider.value));
  };
  tell();
  return last < 1 ? last : Number(slider.value);
}

// The frame of a cell at a step; nothing at the last one, and where it has none: there it is as it is.
export function frameAt(cell, step, data) {
  return cell?.frames && step < data.steps.length - 1 ? cell.frames[step] : null;
}
