"""Several processes on one machine as ranks: a ring between them whose every message is counted."""

from __future__ import annotations

import json
import multiprocessing
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor

from grader import meter

RANKS = 4


class Ring:
    """Collectives over the first dimension, by messages to the right-hand neighbour; `sent_bytes` counts this rank's.

    Each message is a tensor of ours, so what a collective needs beside its result is seen by the meter too.
    """

    def __init__(self, rank: int, ranks: int) -> None:
        self.rank, self.ranks, self.sent_bytes, self.messages = rank, ranks, 0, 0

    def _shift(self, message: Tensor, room: Tensor) -> Tensor:
        """Send to the right, receive from the left."""
        waiting = dist.isend(message, (self.rank + 1) % self.ranks)
        dist.recv(room, (self.rank - 1) % self.ranks)
        if waiting is not None:
            waiting.wait()
        self.sent_bytes += message.nbytes
        self.messages += 1
        return room

    def reduce_scatter(self, whole: Tensor) -> Tensor:
        """Return this rank's share, its place along the first dimension, of the sum over ranks."""
        shares = list(whole.contiguous().chunk(self.ranks))
        travelling = shares[(self.rank - 1) % self.ranks].clone()
        room = torch.empty_like(travelling)
        for step in range(2, self.ranks + 1):
            room = self._shift(travelling, room)
            room += shares[(self.rank - step) % self.ranks]
            travelling, room = room, travelling
        return travelling

    def all_gather(self, share: Tensor, into: Tensor | None = None) -> Tensor:
        """Return the shares of all ranks one after the other; `into` is filled where it is given."""
        whole = share.new_empty(self.ranks * share.shape[0], *share.shape[1:]) if into is None else into
        shares = list(whole.chunk(self.ranks))
        shares[self.rank].copy_(share)
        for step in range(self.ranks - 1):
            self._shift(shares[(self.rank - step) % self.ranks], shares[(self.rank - step - 1) % self.ranks])
        return whole

    def all_reduce(self, whole: Tensor) -> Tensor:
        """Return the sum over ranks, on every rank: the other two, one after the other."""
        return self.all_gather(self.reduce_scatter(whole))


# what a rank does with its ring; returns what can be written as JSON
Work = Callable[[Ring], dict[str, Any]]


def run(work: Work, ranks: int = RANKS) -> list[dict[str, Any]]:
    """Run `work`, a function of a module, on as many processes; return what each returned, by rank.

    Raises RuntimeError where a rank did not end well.
    """
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        started = [context.Process(target=_rank, args=(work, rank, ranks, folder)) for rank in range(ranks)]
        for process in started:
            process.start()
        for process in started:
            process.join()
        if failed := [rank for rank, process in enumerate(started) if process.exitcode]:
            raise RuntimeError(f"rank {failed[0]} of {ranks} failed; it says above why")
        return [json.loads(Path(folder, f"{rank}.json").read_text()) for rank in range(ranks)]


def _rank(work: Work, rank: int, ranks: int, folder: str) -> None:
    torch.set_num_threads(1)
    meter.warm()
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=ranks)
    try:
        Path(folder, f"{rank}.json").write_text(json.dumps(work(Ring(rank, ranks))))
        dist.barrier()
    finally:
        dist.destroy_process_group()
