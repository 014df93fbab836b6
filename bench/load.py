"""Ask a server over and over: bare sockets, so that the asking costs little beside the answer.

gunicorn's sync workers close the connection after each answer, so every request has a connection of its own, as it
has behind a proxy. Two at once: one for each worker, and none waits in a queue of our making.
"""

from __future__ import annotations

import socket
import threading
import time
from dataclasses import dataclass

TIMEOUT_S = 30.0


@dataclass(frozen=True)
class Answers:
    """What came of a round: answers a second, and each answer's milliseconds, sorted."""

    rate: float
    milliseconds: list[float]
    bytes: int


class Unexpected(Exception):
    """The server answered something else than 200."""


def request(host: str, path: str, cookie: str = "") -> bytes:
    """Return a request as a proxy of ours hands it on."""
    lines = [
        f"GET {path} HTTP/1.1",
        f"Host: {host}",
        "X-Forwarded-Proto: https",
        "X-Forwarded-For: 203.0.113.7",
        "Accept: text/html",
        "Accept-Encoding: identity",
        *([f"Cookie: {cookie}"] if cookie else []),
        "Connection: close",
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def ask(port: int, sent: bytes) -> bytes:
    """Send one request and return the whole answer, head and body. Raises Unexpected."""
    with socket.create_connection(("127.0.0.1", port), TIMEOUT_S) as connection:
        connection.sendall(sent)
        parts = []
        while part := connection.recv(1 << 18):
            parts.append(part)
    answer = b"".join(parts)
    if not answer.startswith(b"HTTP/1.1 200"):
        raise Unexpected(f"{sent.split()[1].decode()} answered {answer[:120]!r}")
    return answer


def round_of(port: int, sent: bytes, seconds: float, at_once: int = 2) -> Answers:
    """Ask for `seconds`, `at_once` at a time. Raises what a request raised."""
    times: list[float] = []
    size = 0
    problems: list[Exception] = []
    began = time.perf_counter()

    def client() -> None:
        nonlocal size
        try:
            while (started := time.perf_counter()) < began + seconds:
                size = len(ask(port, sent))
                times.append((time.perf_counter() - started) * 1000)
        except Exception as problem:
            problems.append(problem)

    threads = [threading.Thread(target=client) for _ in range(at_once)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if problems:
        raise problems[0]
    return Answers(len(times) / (time.perf_counter() - began), sorted(times), size)


def at_share(milliseconds: list[float], share: float) -> float:
    """Return the value that `share` of a sorted sample does not exceed."""
    return milliseconds[min(len(milliseconds) - 1, int(share * len(milliseconds)))]
