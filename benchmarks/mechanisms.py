"""Speed of mechanisms: the whole model of a Stewart platform, the five-bar beside MuJoCo, growth with the legs.

    python benchmarks/mechanisms.py [--quick]

One thread. MuJoCo, where it is installed, solves its constraints softly and iteratively (mj_forward with an equality
constraint); ours are exact. The figures are therefore of what each tool gives its user, not of equal work.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

from dalembert.mechanisms import gallery
from dalembert.mechanisms.mechanism import Mechanism


def seconds(call: Callable[[], object], least: float = 0.5) -> float:
    """Best time of one call, over at least ``least`` seconds and three calls, after one to warm up."""
    call()
    best, spent, count = np.inf, 0.0, 0
    while spent < least or count < 3:
        start = time.perf_counter()
        call()
        took = time.perf_counter() - start
        best, spent, count = min(best, took), spent + took, count + 1
    return best


def batch_of(mechanism: Mechanism, count: int) -> np.ndarray:
    """Closed configurations near home."""
    rng = np.random.default_rng(0)
    few = mechanism.closed_near(mechanism.home + 0.01 * rng.normal(size=(50, mechanism.m)))
    return np.tile(few, (count // 50 + 1, 1))[:count]


def stewart(count: int) -> None:
    print(f"Stewart platform, six general 6R legs: G, H, I*, P* of {count} configurations, per configuration")
    for name, platform in (("NumPy", gallery.stewart()), ("compiled", gallery.stewart().compiled())):
        phi = batch_of(platform, count)
        took = seconds(lambda m=platform, x=phi: m.model(x), 0.1)
        print(f"  {name:<16} {1e6 * took / count:8.1f} us")


def growth(count: int) -> None:
    print(f"Growth with the legs, compiled, per configuration in a batch of {count}")
    for legs in (2, 3, 4, 6, 8):
        platform = gallery.stewart(legs).compiled()
        phi = batch_of(platform, count)
        took = seconds(lambda m=platform, x=phi: m.model(x), 0.1)
        print(f"  {legs} legs, {platform.m} joints {1e6 * took / count:8.1f} us")


def five_bar(count: int) -> None:
    print("Five-bar, forward dynamics")
    bar = gallery.five_bar()
    fast = bar.compiled()
    phi = batch_of(bar, count)
    qd, torque = np.array([0.3, -0.2]), np.array([0.1, 0.2])
    print(f"  ours, batch of {count}: {1e6 * seconds(lambda: bar.forward_dynamics(phi, qd, torque)) / count:8.2f} us")
    print(f"  ours, compiled:         {1e6 * seconds(lambda: fast.forward_dynamics(phi, qd, torque)) / count:8.2f} us")
    print(f"  ours, one state:        {1e6 * seconds(lambda: fast.forward_dynamics(phi[0], qd, torque)):8.1f} us")
    try:
        import mujoco
    except ImportError:
        print("  MuJoCo is not installed")
        return
    model = mujoco.MjModel.from_xml_string(mjcf())
    data = mujoco.MjData(model)
    data.qpos[:] = bar.home

    def forward() -> None:
        for _ in range(1000):
            mujoco.mj_forward(model, data)

    print(f"  MuJoCo mj_forward:      {1e6 * seconds(forward) / 1000:8.2f} us (soft constraint, loop in Python)")


def mjcf() -> str:
    """The five-bar of the gallery for MuJoCo."""

    def link(name: str, length: float, mass: float, inner: str) -> str:
        spin = mass * length**2 / 12
        return (
            f'<joint name="{name}" axis="0 0 1"/><inertial pos="{length / 2} 0 0" mass="{mass}" '
            f'diaginertia="{spin / 100} {spin} {spin}"/>{inner}'
        )

    def arm(side: str, x: float) -> str:
        outer = f'<body name="{side}2" pos="0.3 0 0">{link(side + "b", 0.5, 0.6, "")}</body>'
        return f'<body name="{side}1" pos="{x} 0 0">{link(side + "a", 0.3, 0.8, outer)}</body>'

    return (
        f'<mujoco><compiler angle="radian"/><option gravity="0 -9.81 0"/><worldbody>{arm("l", 0.0)}{arm("r", 0.4)}'
        f'</worldbody><equality><connect body1="l2" body2="r2" anchor="0.5 0 0"/></equality></mujoco>'
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small batches, to see that it runs")
    count = 500 if parser.parse_args().quick else 10_000
    stewart(count)
    five_bar(count)
    growth(min(count, 2000))


if __name__ == "__main__":
    main()
