"""Large blocks have pages of their own however old the heap is, so that the kernel's figure follows the allocator's."""

import json
import os
import subprocess
import sys

from grader.heap import LARGE_BYTES
from grader.sandbox import bwrap

HOLES = """
import ctypes
from grader import heap

libc = heap._libc
BLOCK, COUNT = 40_000, 400
blocks = [libc.malloc(BLOCK) for _ in range(COUNT)]
for block in blocks[:-1]:  # the last one stays, so that malloc cannot give back what lies below it
    libc.free(block)
heap.settle()

def in_heap(size):
    address = libc.malloc(size)
    libc.free(address)
    return address < libc.sbrk(0)

holes = heap.Holes()
said = [in_heap(1 << 20), in_heap(heap.LARGE_BYTES)]
holes.close()
said += [in_heap(1 << 20), in_heap(heap.LARGE_BYTES), in_heap(1000)]
holes.open()
said += [in_heap(1 << 20)]
print(said)
"""

TIMED = """
from grader import heap

libc = heap._libc

def in_heap(size):
    address = libc.malloc(size)
    libc.free(address)
    return address < libc.sbrk(0)

said = [in_heap(1 << 20)]
heap.keep_what_is_freed()
said += [in_heap(1 << 20), in_heap(64 << 20)]
print(said)
"""

RUNS = """
import json, re, sys, types
from pathlib import Path
import torch
from grader import meter
from grader.program import Program
from grader.subject import Subject

def status(name):
    return int(re.search(name + r":\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) * 1024

class Judge:
    '''What the subject sees of the judge: it looks at the high-water mark once the update has run.'''
    def send(self, *parts): pass
    def receive(self):
        self.risen = status("VmHWM") - self.before
        return b""

def prepare(case, entry):
    # The last ones are small and stay: what the meter takes to work its record out lies above and below them.
    keys = torch.randn(4, 512, 64)
    kept = []
    def forward():
        for turn in range(400):
            part = (keys[:, : 256 + turn % 8] * 2).exp()  # 260 kB, freed at once
            if turn % 20 == 0:
                kept.append(part.sum())
    return Program(phases=[("forward", forward)], observe=dict, inputs=[keys])

meter.warm()
subject = Subject(Judge())
subject.harness = types.SimpleNamespace(prepare=prepare)
subject.warm({})
beyond = []
for _ in range(4):
    subject.prepare({}, measure=True)
    Path("/proc/self/clear_refs").write_text("5")
    subject.channel.before = status("VmRSS")
    subject.go()
    beyond.append(subject.channel.risen - subject.metered.peak_bytes)
print(json.dumps(beyond))
"""


def test_it_is_the_sandboxs_threshold():
    assert bwrap.ENVIRONMENT["MALLOC_MMAP_THRESHOLD_"] == str(LARGE_BYTES)


def test_a_closed_hole_takes_no_large_block_and_an_opened_one_does():
    assert played(HOLES) == "[True, True, False, False, True, True]"


def test_what_is_timed_takes_its_large_blocks_from_the_heap_again():
    assert played(TIMED) == "[False, True, False]"


def test_what_the_kernel_sees_beyond_the_allocator_does_not_grow_with_the_runs_metered_before():
    beyond = json.loads(played(RUNS))
    assert max(beyond[1:]) <= beyond[0] + 500_000, beyond


def played(code: str) -> str:
    """Run code in a process with the sandbox's malloc, and return what it printed."""
    environment = {**os.environ, "MALLOC_MMAP_THRESHOLD_": str(LARGE_BYTES)}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.strip()
