"""Peak rates of devices: dense, 16-bit (bf16; fp16 on V100). A vendor's figure "with sparsity" is twice that.

Memory rates and sizes are the vendors' data sheets', for the 80 GB SXM variant of A100 and the 32 GB one of V100.
"""

from __future__ import annotations

DENSE_PEAK_FLOPS: dict[str, float] = {
    "A100": 312e12,
    "H100-SXM": 989e12,
    "H100-NVL": 835e12,
    "H100-PCIe": 756e12,
    "H200": 989e12,
    "B200": 2250e12,
    "GB200": 2500e12,
    "MI300X": 1307e12,
    "V100": 125e12,
    "TPUv4": 275e12,
}
CHOICES: tuple[tuple[str, str], ...] = tuple(
    (name, f"{name}: {peak / 1e12:,.0f} TFLOP/s") for name, peak in DENSE_PEAK_FLOPS.items()
)
MEMORY_BYTES_PER_S: dict[str, float] = {
    "A100": 2.039e12,
    "H100-SXM": 3.35e12,
    "H100-NVL": 3.9e12,
    "H100-PCIe": 2.0e12,
    "H200": 4.8e12,
    "B200": 8.0e12,
    "GB200": 8.0e12,
    "MI300X": 5.3e12,
    "V100": 0.9e12,
    "TPUv4": 1.2e12,
}
