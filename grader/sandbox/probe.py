"""Find out whether a sandbox can be started here, by starting one."""

from __future__ import annotations

import functools
import tempfile
from dataclasses import dataclass
from pathlib import Path

from grader.sandbox.ends import Ended, SandboxError, Unavailable
from grader.sandbox.kernel import Gone
from grader.sandbox.limits import Limits
from grader.sandbox.process import Sandbox

_INSIDE = """
from grader.sandbox import inside
channel = inside.Channel.take()
inside.lock_down()
channel.send(b"ready")
channel.receive()  # stays to be measured
"""


@dataclass(frozen=True)
class Probe:
    """`ok`, or the sentence that says what is missing and what to set."""

    ok: bool
    why: str = ""


@functools.cache
def available() -> Probe:
    """Start an empty sandbox, once per process, and say whether it worked."""
    with tempfile.TemporaryDirectory(prefix="headroom-") as folder:
        script = Path(folder, "probe_inside.py")
        script.write_text(_INSIDE)
        try:
            with Sandbox.start(
                "probe_inside", files={"probe_inside.py": script}, limits=Limits(wall_seconds=20)
            ) as box:
                try:
                    box.receive(20)
                except Ended as end:
                    return Probe(False, explain(box.output or str(end)))
                if not box.process.high_water_bytes():
                    return Probe(False, "The kernel does not tell the high-water mark of a process (VmHWM in /proc).")
                box.process.reset_high_water()
        except Unavailable as error:
            return Probe(False, explain(str(error)))
        except (SandboxError, Gone, OSError) as error:
            return Probe(False, f"A sandbox started but could not be measured: {error}")
    return Probe(True)


def explain(said: str) -> str:
    """Return what bubblewrap said together with what to do about it on this machine."""
    said = said.strip()
    if said.startswith("bubblewrap is not installed"):
        return said
    return f"The sandbox cannot be started ({said.splitlines()[-1] if said else 'no message'}). {_remedy(said)}"


def _remedy(said: str) -> str:
    if _setting("kernel/apparmor_restrict_unprivileged_userns") == "1":
        return (
            "This system forbids unprivileged user namespaces: as root, run "
            "`sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`, or give bwrap an AppArmor profile "
            "with the rule `userns`."
        )
    if _setting("kernel/unprivileged_userns_clone") == "0":
        return "As root, run `sysctl -w kernel.unprivileged_userns_clone=1`."
    if _setting("user/max_user_namespaces") == "0" or "No space left on device" in said:
        return "As root, run `sysctl -w user.max_user_namespaces=15000`."
    if "proc" in said and "mount" in said.lower():
        return (
            "A container hides parts of /proc, which forbids mounting a new one: start the container with "
            "`--security-opt systempaths=unconfined`."
        )
    if "ermission" in said or "not permitted" in said:
        return (
            "In a container, start it with a seccomp and AppArmor profile that allow user namespaces "
            "(`--security-opt seccomp=unconfined --security-opt apparmor=unconfined`, or a profile with "
            "unshare, clone, mount, umount2 and pivot_root allowed)."
        )
    return "Run `bwrap --unshare-all --ro-bind / / true` to see what it needs."


def _setting(name: str) -> str:
    try:
        return Path("/proc/sys", name).read_text().strip()
    except OSError:
        return ""
