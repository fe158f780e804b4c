"""A model that answers any number of runs at once: `python -m bench.model` prints its address and serves.

Which reply it sends depends only on how many replies the conversation holds already, so that runs need no order.
`GET times` tells of each request when it had arrived and when its reply had been sent, in seconds of the clock.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from typing import Any

from tests.server.five_turns import FIVE_TURNS

PIECE = 24  # characters of one streamed piece
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"

times: list[tuple[float, float]] = []


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, delay: float) -> None:
    """One connection, which stays open over requests: the first byte after `delay` seconds, the rest at once."""
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
            if head.startswith("get "):
                told = json.dumps(times).encode()
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(told), told))
                continue
            length = int(head.partition("content-length:")[2].partition("\r\n")[0])
            body = json.loads(await reader.readexactly(length))
            arrived = time.time()
            await asyncio.sleep(delay)
            pieces = [*(_event(part) for part in _parts(body)), b"data: [DONE]\n\n"]
            writer.write(HEAD + b"".join(b"%x\r\n%s\r\n" % (len(p), p) for p in pieces) + b"0\r\n\r\n")
            await writer.drain()
            times.append((arrived, time.time()))
    except (asyncio.IncompleteReadError, ConnectionError):
        pass  # the caller went away
    finally:
        writer.close()


def _parts(body: dict[str, Any]) -> list[dict[str, Any]]:
    said = sum(message["role"] == "assistant" for message in body["messages"])
    text = FIVE_TURNS[min(said, len(FIVE_TURNS) - 1)]
    pieces = [text[start : start + PIECE] for start in range(0, len(text), PIECE)]
    usage = {"prompt_tokens": 2000, "completion_tokens": len(text) // 4, "total_tokens": 2000 + len(text) // 4}
    return [
        *({"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]} for piece in pieces),
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
        {"choices": [], "usage": usage},
    ]


def _event(part: dict[str, Any]) -> bytes:
    frame = {"id": "bench", "object": "chat.completion.chunk", "created": 0, "model": "bench", **part}
    return f"data: {json.dumps(frame)}\n\n".encode()


async def serve(delay: float) -> None:
    server = await asyncio.start_server(lambda r, w: answer(r, w, delay), "127.0.0.1", 0, backlog=512)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench.model", description=__doc__)
    parser.add_argument("--delay", type=float, default=0.2, metavar="S")
    asyncio.run(serve(parser.parse_args().delay))
