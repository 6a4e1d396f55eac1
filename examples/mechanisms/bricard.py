"""The Bricard mechanism of Appendix D: six joints, six constraints, one of them redundant, so it moves."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from drawing import draw_space, save

from dalembert.mechanisms.gallery import bricard


def main() -> None:
    loop = bricard()
    print(loop, "-", loop.mobility())
    start = loop.home[5]
    angles = np.linspace(start, start - 0.9, 40)
    motion = loop.follow(angles[:, None])
    print(f"loop closed to {np.abs(loop.closure_error(motion)).max():.1e} along the motion")
    inertia = loop.model(motion).inertia[:, 0, 0]

    figure = plt.figure(figsize=(10, 4.2))
    space = figure.add_subplot(1, 2, 1, projection="3d")
    for k, alpha in ((0, 1.0), (20, 0.5), (39, 0.25)):
        draw_space(space, loop, motion[k], "tab:purple", alpha)
    axes = figure.add_subplot(1, 2, 2)
    axes.plot(np.degrees(angles), np.degrees(motion[:, 0]), label="joints 1, 3, 5 [deg]")
    axes.plot(np.degrees(angles), np.degrees(motion[:, 1]), label="joints 2, 4, 6 [deg]")
    axes.plot(np.degrees(angles), 1e3 * inertia, label="I* at joint 6 [g m^2]")
    axes.set_xlabel("joint 6 [deg]")
    axes.legend()
    save(figure, "bricard")


if __name__ == "__main__":
    main()
