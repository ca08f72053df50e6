"""The server: sends the model, weighs the answers by public facts, and sees no weight without its noise."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from flwr.app import Array, ArrayRecord, ConfigRecord, Context, Message, MetricRecord
from flwr.serverapp import Grid, ServerApp
from flwr.serverapp.strategy import FedAvg

from studio_app import aggregation, mechanism, settings, task

app = ServerApp()


class ByBudget(FedAvg):
    """Federated averaging whose weights follow from the clients' budgets and safe ranges."""

    def __init__(self, run: dict[str, Any]) -> None:
        count = len(run["clients"])
        super().__init__(
            fraction_train=run["fraction"],
            fraction_evaluate=0.0,
            min_train_nodes=max(1, round(run["fraction"] * count)),
            min_available_nodes=count,
        )
        self._run = run
        self._current = ArrayRecord()

    def configure_train(
        self, server_round: int, arrays: ArrayRecord, config: ConfigRecord, grid: Grid
    ) -> Iterable[Message]:
        """As federated averaging does; the model that is sent is kept."""
        self._current = arrays
        return super().configure_train(server_round, arrays, config, grid)

    def aggregate_train(
        self, server_round: int, replies: Iterable[Message]
    ) -> tuple[ArrayRecord | None, MetricRecord | None]:
        """The next model, from whoever has answered."""
        answered, _ = self._check_and_log_replies(replies, is_train=True, validate=False)
        if not answered:
            return None, None
        run, told = self._run, [message.content["metrics"] for message in answered]
        fields = settings.Budget._fields
        public = [settings.Budget(*(float(one[name]) for name in fields)) for one in told]
        weights = aggregation.weights(
            run,
            [mechanism.worst_variance(run, budget) for budget in public],
            [float(one.get("num-examples", 1)) for one in told],
        )
        if not weights.any():
            return self._current, MetricRecord({"answers": 0})
        hull = (min(low for _, low, _ in public), max(high for _, _, high in public))
        arrays = {}
        for name, current in self._current.items():
            uploads = np.stack([message.content["arrays"][name].numpy() for message in answered])
            total = np.tensordot(weights, uploads.astype(np.float64), axes=1)
            found = aggregation.step(current.numpy(), total, run["target"], hull if run["project"] else None)
            arrays[name] = Array(found.astype(np.float32))
        return ArrayRecord(arrays), MetricRecord({"answers": len(answered)})


@app.main()
def main(grid: Grid, context: Context) -> None:
    """All rounds; the accuracy after each stands in the log."""
    run = settings.chosen(context.run_config)

    def evaluate(number: int, arrays: ArrayRecord) -> MetricRecord:
        model = {name: array.numpy() for name, array in arrays.items()}
        return MetricRecord({"accuracy": task.accuracy(model)})

    initial = ArrayRecord({name: Array(array) for name, array in task.initial(run).items()})
    ByBudget(run).start(
        grid,
        initial,
        num_rounds=int(context.run_config["rounds"]) or run["rounds"],
        evaluate_fn=evaluate,
    )
