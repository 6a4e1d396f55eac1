"""The workspace of the hand as a cloud of points, coloured; it follows the design."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..report.arm3d import travel
from .studio_server import Refresher
from .workspace_cloud import MOBILITY, QUANTITIES, Cloud, random_poses, workspace_cloud

if TYPE_CHECKING:
    from .studio import Studio

COUNTS = ("10,000", "50,000", "200,000")


class WorkspacePanel:
    """Shows and hides the cloud; worked out by a thread of its own, so that joints move freely meanwhile."""

    def __init__(self, studio: Studio, say: Callable[[str], None]) -> None:
        self.studio = studio
        gui: Any = studio.server.gui
        names = tuple(joint.name for joint in studio.system.moving)
        gui.add_markdown("Where the hand gets to, at poses drawn evenly over the ranges of the joints.")
        self.shown = gui.add_checkbox("show the workspace", False)
        self.what = gui.add_dropdown("colour by", QUANTITIES)
        self.joint = gui.add_dropdown("joint", names or ("none",))
        self.count = gui.add_dropdown("poses", COUNTS, initial_value=COUNTS[1])
        self.open = gui.add_checkbox("cut open", True, hint="Leave out what is in front of the base.")
        self.bar = gui.add_html("")
        self.refresher = Refresher(self._bring, say)
        for handle in (self.shown, self.what, self.joint, self.count, self.open):
            handle.on_update(lambda _: self.want())
        self.names = names
        self.cloud: Cloud | None = None
        self._drawn: Any = None
        self.refresher.start()

    def want(self) -> None:
        """Have the cloud brought up to date with the design."""
        if self.shown.value or self._drawn is not None:
            self.refresher.want("cloud")

    def _bring(self, _: set[str]) -> None:
        studio = self.studio
        if not self.shown.value or not self.names:
            if self._drawn is not None:
                self._drawn.visible = False
            self.bar.content = ""
            return
        system = studio.system
        q = random_poses([travel(joint) for joint in system.moving], int(self.count.value.replace(",", "")))
        joint = self.names.index(self.joint.value)
        self.joint.disabled = self.what.value == MOBILITY
        self.cloud = cloud = workspace_cloud(system, q, self.what.value, joint)
        behind = cloud.points[:, 1] >= 0 if self.open.value else np.ones(len(cloud.points), dtype=bool)
        points, colours = cloud.points[behind].astype(np.float32), cloud.colours()[behind]
        with studio.server.atomic():
            if self._drawn is None:
                self._drawn = studio.server.scene.add_point_cloud(
                    "/workspace", points, colours, point_size=0.004 * studio.arm_scene.size, point_shape="circle",
                    precision="float32",
                )  # fmt: skip
            else:
                self._drawn.points, self._drawn.colors, self._drawn.visible = points, colours, True
        self.bar.content = str(cloud.bar())

    def close(self) -> None:
        """End the thread."""
        self.refresher.close()
