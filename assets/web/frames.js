// Going back through the frames of a search: a slider, and what a picture was like at one of its steps.
// data: {steps: [number]}; a cell with `frames` has one for each of them: {image, lines}

import { slider } from "./dom.js";

// The slider, for `fill`, hidden without steps to go back through; and the step that it stands on. `again` draws anew.
export function back(box, steps, again) {
  const last = (steps?.length ?? 0) - 1;
  if (box.last !== last) [box.last, box.step] = [last, last];
  const step = `step ${steps?.[box.step]}`;
  const move = (to) => {
    box.step = to;
    again();
  };
  const words = `Forming: ${box.step === last ? "the end" : step}`;
  const range = slider("es-back-slider", last, box.step, move, { "aria-valuetext": step });
  return { bar: ["label.es-back", { hidden: last < 1 }, [["span.es-back-words", words], range]], step: box.step };
}

// The frame of a cell at a step; nothing at the last one, and where it has none: there it is as it is.
export function frameAt(cell, step, data) {
  return cell?.frames && step < data.steps.length - 1 ? cell.frames[step] : null;
}
