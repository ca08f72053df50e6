"""Charts of one client's attack over rounds, for all runs."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from ldp_core.experiment import Draft
from ldp_core.inference import wilson
from ldp_core.runs import Tries
from pages.parts.charts.attack_rounds import (
    MOST_CAPS,
    TriesBySeries,
    drawn_caps,
    picked_figure,
    pixels_figure,
    returned_figure,
)
from pages.parts.charts.series import Series
from pages.parts.charts.tally import attempts_on, between, tally
from pages.parts.train.ledger_panel import named_clients
from pages.parts.train.server_panel import asked_by
from pages.parts.ui import components
from pages.parts.ui.components import ChartCard
from pages.parts.ui.fields import switch
from pages.parts.ui.shared_cache import Moment, once
from pages.parts.ui.text import covered, number

PLACE = {"height": 290, "row": 2}
MOST_BUDGETS = 3
"""Largest number of a client's budgets that are listed one by one."""


def attack_rounds(draft: Draft, shown: Sequence[Series], upload: str, moment: Moment) -> None:
    """Draw the chosen client's charts, cached by `moment`; nothing before the first round."""
    tried = (client for one in shown for run in one.runs for kind, client in run.tries if kind == upload)
    if not (clients := list(dict.fromkeys(tried))):
        return
    with st.container(border=True, key="attacked"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown("**What the server learns, round by round, of**")
            names = client_names(draft, shown)
            labels = {
                one: f"client {one + 1}" + (f": {names[one]}" if one in names else "") for one in clients
            }
            client = switch("Client under attack", labels, f"client under attack {clients}")
        attacked = [(one, tries) for one in shown if (tries := attempts_on(one, upload, client))]
        if not attacked:
            st.caption("waiting for its first upload")
            return
        build = _real_cards if upload == "real" else _audit_cards
        place = ("attacked", moment.job, upload, client)
        sheet = once(place, lambda: components.sheet(build(attacked, draft.lengths[1])), moment)
        components.draw("cards", sheet, key="attack rounds")


def client_names(draft: Draft, shown: Sequence[Series]) -> dict[int, str]:
    """Description of each attacked client: its ε in each run, or its rank among equals."""
    asked: dict[int, set[float]] = {}
    for one in shown:
        for client in one.runs[0].targets:
            asked.setdefault(client, set()).add(asked_by(one, client))
    names = {}
    for client, found in asked.items():
        every = [number(epsilon) for epsilon in sorted(found)]
        asks = " or ".join(every) if len(every) <= MOST_BUDGETS else f"{every[0]} to {every[-1]}"
        names[client] = f"ε {asks}{covered(draft.base)}"
    places = [named_clients(experiment) for experiment in draft.experiments()]
    if len(places[0]) > 1 and all(one == places[0] for one in places):
        names |= {client: name for name, client in places[0].items()}
    return names


def _audit_cards(attacked: TriesBySeries, rounds: int) -> list[ChartCard]:
    cards = [_pixels(attacked, rounds, "", "an upload of one image, one step")]
    counts = [(one.label, count) for one, tries in attacked if (count := tally(tries))]
    if counts:
        few = len(counts) <= MOST_CAPS  # of many, the bands tell the intervals
        words = "; ".join(
            f"{label} {c.picked} of {c.n}" + (f" ({between(*c.interval)})" if few else "")
            for label, c in counts
        )
        own = [(one.label, count) for one, tries in attacked if (count := tally(tries, same_class=True))]
        among = "; ".join(f"{label} {count.picked} of {count.n}" for label, count in own)
        card = ChartCard(
            title="Can the server tell which image it was?",
            rest=f" One of {counts[0][1].candidates}, drawn afresh each time: share of right picks",
            caption=f"Right picks: {words}; by guessing {counts[0][1].guessed}. "
            + (f"Among images of one class: {among}. " if among else "")
            + _worst_case(attacked),
            figure=picked_figure(attacked, rounds),
            label=f"Share of rounds so far in which the server picked the right image. {words}.",
            **PLACE,
        )
        cards.append(card)
    return cards


def _real_cards(attacked: TriesBySeries, rounds: int) -> list[ChartCard]:
    words = "; ".join(f"{one.label}: {_returned(tries)}" for one, tries in attacked)
    back = ChartCard(
        title="How many of its images are back?",
        rest=" share with 20 dB or more",
        caption=f"In the newest round: {words}.",
        figure=returned_figure(attacked, rounds),
        label=f"Share of a real upload's images that came back, by round. {words}.",
        **PLACE,
    )
    best = " of the image that came back best"
    return [_pixels(attacked, rounds, best, "an upload as the client sends it"), back]


def _pixels(attacked: TriesBySeries, rounds: int, what: str, upload: str) -> ChartCard:
    seeds = max(len(tries) for _, tries in attacked)
    spread = f"; line: mean of {seeds} seeds, band: lowest and highest" if seeds > 1 else ""
    newest = "; ".join(f"{one.label}: {tries[0].psnr[None][-1]:.1f} dB" for one, tries in attacked)
    return ChartCard(
        title="Do its pixels come back?",
        rest=f" PSNR{what} in dB",
        caption=f"{upload}{spread}",
        figure=pixels_figure(attacked, rounds),
        label=f"PSNR by round. First seed, newest round: {newest}.",
        **PLACE,
    )


def _worst_case(attacked: TriesBySeries) -> str:
    caps = [cap for _, tries in attacked for cap in (tries[0].newest or {}).get("caps", ())]
    words = list(dict.fromkeys(cap["label"] for cap in caps if cap["name"] != "instance"))
    if not words:
        return ""
    drawn = "Too many bounds to draw."
    if drawn_caps(attacked)[0]:
        drawn = "Dashed: no attacker picks more often than that, on average; the smallest bound that we know."
    if len(words) == 1:
        return f"{drawn} {words[0].capitalize()}."
    return f"{drawn} For any images, run by run: {'; '.join(words)}."


def _returned(tries: Sequence[Tries]) -> str:
    back = round(float(np.nan_to_num([mine.recovered[None][-1] for mine in tries]).sum()))
    n = sum(mine.images for mine in tries)
    return f"{back} of {n} ({between(*wilson(back, n))})"
