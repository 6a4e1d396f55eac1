"""The planar five-bar: two assembly modes, dexterity of its tip, and the same motion driven from other joints."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from drawing import draw_plane, save

from dalembert.mechanisms.gallery import five_bar
from dalembert.mechanisms.maps import compare_drives, conditioning_map
from dalembert.mechanisms.singularity import nearest

TIP = ["x(left)", "y(left)"]


def main() -> None:
    bar = five_bar()
    print(bar, "-", bar.mobility())
    q = bar.coordinates_of(bar.home)
    modes = bar.assembly_modes(q)
    print(f"{len(modes)} assembly modes at q = {np.round(q, 3)} rad")
    for kind, output in (("gain", None), ("loss", TIP)):
        found = nearest(bar, bar.home, kind, output)
        if found:
            print(f"nearest {kind} of freedom: {found.distance:.3f} rad away, at {np.round(found.phi, 3)}")
    for drive in compare_drives(
        bar, [["left.joint1", "right.joint1"], ["left.joint1", "left.joint2"], ["left.joint2", "right.joint2"]],
        bar.home, [0.5, -0.2], [1.0, 0.3],
    ):  # fmt: skip
        print(
            f"driven at {', '.join(drive.coordinates)}: conditioning {drive.conditioning:.3f}, "
            f"loads {drive.torque.round(3)} N m"
        )
    axis = np.linspace(0.2, np.pi - 0.2, 60)
    found = conditioning_map(bar, [axis, axis], TIP)

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2))
    for mode, colour in zip(modes, ("tab:blue", "tab:orange"), strict=False):
        draw_plane(left, bar, mode, colour)
    left.set_title("Two assembly modes at the same cranks")
    mesh = right.pcolormesh(np.degrees(axis), np.degrees(axis), found.dexterity.T, shading="nearest", vmin=0, vmax=1)
    figure.colorbar(mesh, ax=right, label="dexterity of the tip (0 singular, 1 isotropic)")
    right.set_xlabel("left crank [deg]")
    right.set_ylabel("right crank [deg]")
    right.plot(*np.degrees(q), "r+", ms=10)
    right.set_title("White: out of reach, or another mode")
    save(figure, "five_bar")


if __name__ == "__main__":
    main()
