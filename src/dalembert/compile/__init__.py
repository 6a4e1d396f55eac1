"""From graph to machine code: C for controllers, SIMD over a batch; cache and loading."""
