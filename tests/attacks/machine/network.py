# outcome: failed
# failing: saved-bytes, peak-bytes
"""Connects to the internet, to the machine's own services and to a name server."""
import socket
import urllib.request


def refused(attempt):
    """Say whether the attempt was refused by an error."""
    try:
        attempt()
    except (OSError, ValueError, ImportError, AttributeError):
        return True
    return False


assert refused(lambda: socket.create_connection(("127.0.0.1", 6379), timeout=1))
assert refused(lambda: socket.create_connection(("93.184.216.34", 80), timeout=1))
assert refused(lambda: socket.getaddrinfo("example.org", 80))
assert refused(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
assert refused(lambda: urllib.request.urlopen("http://169.254.169.254/latest/meta-data/", timeout=1))


def checkpoint(function, *args, **kwargs):
    return function(*args, **kwargs)
