"""The spatial slider-crank of Appendix D: a freedom that nobody drives, over one turn of the crank."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from drawing import draw_space, save

from dalembert.mechanisms.gallery import slider_crank


def main() -> None:
    crank = slider_crank()
    print(crank, "-", crank.mobility())
    q = crank.coordinates_of(crank.home)
    turn = np.linspace(0, 2 * np.pi, 121)
    motion = crank.follow(np.stack([q[0] + turn, np.full_like(turn, q[1])], 1))
    slider = crank.frame(motion, "chain")[:, 2, 3]
    loads = np.array([crank.with_passive(phi, [2 * np.pi, 0.0], [0.0, 0.0])[0][0] for phi in motion])
    spin = np.array([crank.with_passive(phi, [2 * np.pi, 0.0], [0.0, 0.0])[1][1] for phi in motion])
    felt = np.abs(crank.frame_influence(motion, "chain").first[:, :, 1]).max()
    print(f"stroke {np.ptp(slider) * 1e3:.1f} mm; largest effect of the spin on the slider {felt:.1e}")

    figure = plt.figure(figsize=(10, 4.2))
    space = figure.add_subplot(1, 2, 1, projection="3d")
    for k in range(0, 120, 20):
        draw_space(space, crank, motion[k], "tab:blue", 0.25 if k else 1.0)
    space.view_init(18, -60)
    axes = figure.add_subplot(1, 2, 2)
    axes.plot(np.degrees(turn), 1e3 * (slider - slider[0]), label="slider [mm]")
    axes.plot(np.degrees(turn), 50 * loads, label="crank torque at 1 turn/s [N m / 50]")
    axes.plot(np.degrees(turn), spin, label="acceleration of the free spin [rad/s^2]")
    axes.set_xlabel("crank [deg]")
    axes.legend(fontsize=8)
    save(figure, "slider_crank")


if __name__ == "__main__":
    main()
