"""A Flower mod that saves what a client sends: `ClientApp(mods=[save_upload])`, then

    python -m ldp_core inspect upload.npz --card CARD.json

The card says what the file cannot: {"model": {"layers": "dense 32 relu"}, "shape": [8, 8], "classes": 10,
"steps": 1, "batch": 1, "learning_rate": 0.1}. Put the mod first: it then sees what the others
send, clipped and with noise.
"""

import numpy as np
from flwr.app import Context, Message, MessageType
from flwr.clientapp.typing import ClientAppCallable

FILE = "upload.npz"


def save_upload(message: Message, context: Context, call_next: ClientAppCallable) -> Message:
    """Let the app train, and keep the weights that came in and those that go out."""
    reply = call_next(message, context)
    if message.metadata.message_type == MessageType.TRAIN and not reply.has_error():
        begun = next(iter(message.content.array_records.values()))
        ended = next(iter(reply.content.array_records.values()))
        arrays = {f"before/{name}": array.numpy() for name, array in begun.items()}
        np.savez(FILE, **arrays, **{f"after/{name}": array.numpy() for name, array in ended.items()})
    return reply
