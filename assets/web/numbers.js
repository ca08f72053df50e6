// Numbers as pages/parts/ui/text.py writes them.

const THIN = "\u202f";
const RAISED = { "-": "⁻", ...Object.fromEntries([..."⁰¹²³⁴⁵⁶⁷⁸⁹"].map((digit, i) => [i, digit])) };

export function number(value, digits = 3) {
  if (Number.isNaN(value)) return "not known";
  if (value === 0 || !Number.isFinite(value)) return value === 0 ? "0" : "∞";
  const size = Math.floor(Math.log10(Math.abs(value)));
  if (size < -3 || size > 8) {
    const mantissa = trimmed((value / 10 ** size).toFixed(digits - 1));
    const power = `10${[...String(size)].map((digit) => RAISED[digit]).join("")}`;
    return mantissa === "1" ? power : `${mantissa}·${power}`;
  }
  const [whole, rest] = value.toFixed(Math.max(0, digits - 1 - size)).split(".");
  return trimmed([whole.replace(/\B(?=(\d{3})+$)/g, THIN), rest].filter(Boolean).join("."));
}

export function signed(value) {
  return (value < 0 ? "−" : "") + number(Math.abs(value));
}

export function percent(share, digits = 0) {
  return `${(100 * share).toFixed(digits)}${THIN}%`;
}

function trimmed(words) {
  return words.includes(".") ? words.replace(/0+$/, "").replace(/\.$/, "") : words;
}
