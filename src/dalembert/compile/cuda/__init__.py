"""The same graphs as CUDA: source, compilation, calls on arrays of the device, rollouts."""
