"""What only a CUDA device can show. `python -m bench.gpu_check` runs these, and every other test marked `gpu`."""
