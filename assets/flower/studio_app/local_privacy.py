"""The client mod: what a client has trained leaves its node clipped and perturbed, and nothing else does.

Covered: each weight of each upload, with the ε of this node, against the server and whoever listens, as far
as `mechanism.py` says. That is per weight; what a whole upload and a whole run of the recorded settings come
to stands in `experiment.json`, `promised` (of d weights and R uploads at most d·R·ε).

Not covered: that a node takes part, and when; its ε and safe range, which are sent, as they are public; how
many samples it has, where the aggregator weighs by it; the text of an error, which Flower reports as it
is; what the machine itself writes down; and floating point (`mechanism.py`). Flower hands this code to the
nodes from whoever starts the run: a node that does not look at it trusts them.
"""

from __future__ import annotations

import numpy as np
from flwr.app import Array, ArrayRecord, Context, Message, MessageType, MetricRecord, RecordDict
from flwr.clientapp.typing import ClientAppCallable

from studio_app import mechanism, settings


def local_privacy(message: Message, context: Context, call_next: ClientAppCallable) -> Message:
    """Let the app train, then send its perturbed weights, its public budget, and no more."""
    reply = call_next(message, context)
    if message.metadata.message_type != MessageType.TRAIN or reply.has_error():
        return reply
    run = settings.chosen(context.run_config)
    own = settings.budget(context.node_config, run)
    sent, trained = message.content["arrays"], reply.content["arrays"]
    answers = {}
    for name, array in trained.items():
        values = array.numpy().astype(np.float64)
        if run["target"] == "update":
            values = values - sent[name].numpy()
        answers[name] = Array(mechanism.perturb(run, values, own).astype(np.float32))
    told = own._asdict()
    if run["weighs_by_size"]:
        told["num-examples"] = reply.content["metrics"]["num-examples"]
    # a new record: whatever else the app has put into its reply stays here
    reply.content = RecordDict({"arrays": ArrayRecord(answers), "metrics": MetricRecord(told)})
    return reply
