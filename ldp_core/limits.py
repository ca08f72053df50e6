"""All minima, maxima and defaults.

Validation, widgets and tests use the same objects, so pages never offer what the core refuses.
"""

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal


@dataclass(frozen=True)
class Limit:
    """Closed interval of allowed values, with default and unit."""

    minimum: float
    maximum: float
    default: float
    unit: str = ""

    def allows(self, value: float) -> bool:
        """True if `value` is a number inside the interval (NaN is not)."""
        return -math.inf < value < math.inf and self.minimum <= value <= self.maximum

    def __str__(self) -> str:
        return f"between {spelled(self.minimum)} and {spelled(self.maximum)}"


def spelled(value: float) -> str:
    """Number with thin spaces and without exponent: 100 000, 0.000001, 0.5."""
    if value == int(value):
        return f"{int(value):,}".replace(",", THIN)
    return f"{Decimal(f'{value:.12g}'):f}"


THIN = "\u202f"


def percent(share: float, digits: int = 0) -> str:
    # a curve's numbers have single precision, and 77.5 % is to round as of an end event
    return "not known" if math.isnan(share) else f"{round(100 * share, digits + 4):.{digits}f}{THIN}%"


def superscript(power: int) -> str:
    return str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def number(value: float, digits: int = 3) -> str:
    """Number to a few significant digits: 0.5, 8, 1 396, 2.1·10⁻⁵; “not known” for NaN."""
    if math.isnan(value):
        return "not known"
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else "∞"
    value = as_shown(value, digits)  # 0.99996 has another size than 1
    size = math.floor(math.log10(abs(value)))
    if size < -3 or size > 8:
        mantissa = f"{Decimal(value).scaleb(-size):.{digits - 1}f}".rstrip("0").rstrip(".")
        return f"{mantissa}·10{superscript(size)}" if mantissa != "1" else f"10{superscript(size)}"
    shown = f"{value:,.{max(0, digits - 1 - size)}f}".replace(",", THIN)
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


def as_shown(value: float, digits: int = 3) -> float:
    """The value that `number` displays, for further computation."""
    return _rounded(value, digits, ROUND_HALF_EVEN)


def at_most(value: float, digits: int = 3) -> str:
    """An upper bound, such as the ε of a run, as `number`, but rounded up."""
    return _to_a_side(value, digits, ROUND_CEILING)


def at_least(value: float, digits: int = 3) -> str:
    """A lower bound, such as the ε that an attack shows, as `number`, but rounded down."""
    return _to_a_side(value, digits, ROUND_FLOOR)


def _to_a_side(value: float, digits: int, rounding: str) -> str:
    near = as_shown(value, digits)
    exact = math.isclose(near, value, rel_tol=1e-9)  # 0.1 × 30 is 3.0000000000000004
    return number(near if exact else _rounded(value, digits, rounding), digits)


def _rounded(value: float, digits: int, rounding: str) -> float:
    if value == 0 or not math.isfinite(value):
        return value
    size = math.floor(math.log10(abs(value)))
    places = digits - 1 - size if size < -3 or size > 8 else max(0, digits - 1 - size)
    return float(Decimal(float(value)).quantize(Decimal(1).scaleb(-places), rounding))


CLIENTS = Limit(1, 100_000, 20, "clients")
EPSILON = Limit(1e-6, 700, 1.0)  # above 700, e^ε leaves float64
BOUND = Limit(-1e6, 1e6, 1.0)  # an end of a safe range, in the units of the target
HALF_WIDTH = Limit(1e-6, 1e6, 1.0)
RUN_LIMIT = Limit(1e-6, 1e12, 1000.0)  # ε that a client spends at most in a run
ROUNDS = Limit(1, 10_000, 15, "rounds")
EPOCHS = Limit(1, 100, 2, "epochs")
BATCH_SIZE = Limit(1, 100_000, 10, "images")
LEARNING_RATE = Limit(1e-6, 1e9, 0.5)  # far too large is allowed: divergence is a lesson too
SEED = Limit(0, 2**53 - 1, 0)  # every JSON reader keeps integers up to 2^53
SEEDS = Limit(1, 20, 3, "seeds")
SWEEP_RUNS = Limit(1, 3000, 1, "runs")  # cells times seeds
VARIANTS = Limit(1, 12, 3, "runs")
FRACTION = Limit(0.001, 1.0, 0.7)
RECORDS_EACH = Limit(1, 10**6, 10, "samples")
ALPHA = Limit(0.01, 1e4, 1.0)  # Dirichlet concentration
HIDDEN = Limit(1, 4096, 32, "units")
WIDTH = Limit(4, 64, 64, "channels")  # of the first stage of a residual network
PENALTY = Limit(1e-9, 1.0, 1e-4)  # the α of scikit-learn's "optimal" step
DELTA = Limit(1e-12, 0.5, 1e-5)  # of one use of a Gaussian mechanism
SENSITIVITY = Limit(1e-9, 1e9, 1.0)
NORM = Limit(1e-6, 1e6, 1.0)  # of a whole upload, or a record's gradient
REACH = Limit(0.0, 1e300, 1.0)  # of a record in an upload, which follows from other limits
SAMPLING = Limit(0.001, 0.999, 0.8)  # paper 001's q
RECORDS = Limit(1, 1_000_000, 1000, "records")  # that a client has at most
SLOWNESS = Limit(1, 1e6, 75)  # paper 002's a
SELECTED = Limit(0.5, 1.0, 0.8)  # share of the weights that paper 002 perturbs
LEAST_CHANCE = Limit(0.0, 1.0, 0.5)  # of a client that decides itself whether it takes part
DROPOUT = Limit(0.0, 0.9, 0.0)  # share of the clients that may never answer
COLLUDING = Limit(0, 100_000, 0, "clients")  # that tell the server their part of the noise
BITS = Limit(8, 62, 32, "bits")  # of the modulus of a secure sum
LEVELS = Limit(2, 256, 4, "levels")
SAMPLES = Limit(1e-3, 1e12, 1.0)  # of an average client
DIMENSION = Limit(1, 1e9, 1, "weights")
BETWEEN = Limit(0, 1e6, 0.0)  # variance between clients' true weights
STEP = Limit(1e-6, 1e6, 1.0)
OBSERVED = Limit(1, 100, 1, "uploads")  # of the same values, seen by an attacker
CANDIDATES = Limit(2, 20, 10, "images")  # among which the right one is to be found
SEARCH_STEPS = Limit(1, 2000, 200, "steps")  # of an attacker that searches
RESTARTS = Limit(1, 20, 1, "searches")
PRIOR = Limit(0.0, 100.0, 5.0)  # how much such an attacker prefers smooth images
ATTACK_EVERY = Limit(1, 10_000, 1, "rounds")  # from one attack to the next
ATTACKED_ROUNDS = Limit(1, 100, 1, "rounds")  # that are attacked, named one by one
LADDER_ROUND = Limit(1, 100, 1)  # of training, in which a ladder's uploads are made
LADDER_IMAGES = Limit(1, 100, 20, "images")  # attacked on every rung
LADDER_EPSILON = EPSILON
LADDER_RUNGS = Limit(1, 24, 12, "budgets")
LADDER_MECHANISMS = Limit(1, 8, 2, "mechanisms")
NAME_LENGTH = 80
LABEL_LENGTH = 60

RESOLUTION = 1024
"""Least number of floating-point steps in a safe range, counted at its larger end. Measured for every
mechanism on ranges at 0.3 to 1 000, against the same draws on the same range around 0: with 1 024 steps
outputs are off by at most 0.2 % of the half-width up to ε 8. That is below 0.6 % of their standard deviation
for most weights, and up to 3.5 % for a weight at an end of the range, where Duchi and PDPM hardly vary; with
64 steps most weights are off by up to 11 %, with 8 by 75 %.
"""

DIVERGED_WEIGHT = 1e4
"""Magnitude of a local weight from which on a run counts as diverged; clipped, only its sign would remain."""

CHUNK_BYTES = 32 * 2**20
"""Largest size of the (K, d) matrix of clients trained at a time, of which a round holds about a dozen. For
sixty thousand uploads of 7 850 weights, 128 MB took 2.9 GB in all and twice the CPU time, most of it for
memory allocation; 32 MB takes 1.6 GB, and smaller sizes are slower.
"""
