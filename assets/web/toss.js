// A coin that leaves an answer as it is with probability `keep`, and else turns it over.

export function tossed(answer, keep) {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2));
  const drawn = (high * 2 ** 21 + (low >>> 11)) / 2 ** 53; // in [0, 1)
  return drawn < keep ? answer : !answer;
}

// The sentence with its {names} filled in.
export function say(sentence, values) {
  const spelled = (value) => (typeof value === "number" ? value.toLocaleString("fr").replaceAll("\u202f", "\u00a0") : value);
  return sentence.replace(/\{(\w+)\}/g, (_, name) => spelled(values[name]));
}
