"""Flower 1.41.0: its simulation on Ray; the argument is the number of actors, a core each."""

import sys
import warnings
from typing import Any

import torch
from flwr import app  # type: ignore[import-not-found]
from flwr.clientapp import ClientApp  # type: ignore[import-not-found]
from flwr.serverapp import Grid, ServerApp  # type: ignore[import-not-found]
from flwr.simulation import run_simulation  # type: ignore[import-not-found]

from tests.benchmarks.contenders.work import CLIENTS, net, samples, serve, trained, vector

ACTORS = int(sys.argv[1])
client, server = ClientApp(), ServerApp()
held: dict[str, Any] = {}
"""What an actor keeps from one client to the next."""


@client.train()  # type: ignore[untyped-decorator]
def train(message: app.Message, context: app.Context) -> app.Message:
    torch.set_num_threads(1)
    if not held:
        held["samples"], held["net"] = samples(), net()
    module, (x, y) = held["net"], held["samples"]
    module.load_state_dict(message.content["model"].to_torch_state_dict())
    mine = int(context.node_config["partition-id"])
    trained(module, x[mine], y[mine])
    return app.Message(app.RecordDict({"model": app.ArrayRecord(module.state_dict())}), reply_to=message)


@server.main()  # type: ignore[untyped-decorator]
def main(grid: Grid, context: app.Context) -> None:
    while len(list(grid.get_node_ids())) < CLIENTS:
        pass
    module = net()
    start = module.state_dict()

    def one_round() -> torch.Tensor:
        record = app.RecordDict({"model": app.ArrayRecord(start)})
        messages = [app.Message(record, node, app.MessageType.TRAIN) for node in grid.get_node_ids()]
        states = [reply.content["model"].to_torch_state_dict() for reply in grid.send_and_receive(messages)]
        module.load_state_dict({name: torch.stack([s[name] for s in states]).mean(0) for name in start})
        moved = vector(module)
        module.load_state_dict(net().state_dict())
        return moved

    start = {name: value.clone() for name, value in start.items()}
    serve(one_round)


warnings.simplefilter("ignore")
backend = {"client_resources": {"num_cpus": 1, "num_gpus": 0.0}, "init_args": {"num_cpus": ACTORS}}
run_simulation(server, client, CLIENTS, backend_config=backend)
