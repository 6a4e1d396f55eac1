"""Branch and bound over Bernstein forms: a certified minimum of f = base - sum_j |w_j| over a box.

A base alone gives a range, one w alone the largest magnitude, several w a sum of magnitudes such as the error of a
torque. On a box where w_j keeps its sign, |w_j| is a wave like any other and control values add up; elsewhere its
largest control value bounds it. A box whose lower bound is not below the incumbent (the best value so far) is
discarded; the others are bisected along the joint with the loosest bound. The corners of a box are values of f and
improve the incumbent. This is the Moore-Skelboe scheme (Ratschek and Rokne 1988) with Bernstein bounds in place of
interval arithmetic (Garloff 1986).

A revolute joint is at first not subdivided at all: its exponentials exp(ikx) remain an axis of the net beside the
control values of the other joints, and their moduli bound its effect. Many joints matter little and stay so in most
boxes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arm.errors import ArmError
from .bernstein import NARROWEST, BernsteinForm, along, elevation, pieces
from .box import Box
from .compiled_branch import CompiledRun, compiled_run
from .waves import LEAST, OUTWARD, Array, Wave, rescaled

AT_ONCE = 400_000
"""Control values processed in one batch of boxes: about what fits in the processor's cache."""
FIRST, STAGE = 0.3, 3.0
"""``FIRST`` is the fraction of the work limit spent on proving the requested gap directly. Where that fails, ``STAGE``
is the factor by which the gap shrinks from one proof to the next."""

NEAREST = 1.25
"""The least gap that is tried, in multiples of the rounding that each bound allows for."""


class ProofError(ArithmeticError):
    """A bound that was proved is broken by a value that is attained: the proof is at fault."""


@dataclass(frozen=True, eq=False)
class Boxes:
    """A batch of boxes by centre and half-width, with the control values of all waves on them.

    ``cut`` says for each joint whether its axis of the net holds control values (True) or still Fourier coefficients;
    it is the same for all boxes of a batch. ``nets`` has an array (boxes, waves, values of joint 1, of joint 2, ...)
    for each group of waves of one shape, real once all joints are cut. ``bend`` (boxes, joints) is the distance of the
    control values from the chord between the end values, ``rise`` (boxes, waves, joints) the difference of the end
    values, ``halvings`` (boxes,) how often a box has been bisected.
    """

    cut: tuple[bool, ...]
    nets: list[NDArray[Any]]
    centre: Array
    half: Array
    bend: Array
    rise: Array
    halvings: Array

    def __len__(self) -> int:
        return len(self.centre)

    def rows(self, rows: NDArray[np.intp]) -> Boxes:
        """The boxes with these row indices."""
        nets = [net[rows] for net in self.nets]
        columns = (self.centre, self.half, self.bend, self.rise, self.halvings)
        return Boxes(self.cut, nets, *(column[rows] for column in columns))


@dataclass(frozen=True, eq=False)
class Least:
    """The least value attained and its position, a proved lower bound, and the work (control values computed)."""

    value: float
    at: Array
    bound: float
    work: float


class Branch:
    """The function f = base - sum_j |w_j| over one box; either part may be absent.

    Inside, f is scaled by a power of two to coefficients about one, so that no modulus underflows.
    """

    def __init__(self, base: Wave | None, magnitudes: Sequence[Wave], box: Box) -> None:
        waves = [*([] if base is None else [base]), *magnitudes]
        size = max((float(wave.size.max(initial=0.0)) for wave in waves), default=0.0)
        if not np.isfinite(size) or not all(np.isfinite(wave.c).all() and np.isfinite(wave.slack) for wave in waves):
            raise ArmError("a coefficient to be bounded is not a finite number; give the arm masses and lengths of SI")
        self.exponent = int(np.frexp(size)[1])
        waves = [wave.scaled(-self.exponent) for wave in waves]
        self.box = box
        self.joints = sorted({j for wave in waves for j in wave.joints})
        forms = [BernsteinForm(wave, box, self.joints) for wave in waves]
        axes = range(len(self.joints))
        self.slides = [any(form.slides[axis] for form in forms) for axis in axes]
        self.parts = [pieces(box, j, slides) for j, slides in zip(self.joints, self.slides, strict=True)]
        self.degrees = [max(form.degrees[axis] for form in forms) for axis in axes]
        self.full = [max(form.shape[axis] for form in forms) for axis in axes]
        shapes = sorted({tuple(form.shape) for form in forms})
        self.groups = [[form for form in forms if tuple(form.shape) == shape] for shape in shapes]
        ordered = [form for group in self.groups for form in group]
        self.plain = np.array([base is not None and form is forms[0] for form in ordered])
        self.kinks = len(waves) > 1 and bool(magnitudes)
        self.rounding = OUTWARD * float(sum(form.rounding for form in forms))
        self.per_halving = OUTWARD * float(sum(form.per_halving for form in forms))
        if self.kinks:
            # the nets of all waves are added up, once brought to one degree
            self.rounding += self.per_halving * (len(waves) + len(self.joints))
            # and the moduli of what is left of uncut joints, one by one
            self.rounding += 2 * sum(len(wave) for wave in waves) * sum(form.unit for form in forms)
        # Nets of several degrees are added at the highest degree.
        self.cost = sum(form.size for form in forms) + (2 * int(np.prod(self.full)) if self.kinks else 0)

    # -- boxes -----------------------------------------------------------------------------------

    def first_nets(self) -> tuple[tuple[bool, ...], list[NDArray[Any]]]:
        """The nets of the whole box, and which joints are cut: those whose range is a single piece."""
        cut = tuple(len(part) == 1 for part in self.parts)
        nets: list[NDArray[Any]] = []
        for group in self.groups:
            net = np.stack([form.fourier() for form in group])[None]
            for axis, (part, done) in enumerate(zip(self.parts, cut, strict=True)):
                if done:
                    net = along(net, group[0].basis(axis, part.centres[0], part.half), axis + 1)
            nets.append(real(net, cut))
        return cut, nets

    def first(self) -> Boxes:
        """The whole box."""
        cut, nets = self.first_nets()
        centre, half = self.box.centre[self.joints][None], self.box.half[self.joints][None]
        bend, rise = np.zeros((1, len(cut))), np.zeros((1, len(self.plain), len(cut)))
        for axis in range(len(cut)):
            bend[:, axis], rise[:, :, axis] = self.looseness(nets, cut, axis)
        for axis, part in enumerate(self.parts):
            if cut[axis]:
                half[:, axis] = part.half
        return Boxes(cut, nets, centre, half, bend, rise, np.zeros(1))

    def looseness(self, nets: Sequence[NDArray[Any]], cut: tuple[bool, ...], axis: int) -> tuple[Array, Array]:
        """``bend`` and ``rise`` along one joint; for one that is not cut, the sum of the moduli bounds both."""
        bend, rises, without = np.zeros(len(nets[0])), [], (*cut[:axis], *cut[axis + 1 :])
        for group, net in zip(self.groups, nets, strict=True):
            size = group[0].shape[axis]
            rise = off = np.zeros(net.shape[:2])
            if size > 1:
                rows = np.moveaxis(net, axis + 2, 0)
                if cut[axis]:
                    rise = spread(rows[-1] - rows[0], without)
                    for i in range(1, size - 1):
                        share = i / (size - 1)
                        off = np.maximum(off, spread(rows[i] - (1 - share) * rows[0] - share * rows[-1], without))
                else:
                    moving = np.delete(rows, group[0].degrees[axis], axis=0)
                    off = np.sum([spread(row, without) for row in moving], axis=0)
                    rise = 2 * off
            bend += off.sum(axis=1)
            rises.append(rise)
        return bend, np.concatenate(rises, axis=1)

    def bounded(self, boxes: Boxes, floor: float = np.inf) -> tuple[Array, Array]:
        """Lower bounds of f on each box, and their looseness along each joint.

        Boxes whose bound is below ``floor`` get a second, tighter bound. The rise of a wave counts only where the wave
        may change sign among other parts of f.
        """
        lower, loose, begin = -(self.rounding + self.per_halving * boxes.halvings), boxes.bend, 0
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
            # Waves of constant sign do not reach their extremes at one position: the bound of their sum is tighter.
            subset = boxes.rows(rows) if len(rows) < len(boxes) else boxes
            sums = {
                tuple(group[0].degrees): weighted(net, sign[rows])
                for group, net, sign in zip(self.groups, subset.nets, signs, strict=True)
                if sign[rows].any()
            }
            if sums:
                sum_bound = self.added(sums, boxes.half[rows], boxes.cut)
                lower[rows] = np.maximum(lower[rows], mixed[rows] + sum_bound)
        # what is not a number proves nothing
        return np.where(np.isnan(lower), -np.inf, lower), loose

    def added(self, sums: dict[tuple[int, ...], NDArray[Any]], half: Array, cut: tuple[bool, ...]) -> Array:
        """The least value of a sum of nets of several degrees on each box.

        Joint by joint the lower degrees are elevated, and nets of equal degrees added.
        """
        for axis, top in enumerate(self.degrees):
            merged: dict[tuple[int, ...], NDArray[Any]] = {}
            for degrees, net in sums.items():
                degree, high = degrees[axis], net
                key = (*degrees[:axis], top if degree else 0, *degrees[axis + 1 :])
                if 0 < degree < top:
                    high = np.zeros((*net.shape[: axis + 1], self.full[axis], *net.shape[axis + 2 :]), net.dtype)
                    if cut[axis]:
                        for width in set(half[:, axis].tolist()):
                            rows = np.flatnonzero(half[:, axis] == width)
                            matrix = elevation(degree, top, None if self.slides[axis] else width)
                            high[rows] = along(net[rows], matrix, axis)
                    else:
                        np.moveaxis(high, axis + 1, 0)[top - degree : top + degree + 1] = np.moveaxis(net, axis + 1, 0)
                merged[key] = merged[key] + high if key in merged else high
            sums = merged
        shape = (len(half), *(self.full[axis] if not done else 1 for axis, done in enumerate(cut)))
        total: NDArray[Any] = np.zeros(shape, next(iter(sums.values())).dtype)
        for degrees, net in sums.items():
            # A wave that does not depend on an uncut joint is part of the zeroth Fourier coefficient of that joint.
            for axis, (degree, done) in enumerate(zip(degrees, cut, strict=True)):
                if not done and not degree and self.full[axis] > 1:
                    wide = np.zeros((*net.shape[: axis + 1], self.full[axis], *net.shape[axis + 2 :]), net.dtype)
                    np.moveaxis(wide, axis + 1, 0)[self.degrees[axis]] = np.moveaxis(net, axis + 1, 0)[0]
                    net = wide
            total = total + net
        return ends(total[:, None], cut, self.degrees)[0][:, 0]

    def corner(self, boxes: Boxes) -> tuple[float, Array]:
        """The least value at a corner of the boxes, and its joint positions; infinite while a joint is uncut."""
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
        """Each box subdivided along its loosest joint: into that joint's first pieces, or into halves."""
        axes = loose.argmax(axis=1)
        widths = boxes.half[np.arange(len(boxes)), axes]
        batches: dict[tuple[bool, ...], list[Boxes]] = {}
        for axis, width in sorted(set(zip(axes.tolist(), widths.tolist(), strict=True))):
            rows = np.flatnonzero((axes == axis) & (widths == width))
            subset = boxes.rows(rows) if len(rows) < len(boxes) else boxes
            children = self._in_halves(subset, axis, width) if boxes.cut[axis] else self._in_pieces(subset, axis)
            batches.setdefault(children[0].cut, []).extend(children)
        return [joined(batch) for batch in batches.values()]

    def _in_pieces(self, boxes: Boxes, axis: int) -> list[Boxes]:
        """Boxes with control values in place of the Fourier coefficients of one joint."""
        cut = (*boxes.cut[:axis], True, *boxes.cut[axis + 1 :])
        children = []
        width = self.parts[axis].half
        for middle in self.parts[axis].centres:
            centre, half = boxes.centre.copy(), boxes.half.copy()
            centre[:, axis], half[:, axis] = middle, width
            nets = [
                real(along(net, group[0].basis(axis, middle, width), axis + 1), cut)
                for group, net in zip(self.groups, boxes.nets, strict=True)
            ]
            # The looseness of the other joints changes little; the parent's values are accurate enough to choose by.
            bend, rise = boxes.bend.copy(), boxes.rise.copy()
            bend[:, axis], rise[:, :, axis] = self.looseness(nets, cut, axis)
            children.append(Boxes(cut, nets, centre, half, bend, rise, boxes.halvings))
        return children

    def _in_halves(self, boxes: Boxes, axis: int, width: float) -> list[Boxes]:
        """Boxes bisected along one joint."""
        half, shift, bend, rise = boxes.half.copy(), np.zeros_like(boxes.half), boxes.bend.copy(), boxes.rise.copy()
        half[:, axis] /= 2
        shift[:, axis] = half[:, axis]
        # Half the width has about a quarter of the bend and half of the rise: accurate enough to choose by.
        bend[:, axis] *= 0.25 if width > NARROWEST else 0.0
        rise[:, :, axis] *= 0.5 if width > NARROWEST else 0.0
        matrices = [group[0].halves(axis, width) for group in self.groups]
        children = []
        for side in (0, 1):
            nets = [
                net if matrix_pair is None else along(net, matrix_pair[side], axis + 1)
                for net, matrix_pair in zip(boxes.nets, matrices, strict=True)
            ]
            centre = boxes.centre + (2 * side - 1) * shift
            children.append(Boxes(boxes.cut, nets, centre, half, bend, rise, boxes.halvings + 1))
        return children

    # -- search ----------------------------------------------------------------------------------

    def least(self, best: float, at: Array, gap: float, work: float, known: float = -np.inf) -> Least:
        """A certified minimum, at most ``gap`` above its proved bound where the work limit allows.

        ``best`` is attained at ``at``; ``known`` is a lower bound proved before. The requested gap is tried with the
        fraction ``FIRST`` of the work; where that is not enough, wider gaps come first, and the last one proved counts.
        """
        best, gap, known = (float(np.ldexp(x, -self.exponent)) for x in (best, gap, known))
        # every bound is below the least value by the rounding it allows for: work for a closer one would never end
        gap = max(gap, NEAREST * self.rounding)
        run = self.run(best, at[self.joints])
        bound = run.proved(gap, FIRST * work)
        if bound is None:
            bound = max(run.whole(), known)
            while run.best - bound > gap and run.used < work:
                tighter = run.proved(max(gap, (run.best - bound) / STAGE), work)
                if tighter is None:
                    break
                bound = tighter
        # a value that is attained is below every bound of it, but for rounding, that of tiny values among it
        tiny = float(np.ldexp(LEAST * self.cost, -self.exponent))
        if bound > run.best + 4 * (self.rounding + 100 * self.per_halving) + tiny:
            raise ProofError(
                f"the value {run.best:g} is attained where {bound:g} was proved to be the least (both scaled): a fault "
                "of the proof, which is worth a report with the arm"
            )
        position = at.copy()
        position[self.joints] = run.at
        value, bound = float(np.ldexp(run.best, self.exponent)), min(bound, run.best)
        return Least(value, position, rescaled(bound, self.exponent, -np.inf), run.used)

    def never_negative(self, work: float) -> bool:
        """Whether f >= 0 on the whole box is proved within this work limit."""
        bound = self.run(0.0, self.box.centre[self.joints]).proved(0.0, work)
        return bound is not None and bound >= 0

    def run(self, best: float, at: Array) -> Run | CompiledRun:
        """A search from the incumbent ``best``, attained at ``at``: in machine code where it can be."""
        return compiled_run(self, best, at) or Run(self, best, at)


class Run:
    """One branch-and-bound search: the incumbent, its position, and the work used."""

    def __init__(self, branch: Branch, best: float, at: Array) -> None:
        self.branch, self.best, self.at, self.used = branch, best, at, 0.0
        self.count = max(1, AT_ONCE // max(1, branch.cost))
        self.first = branch.first()

    def whole(self) -> float:
        """The lower bound on the box as a whole."""
        return float(self.branch.bounded(self.first)[0].min())

    def proved(self, gap: float, work: float) -> float | None:
        """The proved bound, within ``gap`` of the incumbent; None where the work limit is reached first."""
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
            subset = boxes.rows(rows) if len(rows) < len(boxes) else boxes
            corner, at = self.branch.corner(subset)
            if corner < self.best:
                self.best, self.at = corner, at
            children = self.branch.smaller(subset, loose[rows])
            self.used += sum(len(child) * (1 if all(child.cut) else 2) for child in children) * self.branch.cost
            stack += children
        return bound


def ends(net: NDArray[Any], cut: tuple[bool, ...], degrees: Sequence[int]) -> tuple[Array, Array]:
    """Least and greatest value (boxes, waves) of nets; uncut joints add at most the moduli of their coefficients."""
    if all(cut):
        flat = net.reshape(*net.shape[:2], -1)
        return flat.min(axis=2), flat.max(axis=2)
    middle, moduli = net, moduli_of(net)
    for axis in reversed(range(len(cut))):
        if not cut[axis]:
            middle = np.take(middle, degrees[axis], axis=axis + 2)
            moduli = moduli.sum(axis=axis + 2)
    mean = middle.real.reshape(*net.shape[:2], -1)
    reach = moduli.reshape(*net.shape[:2], -1) - np.abs(mean)
    # The mean is real but for rounding, which is far below what Form.rounding allows for.
    return (mean - reach).min(axis=2), (mean + reach).max(axis=2)


def spread(net: NDArray[Any], cut: tuple[bool, ...]) -> Array:
    """The largest magnitude (boxes, waves) of the values of a net, uncut joints bounded by their moduli."""
    size = moduli_of(net)
    for axis in reversed(range(len(cut))):
        if not cut[axis]:
            size = size.sum(axis=axis + 2)
    return size.reshape(*net.shape[:2], -1).max(axis=2)


def moduli_of(net: NDArray[Any]) -> Array:
    """Moduli of complex entries, magnitudes of real ones."""
    if net.dtype.kind == "c":
        return np.sqrt(net.real**2 + net.imag**2)
    return np.abs(net)


def weighted(net: NDArray[Any], sign: Array) -> NDArray[Any]:
    """The sum of the nets over the waves, each with its sign."""
    flat = net.reshape(*net.shape[:2], -1)
    return np.matmul(sign[:, None].astype(flat.dtype), flat)[:, 0].reshape(len(net), *net.shape[2:])


def real(net: NDArray[Any], cut: tuple[bool, ...]) -> NDArray[Any]:
    """The real part, once every joint is cut: the control values of a real function are real."""
    return np.ascontiguousarray(net.real) if all(cut) and net.dtype.kind == "c" else net


def joined(batches: Sequence[Boxes]) -> Boxes:
    """Batches with the same ``cut``, concatenated."""
    nets = [np.concatenate(column) for column in zip(*(batch.nets for batch in batches), strict=True)]
    columns = ([getattr(batch, name) for batch in batches] for name in ("centre", "half", "bend", "rise", "halvings"))
    return Boxes(batches[0].cut, nets, *(np.concatenate(column) for column in columns))
