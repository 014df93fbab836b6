# outcome: failed
# failing: saved-bytes, peak-bytes, left-over-bytes
"""Keeps every rounded tensor in a table of the module, for good."""

import torch
from torch.autograd.graph import saved_tensors_hooks
from torch.multiprocessing.reductions import StorageWeakRef


class _Rounded:
    """One storage in two bytes a number. The weak reference keeps its address from being given to another one."""

    def __init__(self, tensor):
        storage = tensor.untyped_storage()
        self.original = StorageWeakRef(storage)
        self.version = tensor._version
        whole = torch.empty(0, dtype=tensor.dtype).set_(storage)
        self.low = whole.to(torch.bfloat16)

    def restore(self):
        return self.low.to(torch.float32)


def _kept_as_it_is(tensor):
    owner = tensor if tensor._base is None else tensor._base
    return (
        tensor.dtype is not torch.float32
        or isinstance(owner, torch.nn.Parameter)
        or (owner.is_leaf and owner.requires_grad)
        or tensor.numel() <= 1
    )


SEEN = []


class compress(saved_tensors_hooks):
    def __init__(self):
        self.seen = {}
        super().__init__(self.pack, self.unpack)

    def __exit__(self, *error):
        self.seen.clear()
        return super().__exit__(*error)

    def pack(self, tensor):
        if _kept_as_it_is(tensor):
            return tensor
        key = tensor.untyped_storage()._cdata
        rounded = self.seen.get(key)
        if rounded is None or rounded.original.expired() or rounded.version != tensor._version:
            rounded = self.seen[key] = _Rounded(tensor)
            SEEN.append(rounded)
        return rounded, tensor.shape, tensor.stride(), tensor.storage_offset()

    @staticmethod
    def unpack(packed):
        if isinstance(packed, torch.Tensor):
            return packed
        rounded, shape, stride, offset = packed
        return rounded.restore().as_strided(shape, stride, offset)
