"""How often “surely worse than the best” is wrong, and how much it finds, by designs, seeds, held-out rows.

python -m tests.benchmarks.comparisons [SWEEPS]
"""

import sys

from tests.inference.test_difference import found_worse

ROWS = ((2, 3), (3, 3), (5, 3), (9, 3), (30, 3), (5, 5), (9, 5), (30, 5), (30, 20))


def main(sweeps: int) -> None:
    print("| spread of seeds | held out | designs | seeds | wrong | found |\n|---|---|---|---|---|---|")
    for unlike in (0.0, 0.7):
        for held_out in (360, 2000, 10_000):
            for designs, seeds in ROWS:
                wrong, found = (
                    found_worse(sweeps, designs, seeds, held_out, unlike, behind) for behind in (0.0, 0.06)
                )
                spread = "unlike" if unlike else "alike"
                print(f"| {spread} | {held_out:,} | {designs} | {seeds} | {wrong[0]:.3f} | {found[1]:.2f} |")


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 1000)
