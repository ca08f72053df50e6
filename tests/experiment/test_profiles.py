"""S1 and S7: a CSV of profiles is read as a whole or not at all, and what we write is read back."""

import csv
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldp_core import limits
from ldp_core.errors import InvalidExperiment
from ldp_core.experiment import changed, parse, read_profiles, write_profiles
from ldp_core.tables import MOST_BYTES
from tests.pace import of_cpu

GOOD = "client,epsilon,low,high\n1,0.5,-1,1\n2,8,-2,2\n"
HEADER = "client,epsilon,low,high\n"
EXPECTED = {
    "clients.count": 2,
    "clients.epsilon": [0.5, 8.0],
    "clients.low": [-1.0, -2.0],
    "clients.high": [1.0, 2.0],
}


def problems(data: bytes | str) -> list[str]:
    with pytest.raises(InvalidExperiment) as caught:
        read_profiles(data.encode() if isinstance(data, str) else data)
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize(
    "data",
    [
        GOOD.encode(),
        GOOD.replace(",", ";").replace(".", ",").encode(),
        b"high,low,epsilon,client\n2,-2,8,2\n1,-1,0.5,1\n",
        b'"Client", Epsilon ,LOW,high\n"1","0.5","-1","1"\n\n2,8,\xe2\x88\x922,2\n\n',
    ],
    ids=["plain", "semicolons", "order", "quotes"],
)
def test_csv_dialects_of_spreadsheets_are_read(data: bytes):
    assert read_profiles(data) == EXPECTED


@pytest.mark.parametrize(
    ("text", "set_"),
    [
        ("sep=;\r\nclient;epsilon;low;high\r\n1;0,5;-1;1\r\n2;2,0;-1;1\r\n", {"epsilon": [0.5, 2.0]}),
        ("client_id,Budget ε,lower,upper bound\n1,0.5,-1,1\n", {"epsilon": 0.5, "low": -1, "high": 1}),
        ("cid,epsilon,low,high\n1,2,-1,1\n0,0.5,-1,1\n", {"epsilon": [0.5, 2.0]}),
        ("client,epsilon,low,high,run_limit\n1,0.5,-1,1,\n2,2,-1,1,100\n", {"run_limit": [None, 100.0]}),
        ("sep=|\nclient|epsilon|low|high|limit\n1|2|-1|1|Unlimited\n2|2|-1|1|9\n", {"run_limit": [None, 9]}),
        (
            "client\tepsilon\tlow\thigh\trun_limit\n1\t0.5\t-1\t1\t1,000\n2\t2\t-1\t1\t2,500\n",
            {"epsilon": [0.5, 2.0], "run_limit": [1000.0, 2500.0]},
        ),
        (
            "client;epsilon;low;high;run_limit\n1;0,5;-1;1;1.000\n2;2;-1;1;2.500,5\n",
            {"run_limit": [1000, 2500.5]},
        ),
        ("client;epsilon;low;high;run_limit\n1;0.5;-1;1;1000\n2;2;-1;1;2,500\n", {"run_limit": [1000, 2500]}),
        ("client,epsilon,low,high,,\n1,0.5,-1,1,,\n2,2,-1,1,,\n", {"epsilon": [0.5, 2.0]}),
    ],
    ids=range(9),
)
def test_csv_header_synonyms_and_gaps_are_read(text: str, set_: dict[str, object]):
    changes = read_profiles(text.encode())
    assert {name: changes[f"clients.{name}"] for name in set_} == set_
    again = changed(parse({}), changes).clients
    kept = {k: v for k, v in changes.items() if v is not None} | {"clients.epsilon_scope": "mechanism"}
    assert read_profiles(write_profiles(again).encode()) == kept


BAD: dict[str, tuple[bytes | str, str]] = {
    "empty": (b"", "the file is empty"),
    "no header": ("1,0.5,-1,1\n", "line 1 has no column client, epsilon, low or high"),
    "column unknown": ("client,epsilon,low,high,iban\n1,1,-1,1,7\n", "unknown column “iban”"),
    "a hundred thousand columns": (",".join(["a"] * 100_000), "got 100\u202f000 columns"),
    "cell missing": (HEADER + "1,1,-1\n", "line 2 has 3 cells and the header 4"),
    "locale comma": (HEADER + "1,0,5,-1,1\n", "line 2 has 5 cells and the header 4; with decimal commas"),
    "NUL": (HEADER.encode() + b"1,\x00,-1,1\n", "line 2 holds a NUL"),
    "a picture": (b"\x89PNG\r\n\x1a\n\x00\x00", "line 1 is not text in UTF-8"),
    "quotes open": (HEADER + '1,"0.5,-1,1\n2,1,-1,1\n', "line 2 opens a quotation mark"),
    "NaN": (HEADER + "1,nan,-1,1\n", "line 2, epsilon must be a number between 0.000001 and 700; got “nan”"),
    "upside down": (HEADER + "1,1,1,-1\n", "line 2, low must be below high, -1; got 1"),
    "too narrow for float32": (
        HEADER + "1,1,5,5.000001\n",
        "line 2, low must be at least 0.00049 below high, 5.000001, for float32; got 5.0",
    ),
    "twice": (HEADER + "1,1,-1,1\n1,2,-1,1\n", "line 3, client is 1, as on line 2 already"),
    "a gap": (HEADER + "1,1,-1,1\n3,2,-1,1\n", "line 3, client is 3, but there are 2 clients"),
    "a formula": (HEADER + "1,=1+1,-1,1\n", "line 2, epsilon must be a number"),
    "a column of two names": (HEADER.strip() + ",eps\n1,1,-1,1,1\n", "epsilon twice: “epsilon” and “eps”"),
    "another scope": (
        f"scope,{HEADER}weight,1,1,-1,1\nperson,2,1,-1,1\n",
        "scope must be weight, upload or run; got",
    ),
    "two scopes": (f"scope,{HEADER}weight,1,1,-1,1\nrun,2,1,-1,1\n", "line 3, scope is run beside weight"),
    "a cell without end": (HEADER + "1," + "9" * 400_000 + ",-1,1\n", "line 2"),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_file_says_where_and_why(kind: str):
    data, words = BAD[kind]
    found = problems(data)
    assert any(words in problem for problem in found), found[:3]
    assert all(len(problem) < 260 and "\n" not in problem for problem in found)


def test_everything_wrong_is_said_in_one_pass():
    found = problems(HEADER + "1,x,-1,1\n2,1,5,1\n2,nan,-1\n2,1,-1,1\n")
    assert [problem.split(" ")[1].rstrip(",") for problem in found] == ["2", "3", "4", "5"]


def test_the_caps():
    assert "at most 5 MB" in problems(b"1" * (MOST_BYTES + 1))[0]
    row = "1,1,-1,1\n"
    (said,) = problems(HEADER + row * (int(limits.CLIENTS.maximum) + 1))
    assert said == "line 100002 is one client too many; a file holds at most 100\u202f000"


@pytest.mark.parametrize("cell", ["0.5", "x"])
@pytest.mark.alone
def test_a_hundred_thousand_lines_take_less_than_two_seconds(cell: str):
    """Of one core: what else the machine does is not counted, but for what it takes of the caches."""
    data = (HEADER + "".join(f"{n},{cell},-1,1\n" for n in range(1, 100_001))).encode()
    with of_cpu(2):
        if cell == "x":
            assert len(problems(data)) == 100_000
        else:
            assert read_profiles(data)["clients.count"] == 100_000


numbers = st.floats(limits.EPSILON.minimum, limits.EPSILON.maximum)


@given(
    rows=st.lists(
        st.one_of(  # as narrow as float32 still tells apart
            st.tuples(numbers, st.floats(-7, 5), st.floats(1e-3, 2)),
            st.tuples(numbers, st.floats(-1e6, 9e5), st.floats(65, 1e5)),
        ),
        min_size=1,
        max_size=30,
    )
)
def test_written_profiles_are_read_back_bit_for_bit(rows: list[tuple[float, float, float]]):
    epsilon, low, width = (np.array(column) for column in zip(*rows, strict=True))
    asked = {"clients.count": len(rows), "clients.epsilon": epsilon.tolist()}
    asked |= {"clients.low": low.tolist(), "clients.high": (low + width).tolist()}
    clients = changed(parse({}), asked).clients
    text = write_profiles(clients)
    again = changed(parse({}), read_profiles(text.encode())).clients
    assert (again.budgets() == clients.budgets()).all()
    assert all((a == b).all() for a, b in zip(again.bounds(), clients.bounds(), strict=True))
    # S7: numbers and our own header, so a spreadsheet finds no formula in it
    header, *cells = csv.reader(io.StringIO(text))
    assert header == ["client", "scope", "epsilon", "low", "high"]
    assert all(np.isfinite(float(cell)) for _, _, *numbers in cells for cell in numbers)
    assert {scope for _, scope, *_ in cells} == {"weight"}


@given(
    data=st.one_of(
        st.binary(max_size=300), st.text(max_size=300).map(lambda t: (HEADER + t).encode("utf-8", "replace"))
    )
)
def test_random_bytes_are_read_or_refused_with_problems(data: bytes):
    try:
        changed(parse({}), read_profiles(data))
    except InvalidExperiment as error:
        assert error.problems


def test_ambiguous_number_is_refused_with_both_readings():
    (said,) = problems("client;epsilon;low;high;run_limit\n1;1;-1;1;1.000\n")
    assert said.startswith("line 2, run_limit has two readings, 1\u202f000 with a point between thous")
    (said,) = problems("client;epsilon;low;high\n1;0,5;-1;1\n2;0.5;-1;1\n3;1.000;-1;1\n")
    assert said.startswith("line 4, epsilon has two readings"), "the others can be read in one way only"


def test_a_scope_is_written_and_read_back():
    clients = changed(parse({}), {"clients.epsilon_scope": "run"}).clients
    text = write_profiles(clients, {"run_costs": clients.budgets()})
    assert text.splitlines()[0] == "client,scope,epsilon,low,high,run_costs"
    changes = read_profiles(text.encode())
    assert changes["clients.epsilon_scope"] == "run"
    assert changed(parse({}), changes).clients.budgets().tolist() == clients.budgets().tolist()
