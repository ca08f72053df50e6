// What is typed into number fields, in a browser of any language. A browser's own number field knows the decimal
// mark of its language only, and an English one makes 5 of 0,5 without a word. So while a hand is in it, a field takes
// text; what is read of it is handed on as the number that it is, and what has two readings, or none, stays with a
// word below it.

const FIELD = '[data-testid="stNumberInputField"]';
const LEAVES = new Set(["Enter", "ArrowUp", "ArrowDown"]);
const COMMA = new Intl.NumberFormat(navigator.language).format(0.5).includes(",");
const SIMPLE = /^[-+]?(\d+[.,]?\d*|[.,]\d+)(e[-+]?\d+)?$/i;
const EITHER = /^[-+]?[1-9]\d{0,2}([.,])\d{3}$/;
const GROUPED = [
  [/^[-+]?\d{1,3}([ ']\d{3})+([.,]\d*)?$/, /[ ']/g],
  [/^[-+]?\d{1,3}((,\d{3})+\.\d*|(,\d{3}){2,})$/, /,/g],
  [/^[-+]?\d{1,3}((\.\d{3})+,\d*|(\.\d{3}){2,})$/, /\./g],
];
const write = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;

// The number that a text is: {number}, or {why} there is none.
export function read(raw, whole) {
  const text = raw.replace(/[\u00a0\u2009\u202f]/g, " ").replace(/[−–]/g, "-").replace(/’/g, "'").trim();
  const mark = EITHER.exec(text)?.[1];
  if (mark && (mark === "," || COMMA || whole)) {
    const readings = [text.replace(mark, ""), `${text.replace(mark, ".")}0`];
    return { why: `“${text}” has two readings, ${readings.join(" and ")}: type one of these` };
  }
  const marks = GROUPED.find(([form]) => form.test(text))?.[1];
  const plain = marks ? text.replace(marks, "") : text;
  const number = SIMPLE.test(plain) ? Number(plain.replace(",", ".")) : NaN;
  if (!Number.isFinite(number)) return { why: `“${text}” is no number; type one like ${whole ? "12" : "0.5"}` };
  if (whole && !Number.isInteger(number)) return { why: `“${text}” is no whole number; type one like 12` };
  return { number };
}

function entered(field) {
  if (field?.type !== "number" || !field.matches(FIELD)) return;
  field.before = field.value;
  field.type = "text";
  field.inputMode = "decimal";
  field.setAttribute("role", "spinbutton");
  field.select(); // as it was, for who comes by the keyboard; a mouse places the caret after this
}

// Before Streamlit hears that the hand leaves, it hears of the number; where there is none, it hears nothing.
function left(event) {
  const field = event.target;
  if (event.passed || !field.matches?.(FIELD) || field.type !== "text") return;
  if (event.type === "keydown" && !LEAVES.has(event.key)) return;
  const { value } = field;
  const { number, why } = value.trim() === "" || value === field.before ? {} : read(value, field.step === "1");
  say(field, why);
  if (why) {
    event.stopImmediatePropagation();
    return;
  }
  setTimeout(() => {
    field.before = field.value; // as Streamlit writes it
    if (document.activeElement === field) return;
    field.type = "number";
    field.removeAttribute("role");
  });
  if (number === undefined || String(number) === value) return;
  event.stopImmediatePropagation();
  write.call(field, String(number));
  field.dispatchEvent(new Event("input", { bubbles: true }));
  const again = new event.constructor(event.type, event);
  again.passed = true;
  queueMicrotask(() => field.dispatchEvent(again)); // when the number has arrived
}

function say(field, why) {
  const box = field.closest('[data-testid="stNumberInput"]');
  let line = box.querySelector(".es-typed");
  if (!line && !why) return;
  line ??= box.appendChild(document.createElement("div"));
  line.className = "es-typed";
  line.role = "alert";
  line.textContent = why ? `${why}.` : "";
}

window.addEventListener("focusin", (event) => entered(event.target), true);
window.addEventListener("focusout", left, true);
window.addEventListener("keydown", left, true);
window.addEventListener("input", ({ target }) => target.matches?.(FIELD) && say(target, ""), true);
entered(document.activeElement);
