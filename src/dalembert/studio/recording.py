"""A motion as pictures: frames that a browser draws, as one film (GIF) or as PNG files in an archive."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arm.errors import ArmError
from .downloads import ZIP_DATE

Pictures = list[NDArray[np.uint8]]
WIDTH, HEIGHT = 640, 480
MOST_FRAMES = 600
PATIENCE = 30.0
"""Time (s) that a browser has for one picture."""


def frame_times(first: float, last: float, rate: float) -> NDArray[np.float64]:
    """Times of the frames, ``rate`` a second, both ends with them."""
    count = int(np.ceil((last - first) * rate)) + 1
    if count > MOST_FRAMES:
        raise ArmError(f"{count} frames are more than {MOST_FRAMES}; take fewer a second")
    return np.linspace(first, last, max(count, 2))


def pictures(
    client: Any, times: NDArray[np.float64], show: Callable[[float], None], tell: Callable[..., None]
) -> Pictures:
    """What ``client`` sees at each time; ``show`` brings the scene there, ``tell(done, all)`` follows."""
    frames: Pictures = []
    for number, moment in enumerate(times):
        tell(number, len(times))
        show(float(moment))
        try:
            drawn = client.get_render(HEIGHT, WIDTH, transport_format="png", timeout=PATIENCE)
        except (RuntimeError, TimeoutError) as fault:
            raise ArmError(f"the browser did not draw frame {number + 1} of {len(times)}: {fault}") from None
        frames.append(on_white(np.asarray(drawn)))
    return frames


def on_white(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A picture with what is clear in it filled by white."""
    if picture.shape[-1] == 3:
        return picture
    cover = picture[..., 3:] / 255.0
    return np.round(picture[..., :3] * cover + 255.0 * (1.0 - cover)).astype(np.uint8)


def film(frames: Pictures, rate: float) -> bytes:
    """One animated file, which plays in every browser."""
    import imageio.v3 as images

    target = io.BytesIO()
    images.imwrite(target, np.stack(frames), extension=".gif", duration=1000 / rate, loop=0)
    return target.getvalue()


def archive(frames: Pictures, times: NDArray[np.float64]) -> bytes:
    """PNG files, numbered, and their times (s) as a table."""
    import imageio.v3 as images

    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as files:
        for number, frame in enumerate(frames):
            target = io.BytesIO()
            images.imwrite(target, frame, extension=".png")
            files.writestr(zipfile.ZipInfo(f"frame_{number:04d}.png", ZIP_DATE), target.getvalue())
        lines = "".join(f"frame_{number:04d}.png,{moment!r}\n" for number, moment in enumerate(times.tolist()))
        files.writestr(zipfile.ZipInfo("times.csv", ZIP_DATE), f"frame,time [s]\n{lines}")
    return buffer.getvalue()
