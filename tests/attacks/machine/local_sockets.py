# outcome: failed
# failing: saved-bytes, peak-bytes
"""Looks for sockets of other processes: Unix, netlink, packet and vsock."""
import socket


def refused(attempt):
    """Say whether the attempt was refused by an error."""
    try:
        attempt()
    except (OSError, ValueError, ImportError, AttributeError):
        return True
    return False


assert refused(lambda: socket.socket(socket.AF_UNIX))
assert refused(lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW))
assert refused(lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW))
assert refused(lambda: socket.socket(40))


def checkpoint(function, *args, **kwargs):
    return function(*args, **kwargs)
