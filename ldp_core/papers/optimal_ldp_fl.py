"""Paper 004: Optimal LDP-FL, and its claims about perturbing one weight per layer."""

from typing import Any

from ldp_core.papers.arms import Packed, Timed
from ldp_core.papers.base import Claim, Control, arms, grid, paper
from ldp_core.papers.statements import Ahead, Gain, Saves

BASE: dict[str, Any] = {"system": "optimal_ldp_fl", "dataset": "mnist", "form": "as_printed"}
CAPPED: dict[str, Any] = {**BASE, "form": "corrected"}
DIGITS: dict[str, Any] = {**CAPPED, "dataset": "digits"}
OPTIMAL, DUCHI, FEDAVG = "Optimal LDP-FL", "LDP-FL", "FedAvg"
THEIRS: dict[str, dict[str, Any]] = {
    OPTIMAL: {},
    DUCHI: {"mechanism.name": "duchi", "selection.kind": "all"},
    FEDAVG: {"mechanism.name": "none", "selection.kind": "all"},
}
CHANGES: dict[str, Any] = {"target": "update", "clients.range": 0.02}
AS_PRINTED, FEW, SAME = "as printed", "changes in ±0.02", "LDP-FL, the same ε an upload"
BUDGETS = (1, 4, 10)


def _of(name: str, count: int) -> str:
    return f"{name}, {count} clients"


def _clients(identity: str, base: dict[str, Any], where: str, counts: tuple[int, ...], held: str) -> Claim:
    every = {**THEIRS, FEW: CHANGES}.items()
    named = {_of(name, n): {**own, "clients.count": n} for name, own in every for n in counts}
    first, last = counts[0], counts[-1]
    beside = (
        Ahead(f"{FEDAVG} falls", ((_of(FEDAVG, first), _of(FEDAVG, last)),)),
        Ahead(
            f"{FEDAVG} is ahead of both at {last}",
            tuple((_of(FEDAVG, last), _of(name, last)) for name in (OPTIMAL, DUCHI)),
        ),
    )
    return Claim(
        id=identity,
        where="Fig. 3",
        title=f"More clients help, {where}",
        setting=f"{where}, ε 1, 20 rounds, {held}; the corrected form, weights within ±1",
        statements=(
            Ahead(
                f"{OPTIMAL} rises from {first} clients to {last}",
                ((_of(OPTIMAL, last), _of(OPTIMAL, first)),),
            ),
            Ahead(f"{DUCHI} falls", ((_of(DUCHI, first), _of(DUCHI, last)),)),
            Ahead(f"{OPTIMAL} is ahead of {DUCHI} at {last}", ((_of(OPTIMAL, last), _of(DUCHI, last)),)),
            *(beside if base is DIGITS else ()),  # on MNIST it has not been run yet
        ),
        measured=arms(base, named),
        controls=(
            Control(_of(FEDAVG, last), "what this training reaches without noise"),
            Control(_of(FEW, last), "a range for changes, and not for weights", _of(OPTIMAL, last)),
        ),
        seeds=5,
        note="The paper draws curves without figures, and says neither rounds nor what clips weights.",
    )


def _budgets(identity: str, base: dict[str, Any], where: str, held: str) -> Claim:
    def label(name: str, epsilon: int) -> str:
        return f"{name}, ε {epsilon}"

    named: dict[str, dict[str, Any]] = {
        label(name, e): {**THEIRS[name], "clients.epsilon": e} for name in (OPTIMAL, DUCHI) for e in BUDGETS
    }
    controls: dict[str, dict[str, Any]] = {
        FEDAVG: THEIRS[FEDAVG],
        label(AS_PRINTED, 10): {"form": "as_printed", "clients.epsilon": 10},
        label(FEW, 10): {**CHANGES, "clients.epsilon": 10},
        SAME: {**THEIRS[DUCHI], **CHANGES, "clients.epsilon": 10, "clients.epsilon_scope": "upload"},
    }
    return Claim(
        id=identity,
        where="Fig. 4",
        title=f"High accuracy at every ε, {where}",
        setting=f"{where}, 200 clients, 20 rounds, {held}, ε 1 to 10; the corrected form, weights within ±1",
        statements=(
            Gain(f"{OPTIMAL} at ε 10 over ε 1", ((label(OPTIMAL, 10), label(OPTIMAL, 1)),), 0.0),
            Gain(f"{DUCHI} at ε 10 over ε 1", ((label(DUCHI, 10), label(DUCHI, 1)),), 0.0),
            Ahead(
                f"{OPTIMAL} is ahead of {DUCHI}", tuple((label(OPTIMAL, e), label(DUCHI, e)) for e in BUDGETS)
            ),
        ),
        measured=arms(base, {**named, **controls}),
        controls=(
            Control(FEDAVG, "what this training reaches without noise"),
            Control(label(AS_PRINTED, 10), "ranges without an end follow the noise, and grow with it"),
            Control(label(FEW, 10), "the same mechanism with a range for changes", label(OPTIMAL, 10)),
            Control(SAME, "Duchi for changes, where one ε covers the whole upload as it nearly does here"),
        ),
        seeds=5,
        note="LDP-FL has ε for each weight, Optimal LDP-FL for each layer: the same ε promises less there.",
    )


PER_CLIENT = "about 7 images a client"

TRAFFIC = Claim(
    id="traffic",
    where="Fig. 5",
    title="It sends much less than LDP-FL",
    setting="MNIST, the paper's network, 200 clients, bits sent to the server in a round; counted",
    statements=(
        Ahead(f"{DUCHI} sends more than {OPTIMAL}", ((DUCHI, OPTIMAL),)),
        Ahead(f"{FEDAVG} sends more than {DUCHI}", ((FEDAVG, DUCHI),)),
    ),
    measured=tuple(Packed(name, CAPPED, own) for name, own in THEIRS.items()),
    note=(
        "The paper measures the time of a simulation on one computer, which says nothing of a network: the "
        "bits are what is sent. A weight's place counts: 15 bits for the layer of 16 050, where it says one."
    ),
)


def _drawn() -> Claim:
    """Claim on theorem 1: rates of participation drawn as stated, compared with rates from all of (0, 1)."""

    def label(name: str, least: float) -> str:
        return f"{name}, q in ({least:g}, 1)"

    named: dict[str, dict[str, Any]] = {
        label(name, least): {
            **own,
            "selection": {"kind": "self_sampling", "least": least},
            "clients.epsilon": 10,
        }
        for name, own in ((OPTIMAL, {}), (DUCHI, {"mechanism.name": "duchi"}))
        for least in (0.0, 0.5, 0.99)
    }
    return Claim(
        id="drawn-digits",
        where="Section 3.4",
        title="Clients that draw from (0.5, 1) do better than from (0, 1), digits",
        setting=f"digits, 200 clients, ε 10, 20 rounds, {PER_CLIENT}; the corrected form, weights within ±1",
        statements=tuple(
            Ahead(f"{name}: (0.5, 1) is ahead of (0, 1)", ((label(name, 0.5), label(name, 0.0)),))
            for name in (OPTIMAL, DUCHI)
        ),
        measured=arms(DIGITS, named),
        controls=tuple(
            Control(label(name, 0.99), "nearly all take part", label(name, 0.5)) for name in (OPTIMAL, DUCHI)
        ),
        seeds=5,
        note="Theorem 1 says so, with a turn near the number of all clients; the paper draws no figure.",
    )


def _time(counts: tuple[int, ...]) -> Claim:
    few, many = counts[0], counts[-1]
    return Claim(
        id="time",
        where="Fig. 5",
        title="It takes 40 % less time than LDP-FL, and time grows with the clients",
        setting=f"MNIST for all clients, the paper's network, ε 1, one round of {few} to {many} clients in "
        "this program; processor time",
        statements=(
            Saves("what it saves of LDP-FL's time", ((_of(DUCHI, many), _of(OPTIMAL, many)),), 40.0),
            *(
                Ahead(f"{name} takes longer at {many} clients", ((_of(name, many), _of(name, few)),), "s")
                for name in (DUCHI, OPTIMAL)
            ),
        ),
        measured=tuple(
            Timed(_of(name, n), {**CAPPED, "rounds": 1}, {**own, "clients.count": n})
            for name, own in THEIRS.items()
            for n in counts
        ),
        controls=(Control(_of(FEDAVG, many), "the same training without a mechanism", ""),),
        about="processor",
        note="Time in a simulation is its program's. In this one most of it is training: a quarter fewer "
        "clients train, each on its part of the same images.",
    )


PAPER = paper(
    "optimal_ldp_fl",
    order=4,
    label="Optimal LDP-FL",
    source="Paper 004: Zhao et al., Electronics 11, 4007 (2022)",
    example=BASE,
    tables=tuple(
        grid(
            (f"clients-{dataset}", "Fig. 3", f"accuracy (%) by the number of clients, {dataset}"),
            {str(count): (f"clients-{dataset}", count) for count in counts},
            {name: name for name in (FEDAVG, DUCHI, OPTIMAL)},
            lambda count, name: _of(name, count),
        )
        for dataset, counts in (("digits", (25, 100, 400)), ("mnist", (50, 200)))
    ),
    claims=(
        _clients("clients-digits", DIGITS, "digits", (25, 100, 400), "1 437 images for all clients"),
        _budgets("budgets-digits", DIGITS, "digits", PER_CLIENT),
        _drawn(),
        TRAFFIC,
        _time((50, 100, 200)),
        _clients("clients-mnist", CAPPED, "MNIST", (50, 200), "60 000 images for all clients"),
        _budgets("budgets-mnist", CAPPED, "MNIST", "300 images a client"),
    ),
)
