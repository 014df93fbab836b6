# outcome: failed
# failing: saved-bytes, peak-bytes
"""Opens and makes devices: disks, memory, the machine's terminals, the GPU."""
import os
import stat


def refused(attempt):
    """Say whether the attempt was refused by an error."""
    try:
        attempt()
    except (OSError, ValueError, ImportError, AttributeError):
        return True
    return False


assert refused(lambda: open("/dev/mem", "rb"))
assert refused(lambda: open("/dev/kmsg", "rb"))
assert refused(lambda: open("/dev/sda", "rb"))
assert refused(lambda: open("/dev/vda", "rb"))
assert refused(lambda: open("/dev/tty", "rb"))
assert refused(lambda: open("/dev/kvm", "rb"))
assert refused(lambda: open("/dev/fuse", "rb"))
assert refused(lambda: open("/dev/nvidia0", "rb"))
assert refused(lambda: open("/dev/zero", "rb"))
assert refused(lambda: open("/dev/shm/x", "rb"))
assert refused(lambda: os.mknod("/tmp/disk", stat.S_IFBLK | 0o600, os.makedev(8, 0)))
assert refused(lambda: os.mknod("/tmp/mem", stat.S_IFCHR | 0o600, os.makedev(1, 1)))


def checkpoint(function, *args, **kwargs):
    return function(*args, **kwargs)
