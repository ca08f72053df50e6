"""A client: trains on its own samples. Its reply passes through `local_privacy` before it leaves the node."""

from __future__ import annotations

from flwr.app import Array, ArrayRecord, Context, Message, MetricRecord, RecordDict
from flwr.clientapp import ClientApp

from studio_app import settings, task
from studio_app.local_privacy import local_privacy

app = ClientApp(mods=[local_privacy])


@app.train()
def train(message: Message, context: Context) -> Message:
    """One round at this client."""
    run = settings.chosen(context.run_config)
    x, y = task.shard(run, int(context.node_config["partition-id"]))
    model = {name: array.numpy() for name, array in message.content["arrays"].items()}
    trained = task.train(model, x, y, run)
    arrays = ArrayRecord({name: Array(array) for name, array in trained.items()})
    content = RecordDict({"arrays": arrays, "metrics": MetricRecord({"num-examples": len(y)})})
    return Message(content=content, reply_to=message)
