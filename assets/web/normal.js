// The normal distribution, to the last digits of a double in both tails.

const { exp, PI, sqrt } = Math;
const SERIES_ENDS = 2; // from there on the continued fraction is the better one
const DEEP = 80; // steps of the fraction: at its worst, at 2, some 60 are needed

// The probability of less than z standard deviations.
export function below(z) {
  return z < 0 ? above(-z) : 1 - above(z);
}

// Of more than z ≥ 0 of them: ½ erfc(z/√2).
function above(z) {
  const x = z / Math.SQRT2;
  return x < SERIES_ENDS ? (1 - series(x)) / 2 : fraction(x) / 2;
}

// erf x = 2/√π · e^−x² · Σ (2x²)ⁿ x / (1·3·…·(2n + 1)), all terms of one sign.
function series(x) {
  let [term, sum] = [x, x];
  for (let n = 1; term > 1e-17 * sum; n++) {
    term *= (2 * x * x) / (2 * n + 1);
    sum += term;
  }
  return (2 / sqrt(PI)) * exp(-x * x) * sum;
}

// erfc x = e^−x²/√π / (x + ½/(x + 1/(x + 1½/(x + …)))), from the inside outwards.
function fraction(x) {
  let rest = 0;
  for (let k = DEEP; k > 0; k--) rest = k / 2 / (x + rest);
  return exp(-x * x) / sqrt(PI) / (x + rest);
}
