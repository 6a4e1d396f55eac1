"""Nodes of the scene by name: put again, a node is changed where it differs and sent to nobody where it does not."""

from __future__ import annotations

from typing import Any


class SceneNodes:
    """Nodes below one root. What is not put between ``begin`` and ``end`` is taken out of the scene."""

    def __init__(self, scene: Any) -> None:
        self.scene = scene
        self.handles: dict[str, Any] = {}
        self._current_names: set[str] = set()

    def begin(self) -> None:
        """From here on, all nodes that are to stay are put."""
        self._current_names = set()

    def put(self, add: str, name: str, large: dict[str, Any] | None = None, **properties: Any) -> Any:
        """The node of this name, made by method ``add`` of the scene or changed; ``large`` never changes."""
        handle = self.handles.get(name)
        if handle is None:
            handle = self.handles[name] = getattr(self.scene, add)(name, **(large or {}), **properties)
        else:
            for key, value in properties.items():
                setattr(handle, key, value)
        self._current_names.add(name)
        return handle

    def end(self) -> None:
        """Take out what was not put."""
        for name in self.handles.keys() - self._current_names:
            self.handles.pop(name).remove()

    def clear(self) -> None:
        """Take everything out; inner nodes before those they stand in."""
        for name in sorted(self.handles, key=lambda name: -name.count("/")):
            self.handles.pop(name).remove()
