"""Start's picture is the stored ladder's, with what stands beside it computed or measured."""

from ldp_core.runs.stored_ladder import stored_ladder
from pages.parts.start.hero import _data


def test_every_budget_of_the_ladder_has_its_picture_accuracy_and_worth():
    stored, drawn = stored_ladder(), _data()
    assert stored is not None and drawn is not None
    data, _ = drawn
    steps = data["steps"]
    assert [step["name"] for step in steps] == [f"ε {e:g}" for e in sorted(stored.accuracies)]
    assert steps[data["start"]]["name"] == "ε 4"
    first, last = steps[0]["figures"], steps[-1]["figures"]
    words = ["picks 3 of 12 right", "13\u202f% accuracy", "promises nothing"]
    assert [one["words"] for one in first] == words
    assert last[0]["words"] == "picks 12 of 12 right"
    assert steps[0]["image"] != steps[-1]["image"] != data["original"]["image"]
    accuracies = [accuracy for _, accuracy in sorted(stored.accuracies.items())]
    assert accuracies[0] < 0.2 < 0.9 < accuracies[-1]
