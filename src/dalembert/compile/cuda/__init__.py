"""CUDA kernels of the same graphs: source, compilation, calls on device arrays, rollouts."""
