"""Branch and bound over Bernstein forms: the least value of f = base - sum_j |w_j| over a box, with proof.

One wave alone gives a range, one w alone the largest magnitude, several w a sum of magnitudes such as the error of a
torque. On a box where w_j keeps its sign |w_j| is a wave like any other, and control values add up; elsewhere its
largest control value stands for it. Boxes whose lower bound is not below the best value found cannot hold less; the
others are cut across the joint along which the bound is loosest. The corners of a box are values of f.

A joint that turns is at first not cut at all: its waves exp(ikx) stand in the net beside control values of the other
joints, and their moduli bound what it can do. Many joints matter little and stay so in most of the boxes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .bernstein import Form, along, elevation, pieces
from .box import Box
from .waves import Array, Wave

AT_ONCE = 400_000
"""Control values worked on together: what about fits in a cache."""
FIRST, STAGE = 0.3, 3.0
"""The part of the work for the gap asked for; where that is too little, gaps shrink by a factor, one after another."""
NARROWEST = 1e-12


@dataclass(frozen=True, eq=False)
class Boxes:
    """Boxes by centre and half-width with the control values of all waves on them, and how loose these are.

    ``cut`` says of each joint whether it has control values, or still its waves; it is the same for all boxes here.
    ``nets`` has an array (boxes, waves, values of joint 1, of joint 2, ...) for each group of waves of one shape, real
    once all joints are cut. ``bend`` (boxes, joints) is how far control values are from a line between the ends,
    ``rise`` (boxes, waves, joints) how far the ends of a wave are from each other.
    """

    cut: tuple[bool, ...]
    nets: list[NDArray[Any]]
    centre: Array
    half: Array
    bend: Array
    rise: Array

    def __len__(self) -> int:
        return len(self.centre)

    def rows(self, rows: NDArray[np.intp]) -> Boxes:
        nets = [net[rows] for net in self.nets]
        return Boxes(self.cut, nets, self.centre[rows], self.half[rows], self.bend[rows], self.rise[rows])


@dataclass(frozen=True, eq=False)
class Least:
    """The least value found, where, a proved lower bound, and the work done (control values made)."""

    value: float
    at: Array
    bound: float
    work: float


class Branch:
    """f = base - sum_j |w_j| over one box; either part may be missing."""

    def __init__(self, base: Wave | None, magnitudes: Sequence[Wave], box: Box) -> None:
        waves = [*([] if base is None else [base]), *magnitudes]
        self.box = box
        self.joints = sorted({j for wave in waves for j in wave.joints})
        forms = [Form(wave, box, self.joints) for wave in waves]
        places = range(len(self.joints))
        self.slides = [any(form.slides[place] for form in forms) for place in places]
        self.parts = [pieces(box, j, slides) for j, slides in zip(self.joints, self.slides, strict=True)]
        self.degrees = [max(form.degrees[place] for form in forms) for place in places]
        self.full = [max(form.shape[place] for form in forms) for place in places]
        shapes = sorted({tuple(form.shape) for form in forms})
        self.groups = [[form for form in forms if tuple(form.shape) == shape] for shape in shapes]
        ordered = [form for group in self.groups for form in group]
        self.plain = np.array([base is not None and form is forms[0] for form in ordered])
        self.kinks = len(waves) > 1 and bool(magnitudes)
        self.rounding = float(sum(form.rounding for form in forms))
        # Adding nets of several degrees takes them all to the highest.
        self.cost = sum(form.size for form in forms) + (2 * int(np.prod(self.full)) if self.kinks else 0)

    # -- boxes -----------------------------------------------------------------------------------

    def first(self) -> Boxes:
        """The whole box, cut across no joint; joints that need only one piece have control values from the start."""
        cut = tuple(len(part) == 1 for part in self.parts)
        nets: list[NDArray[Any]] = []
        for group in self.groups:
            net = np.stack([form.fourier() for form in group])[None]
            for place, (part, done) in enumerate(zip(self.parts, cut, strict=True)):
                if done:
                    net = along(net, group[0].basis(place, *part[0]), place + 1)
            nets.append(real(net, cut))
        centre, half = self.box.centre[self.joints][None], self.box.half[self.joints][None]
        bend, rise = np.zeros((1, len(cut))), np.zeros((1, len(self.plain), len(cut)))
        for place in range(len(cut)):
            bend[:, place], rise[:, :, place] = self.looseness(nets, cut, place)
        return Boxes(cut, nets, centre, half, bend, rise)

    def looseness(self, nets: Sequence[NDArray[Any]], cut: tuple[bool, ...], place: int) -> tuple[Array, Array]:
        """``bend`` and ``rise`` along one joint; one that is not cut may do all that the moduli of its waves allow."""
        bend, rises, without = np.zeros(len(nets[0])), [], (*cut[:place], *cut[place + 1 :])
        for group, net in zip(self.groups, nets, strict=True):
            size = group[0].shape[place]
            rise = apart = np.zeros(net.shape[:2])
            if size > 1:
                rows = np.moveaxis(net, place + 2, 0)
                if cut[place]:
                    rise = spread(rows[-1] - rows[0], without)
                    for i in range(1, size - 1):
                        share = i / (size - 1)
                        apart = np.maximum(apart, spread(rows[i] - (1 - share) * rows[0] - share * rows[-1], without))
                else:
                    moving = np.delete(rows, group[0].degrees[place], axis=0)
                    apart = np.sum([spread(row, without) for row in moving], axis=0)
                    rise = 2 * apart
            bend += apart.sum(axis=1)
            rises.append(rise)
        return bend, np.concatenate(rises, axis=1)

    def bounded(self, boxes: Boxes, floor: float = np.inf) -> tuple[Array, Array]:
        """Lower bounds of f, and how loose they are along each joint; more is tried for bounds below ``floor``.

        Only where a wave may change its sign among other parts of f does it matter how much it rises.
        """
        lower, loose, begin = np.full(len(boxes), -self.rounding), boxes.bend, 0
        signs, mixed = [], lower.copy()
        for group, net in zip(self.groups, boxes.nets, strict=True):
            least, most = ends(net, boxes.cut, group[0].degrees)
            plain, end = self.plain[begin : begin + net.shape[1]], begin + net.shape[1]
            sign = np.where(plain, 1.0, np.where(least >= 0, -1.0, np.where(most <= 0, 1.0, 0.0)))
            lower += np.where(plain, least, -np.maximum(most, -least)).sum(axis=1)
            if self.kinks:
                mixed -= np.where(sign == 0, np.maximum(most, -least), 0.0).sum(axis=1)
                loose = loose + np.matmul((sign == 0)[:, None].astype(float), boxes.rise[:, begin:end])[:, 0]
            signs.append(sign)
            begin = end
        rows = np.flatnonzero(lower < floor)
        if self.kinks and len(rows):
            # Waves that keep their sign are not each at their worst at the same place: they are added up first.
            some = boxes.rows(rows) if len(rows) < len(boxes) else boxes
            sums = {
                tuple(group[0].degrees): weighted(net, sign[rows])
                for group, net, sign in zip(self.groups, some.nets, signs, strict=True)
                if sign[rows].any()
            }
            if sums:
                together = self.added(sums, boxes.half[rows], boxes.cut)
                lower[rows] = np.maximum(lower[rows], mixed[rows] + together)
        return lower, loose

    def added(self, sums: dict[tuple[int, ...], NDArray[Any]], half: Array, cut: tuple[bool, ...]) -> Array:
        """The least value of a sum of nets of several degrees on boxes.

        Joint by joint the lower degrees are raised, and nets of equal degrees added.
        """
        for place, top in enumerate(self.degrees):
            raised: dict[tuple[int, ...], NDArray[Any]] = {}
            for degrees, net in sums.items():
                own, made = degrees[place], net
                key = (*degrees[:place], top if own else 0, *degrees[place + 1 :])
                if 0 < own < top:
                    made = np.zeros((*net.shape[: place + 1], self.full[place], *net.shape[place + 2 :]), net.dtype)
                    if cut[place]:
                        for width in set(half[:, place].tolist()):
                            rows = np.flatnonzero(half[:, place] == width)
                            matrix = elevation(own, top, None if self.slides[place] else width)
                            made[rows] = along(net[rows], matrix, place)
                    else:
                        np.moveaxis(made, place + 1, 0)[top - own : top + own + 1] = np.moveaxis(net, place + 1, 0)
                raised[key] = raised[key] + made if key in raised else made
            sums = raised
        shape = (len(half), *(self.full[place] if not done else 1 for place, done in enumerate(cut)))
        whole: NDArray[Any] = np.zeros(shape, next(iter(sums.values())).dtype)
        for degrees, net in sums.items():
            # A wave that does not depend on a joint that is not cut belongs to the mean over it.
            for place, (own, done) in enumerate(zip(degrees, cut, strict=True)):
                if not done and not own and self.full[place] > 1:
                    wide = np.zeros((*net.shape[: place + 1], self.full[place], *net.shape[place + 2 :]), net.dtype)
                    np.moveaxis(wide, place + 1, 0)[self.degrees[place]] = np.moveaxis(net, place + 1, 0)[0]
                    net = wide
            whole = whole + net
        return ends(whole[:, None], cut, self.degrees)[0][:, 0]

    def corner(self, boxes: Boxes) -> tuple[float, Array]:
        """The least value at a corner, and the positions of the joints there; boxes not cut all round have none."""
        if not all(boxes.cut):
            return np.inf, boxes.centre[0]
        shape = (len(boxes), *[2] * len(self.joints))
        values, begin = np.zeros(shape), 0
        for group, net in zip(self.groups, boxes.nets, strict=True):
            tips = net[(slice(None), slice(None), *(slice(None, None, max(1, s - 1)) for s in group[0].shape))]
            plain = self.plain[begin : begin + len(group)].reshape(1, -1, *[1] * len(self.joints))
            values += np.where(plain, tips, -np.abs(tips)).sum(axis=1)
            begin += len(group)
        best = int(values.argmin())
        row, *sides = np.unravel_index(best, shape)
        at = boxes.centre[row] + boxes.half[row] * (2 * np.array(sides) - 1)
        return float(values.reshape(-1)[best]), at

    def smaller(self, boxes: Boxes, loose: Array) -> list[Boxes]:
        """Each box cut across the joint along which it is loosest: in its first pieces, or in two."""
        across = loose.argmax(axis=1)
        widths = boxes.half[np.arange(len(boxes)), across]
        parts: dict[tuple[bool, ...], list[Boxes]] = {}
        for place, width in sorted(set(zip(across.tolist(), widths.tolist(), strict=True))):
            rows = np.flatnonzero((across == place) & (widths == width))
            some = boxes.rows(rows) if len(rows) < len(boxes) else boxes
            made = self._halved(some, place, width) if boxes.cut[place] else self._opened(some, place)
            parts.setdefault(made[0].cut, []).extend(made)
        return [joined(part) for part in parts.values()]

    def _opened(self, some: Boxes, place: int) -> list[Boxes]:
        """Boxes with control values in place of the waves of one joint."""
        cut = (*some.cut[:place], True, *some.cut[place + 1 :])
        found = []
        for low, high in self.parts[place]:
            centre, half = some.centre.copy(), some.half.copy()
            centre[:, place], half[:, place] = (low + high) / 2, (high - low) / 2
            nets = [
                real(along(net, group[0].basis(place, low, high), place + 1), cut)
                for group, net in zip(self.groups, some.nets, strict=True)
            ]
            # What the other joints do changes less: they keep what they had, near enough to choose by.
            bend, rise = some.bend.copy(), some.rise.copy()
            bend[:, place], rise[:, :, place] = self.looseness(nets, cut, place)
            found.append(Boxes(cut, nets, centre, half, bend, rise))
        return found

    def _halved(self, some: Boxes, place: int, width: float) -> list[Boxes]:
        half, shift, bend, rise = some.half.copy(), np.zeros_like(some.half), some.bend.copy(), some.rise.copy()
        half[:, place] /= 2
        shift[:, place] = half[:, place]
        # Half the width has a quarter of the bend and half of the rise: near enough to choose by.
        bend[:, place] *= 0.25 if width > NARROWEST else 0.0
        rise[:, :, place] *= 0.5 if width > NARROWEST else 0.0
        matrices = [group[0].halves(place, width) for group in self.groups]
        found = []
        for side in (0, 1):
            nets = [
                net if both is None else along(net, both[side], place + 1)
                for net, both in zip(some.nets, matrices, strict=True)
            ]
            found.append(Boxes(some.cut, nets, some.centre + (2 * side - 1) * shift, half, bend, rise))
        return found

    # -- search ----------------------------------------------------------------------------------

    def least(self, best: float, at: Array, gap: float, work: float, known: float = -np.inf) -> Least:
        """The least value, at most ``gap`` above its proved bound where ``work`` allows.

        ``best`` is attained at ``at``, ``known`` is a lower bound that is proved already. The gap asked for is tried
        with a part of the work; where that is not enough, wider gaps come first, and what was proved last counts.
        """
        run = Run(self, best, at[self.joints])
        bound = run.proved(gap, FIRST * work)
        if bound is None:
            bound = max(float(self.bounded(run.first)[0].min()), known)
            while run.best - bound > gap and run.used < work:
                more = run.proved(max(gap, (run.best - bound) / STAGE), work)
                if more is None:
                    break
                bound = more
        where = at.copy()
        where[self.joints] = run.at
        return Least(run.best, where, min(bound, run.best), run.used)

    def never_negative(self, work: float) -> bool:
        """Whether f >= 0 everywhere is proved with this much work."""
        bound = Run(self, 0.0, self.box.centre[self.joints]).proved(0.0, work)
        return bound is not None and bound >= 0


class Run:
    """One search: the best value so far, and the work used."""

    def __init__(self, branch: Branch, best: float, at: Array) -> None:
        self.branch, self.best, self.at, self.used = branch, best, at, 0.0
        self.count = max(1, AT_ONCE // max(1, branch.cost))
        self.first = branch.first()

    def proved(self, gap: float, work: float) -> float | None:
        """The proved bound, within ``gap`` of the best value; None where ``work`` is used up."""
        bound, stack = np.inf, [self.first]
        while stack:
            boxes = stack.pop()
            low, loose = self.branch.bounded(boxes, self.best - gap)
            open_ = (low < self.best - gap) & (loose.max(axis=1, initial=0.0) > 0)
            bound = min(bound, float(low[~open_].min(initial=np.inf)))
            rows = np.flatnonzero(open_)
            if not len(rows):
                continue
            if self.used > work:
                return None
            if len(rows) > self.count:
                rows = rows[np.argsort(low[rows])]
                stack.append(boxes.rows(rows[self.count :]))
                rows = rows[: self.count]
            some = boxes.rows(rows) if len(rows) < len(boxes) else boxes
            corner, at = self.branch.corner(some)
            if corner < self.best:
                self.best, self.at = corner, at
            made = self.branch.smaller(some, loose[rows])
            self.used += sum(len(one) * (1 if all(one.cut) else 2) for one in made) * self.branch.cost
            stack += made
        return bound


def ends(net: NDArray[Any], cut: tuple[bool, ...], degrees: Sequence[int]) -> tuple[Array, Array]:
    """Least and greatest value (boxes, waves) of nets; waves that are left add or take at most their moduli."""
    if all(cut):
        flat = net.reshape(*net.shape[:2], -1)
        return flat.min(axis=2), flat.max(axis=2)
    middle, moduli = net, moduli_of(net)
    for place in reversed(range(len(cut))):
        if not cut[place]:
            middle = np.take(middle, degrees[place], axis=place + 2)
            moduli = moduli.sum(axis=place + 2)
    mean = middle.real.reshape(*net.shape[:2], -1)
    reach = moduli.reshape(*net.shape[:2], -1) - np.abs(mean)
    # The mean is real but for rounding, which is far below what Form.rounding allows for.
    return (mean - reach).min(axis=2), (mean + reach).max(axis=2)


def spread(net: NDArray[Any], cut: tuple[bool, ...]) -> Array:
    """The largest magnitude (boxes, waves) that values of a net can have, waves added up by their moduli."""
    size = moduli_of(net)
    for place in reversed(range(len(cut))):
        if not cut[place]:
            size = size.sum(axis=place + 2)
    return size.reshape(*net.shape[:2], -1).max(axis=2)


def moduli_of(net: NDArray[Any]) -> Array:
    if net.dtype.kind == "c":
        return np.sqrt(net.real**2 + net.imag**2)
    return np.abs(net)


def weighted(net: NDArray[Any], sign: Array) -> NDArray[Any]:
    """The sum over the waves of nets, each with its sign."""
    flat = net.reshape(*net.shape[:2], -1)
    return np.matmul(sign[:, None].astype(flat.dtype), flat)[:, 0].reshape(len(net), *net.shape[2:])


def real(net: NDArray[Any], cut: tuple[bool, ...]) -> NDArray[Any]:
    """A net of control values alone is real."""
    return np.ascontiguousarray(net.real) if all(cut) and net.dtype.kind == "c" else net


def joined(parts: Sequence[Boxes]) -> Boxes:
    """Boxes one after another."""
    nets = [np.concatenate(column) for column in zip(*(part.nets for part in parts), strict=True)]
    columns = ([getattr(part, name) for part in parts] for name in ("centre", "half", "bend", "rise"))
    return Boxes(parts[0].cut, nets, *(np.concatenate(column) for column in columns))
