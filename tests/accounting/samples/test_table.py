"""Samples as a table, in the notations that others write."""

import numpy as np
import pytest

from ldp_core.accounting.samples import read_samples
from ldp_core.errors import InvalidExperiment


@pytest.mark.parametrize(
    "text",
    [
        "input,output\n-1,0.5\n1,2.25\n",
        "output;input\n0,5;-1\n2,25;1\n",
        "True value\tnoisy value\n-1\t0.5\n1\t2.25\n",
    ],
)
def test_a_bare_table_is_one_trial_a_row(text: str):
    samples = read_samples(text.encode("utf-16" if "\t" in text else "utf-8"))
    assert samples.inputs.ravel().tolist() == [-1, 1] and samples.outputs.ravel().tolist() == [0.5, 2.25]
    assert samples.worlds is None


def test_rows_of_a_trial_are_put_side_by_side_in_any_order():
    rows = [
        (w, t, r, c, t + 10 * r + c / 4) for w in "ab" for t in (1, 2) for r in (2, 10) for c in (0, 1, 2)
    ]
    np.random.default_rng(0).shuffle(rows)
    text = "world,trial,round,coordinate,input,output\n" + "".join(
        f"{w},{t},{r},{c},{v},{-v}\n" for w, t, r, c, v in rows
    )
    samples = read_samples(text.encode())
    assert samples.inputs.shape == (4, 2, 3)
    assert samples.worlds is not None and samples.worlds.tolist() == ["a", "a", "b", "b"]
    assert samples.outputs[1, 1].tolist() == [-102, -102.25, -102.5]


DIAGONAL = "trial,input,output,round,coordinate\n" + "".join(f"{i},0,0,{i},{i}\n" for i in range(3000))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,b\n1,2\n", "line 1 has no column input or output; got “a, b”"),
        ("input,output\n1,nan\n", "line 2 output must be a number; got “nan”"),
        ("input,output\n1,2\n1\n", "line 3 output must be a number; got “”"),
        ("input,output\n1,2,3\n", "line 2 has 3 cells and the header 2"),
        ("input,output\n", "no sample below"),
        ("input,output,coordinate\n1,2,1\n", "a column coordinate and none that names the trial"),
        ("trial,input,output,round\n1,0,0,1\n1,0,0,2\n2,0,0,1\n", "trial “2” has 0 rows for round 2"),
        ("input,output,world\n1,2,\n", "line 2 has no world"),
        ("input,output,epsilon\n1,2,1\n1,2,2\n", "column epsilon has 2 values"),
        ("input,output,claimed\n1,2,1\n1,2,2\n", "column epsilon has 2 values"),
        ("input,output,epsilon_total\n1,2,1\n1,2,2\n", "column epsilon has 2 values"),
        ("input,output,mechanism\n1,2,a\n1,2,b\n", "column mechanism has 2 values"),
        (DIAGONAL, "3\u202f000 trials"),
        ("input,output,input\n1,2,3\n", "two columns for input"),
        ("\x00\x01", "NUL"),
        ("", "the file is empty"),
    ],
)
def test_a_bad_table_gets_one_sentence(text: str, words: str):
    with pytest.raises(InvalidExperiment) as error:
        read_samples(text.encode())
    assert words in str(error.value)
