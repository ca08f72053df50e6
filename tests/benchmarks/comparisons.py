"""How often each kind of sentence is wrong, and what it finds, by designs, seeds and held-out samples.

python -m tests.benchmarks.comparisons [SWEEPS]
"""

import sys

from tests.inference.test_difference import found_by_sample, found_worse

SEEDS, HELD_OUT = (2, 3, 5, 20), (360, 1000, 10_000)


def main(sweeps: int) -> None:
    columns = "".join(f" {n:,} |" for n in HELD_OUT)
    print(f"| designs (pairs) | seeds | spread |{columns} 360, by sample |")
    print("|---" * (len(HELD_OUT) + 4) + "|")
    for designs in (2, 5, 9, 30):
        for seeds in SEEDS:
            for unlike in (0.0, 0.7):
                cells = []
                for held_out in HELD_OUT:
                    null, behind = (
                        found_worse(sweeps, designs, seeds, held_out, unlike, gap) for gap in (0.0, 0.06)
                    )
                    cells.append(f"{null[0]:.3f} / {behind[1]:.2f}")
                if designs < 30:
                    null, behind = (
                        found_by_sample(sweeps // 2, designs, seeds, 360, unlike, gap) for gap in (0.0, 0.06)
                    )
                    cells.append(f"{null[0]:.3f} / {behind[1]:.2f}")
                spread = "unlike" if unlike else "alike"
                pairs = designs * (designs - 1) // 2
                print(f"| {designs} ({pairs}) | {seeds} | {spread} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 1000)
