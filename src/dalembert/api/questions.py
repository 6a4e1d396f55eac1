"""What a user asks of a system: equations, code, analyses, linear models, motion.

One class for every arm, alone, loaded or with its drives. Every answer is for exactly that system. What needs SciPy or
the closed form is imported at the first call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arm.errors import ArmError
from ..arm.lazy_arrays import chunkwise, is_lazy, mapped
from ..compile.functions import function
from ..compile.kernel import Kernel
from .system_files import SystemFiles
from .system_pages import SystemPages

if TYPE_CHECKING:
    from ..arm.force import Force
    from ..arm.placement import Placement
    from ..compile.cuda.cuda_kernel import CudaKernel
    from ..compile.cuda.rollout import Rollout
    from ..control.requirements import Requirements
    from ..control.trajectories import Trajectory
    from ..design.analysis import Analysis, Limits
    from ..design.pose_coupling import PoseCoupling
    from ..equations.symbols import Request
    from ..equations.verify import Verdict
    from ..fmu.write_fmu import WrittenFmu
    from ..kinematics.joint_solutions import JointSolutions
    from ..kinematics.manipulability import Manipulability
    from ..linear.linear_model import LinearModel
    from ..reduction.states import Amounts
    from ..simulation.inputs import Control
    from ..simulation.loads import LoadChange
    from ..simulation.many import Many
    from ..simulation.motion import Motion
    from ..systems.frame_axes import AskedFrame
    from .arm_equations import ArmEquations

Array = NDArray[np.float64]


@chunkwise(
    manipulability="q", operational_inertia="q", coupling_at="q",
)  # fmt: skip
class SystemQuestions(SystemPages, SystemFiles):
    """Questions that go beyond numbers at a state."""

    # -- closed forms and analyses ---------------------------------------------------------------

    def equations(
        self,
        parameters: Request = "symbols",
        joints: Sequence[int | str] | None = None,
        at: Mapping[str | int, object] | None = None,
        formulation: str = "composite-body",
    ) -> ArmEquations:
        """The exact equations of motion.

        ``parameters`` says which numbers of the arm become symbols: groups such as "symbols" (inertial parameters,
        lengths and gravity, where they are not zero), "numbers" (none), "inertial", "full" (all ten of each body,
        also where zero), "centre", "gyration", "lengths", "twists", "gravity", "load"; single names such as "m3";
        several joined by "+"; or a mapping from names to values (None keeps a symbol). Rotors and gear ratios of
        drives that count enter as numbers.

        ``joints`` names the joints that move (all by default); the others rest at the positions ``at`` gives, or at
        zero, and the bodies they carry are absorbed into starred parameters.

        ``formulation`` says by which page they are derived: "composite-body", "lagrange-euler", "tourassis-neuman",
        or, with mass centres (``parameters="centre+lengths+gravity"`` or "numbers"), "generalized-dalembert" and
        "influence". The polynomials are the same.

        >>> import dalembert as da
        >>> print(da.load("planar-2r").equations()["D12"])
        mx₂ l₁ c₂ + Izz₂
        """
        from .arm_equations import arm_equations

        return arm_equations(self, parameters, joints, at, formulation)

    def verify(
        self,
        statement: str,
        parameters: str | None = None,
        *,
        joints: Sequence[int | str] | None = None,
        at: Mapping[str | int, object] | None = None,
    ) -> Verdict:
        """Compare a printed formula, ``"D33 = m3*a3^2 + Izz3"``, SymPy or LaTeX, with the exact coefficient.

        The verdict is true if they are identical; else ``verdict.difference`` says by what the formula exceeds it.
        ``parameters`` are those that the formula is written in, found out where they are not given; ``joints`` and
        ``at`` are those of ``equations``.
        """
        from ..equations.verify import verify

        return verify(self, statement, parameters, joints, at)

    def analysis(
        self,
        box: Limits | None = None,
        speed: Amounts = None,
        acceleration: Amounts = None,
        *,
        gap: float | None = None,
        work: float | None = None,
        effort: float = 1.0,
        tell: Callable[[str], None] | None = None,
    ) -> Analysis:
        """One set of questions over one set of states: ranges, coupling, significance, review, reduced models.

        Positions range over the joint limits, or ``box`` (``{"joint3": (0.2, 0.9)}``, rad or m); ``speed`` and
        ``acceleration`` are the largest of each joint. ``gap`` certifies ranges to this share of their spread (1e-4 by
        default); ``work`` limits each end of a range, ``effort`` is the share of the usual work of all other proofs
        (less of it is quicker, and looser); ``tell`` is called with what is being worked out.

        >>> import dalembert as da
        >>> round(da.load("planar-2r").analysis().range_of("D11").maximum, 4)  # kg m^2
        2.6667
        """
        from ..design.analysis import Analysis

        return Analysis(self, box, speed, acceleration, gap=gap, work=work, effort=effort, tell=tell)

    def coupling_at(self, q: ArrayLike) -> PoseCoupling:
        """Projected inertias with their sign, radii of gyration and the factors of coupling at positions ``q``.

        Tourassis and Neuman 1985, eqs (21) and (32)-(35); ``analysis().coupling()`` has the largest over all poses.
        """
        from ..design.pose_coupling import pose_coupling

        return pose_coupling(self, q)

    # -- code --------------------------------------------------------------------------------------

    def compile(
        self,
        name: str,
        target: str = "cpu",
        dtype: str = "float64",
        parameters: str | None = None,
        *,
        accuracy: str = "full",
    ) -> Kernel | CudaKernel:
        """A compiled function of this system, to be called like the method of the same name.

        ``name`` is "inverse_dynamics", "forward_dynamics", "mass_matrix", "inverse_mass_matrix", "coriolis_matrix",
        "gravity_load", "bias", "forward_kinematics", "jacobian", "jacobian_rate", "center_of_mass",
        "center_of_mass_jacobian", "momentum_matrix", "regressor", "inverse_dynamics_derivatives" or
        "forward_dynamics_derivatives"; of an arm with its drives also "motor_torques", and "computed_torques"
        and "computed_motor_torques", whose last argument is the velocity that is wanted, at which friction is counted.
        ``parameters`` keeps numbers of the arm as a further, last argument instead of building them in: "inertial",
        "load" or "all"; ``kernel.parameter_names`` lists them.

        ``target="cuda"`` gives a kernel for arrays that live on an NVIDIA GPU (CuPy, PyTorch, JAX); there
        ``accuracy="fast"`` trades digits of float32 sines for speed.
        """
        from ..compile.targets import kernel_for

        return kernel_for(function(self, name, parameters), target, dtype, accuracy)

    def rollout(
        self,
        method: str = "rk4",
        controller: str = "torque",
        dtype: str = "float32",
        accuracy: str = "full",
        parameters: str | None = None,
    ) -> Rollout:
        """Many copies of this system through many steps on the GPU, in one launch; see ``Rollout`` for its call.

        ``method`` is "rk4" or "semi-implicit", ``controller`` "torque", "pd" or "computed-torque"; ``parameters`` lets
        inertia or load differ from arm to arm.
        """
        from ..compile.cuda.rollout import Rollout

        return Rollout(self, method, controller, dtype, accuracy, parameters)

    def write_c(
        self,
        name: str,
        folder: str | Path,
        dtype: str = "float64",
        parameters: str | None = None,
        *,
        wrappers: Sequence[str] = (),
    ) -> list[Path]:
        """Write a function of this system as plain C99 for a controller, with header, test and CMake file.

        ``wrappers`` may have "c++" and "rust": a header, and a module for ``no_std``, around the C function.
        """
        from ..compile.write_c import write_c

        return write_c(function(self, name, parameters), folder, dtype, wrappers)

    def write_fmu(
        self,
        path: str | Path,
        *,
        input: str | None = None,
        version: str = "2.0",
        stops: bool = False,
        restitution: float = 0.0,
        saturate: bool | None = None,
    ) -> WrittenFmu:
        """Write this system as an FMU for model exchange and co-simulation, FMI ``version`` "2.0" or "3.0".

        ``input`` is what drives it, as in ``simulate``: "joint torque", "motor torque", "current" or "voltage". Load,
        gravity, friction, limits and motors are parameters of the FMU; positions, velocities, the tool, torques and
        energies its outputs; sticking friction and, with ``stops``, the limits of the joints its events. ``stops``,
        ``restitution`` and ``saturate`` are as in ``simulate``. Sources are inside, and a binary for this platform
        where there is a C compiler.
        """
        from ..fmu.write_fmu import write_fmu

        return write_fmu(
            self, path, input=input, version=version, stops=stops, restitution=restitution, saturate=saturate
        )

    def casadi(self, name: str, parameters: str | None = None) -> Any:
        """A function of this system as a ``casadi.Function``."""
        from ..compile.bridges import casadi_function

        return casadi_function(function(self, name, parameters))

    def jax(
        self,
        name: str,
        parameters: str | None = None,
        *,
        target: str | None = None,
        dtype: str = "float32",
        accuracy: str = "full",
    ) -> Callable[..., Any]:
        """A function of this system on JAX arrays: traces, batches and differentiates.

        ``target="cuda"`` is one kernel on arrays that live on an NVIDIA GPU, and one more for its exact derivatives,
        which ``jax.grad`` goes through (outside ``jit``); ``dtype`` and ``accuracy`` are those of ``compile``,
        and of such a kernel alone: without it the arrays say the type.
        """
        from ..compile import bridges
        from ..compile.cuda import differentiable

        if on_gpu(target, parameters, dtype, accuracy):
            return differentiable.jax_function(self, name, dtype, accuracy)
        return bridges.jax_function(function(self, name, parameters))

    def torch(
        self,
        name: str,
        parameters: str | None = None,
        *,
        target: str | None = None,
        dtype: str = "float32",
        accuracy: str = "full",
    ) -> Callable[..., Any]:
        """A function of this system on Torch tensors: batches and differentiates.

        ``target="cuda"`` is one kernel on tensors that live on an NVIDIA GPU, and one more for its exact derivatives,
        which ``backward`` goes through; ``dtype`` and ``accuracy`` are those of ``compile``,
        and of such a kernel alone: without it the arrays say the type.
        """
        from ..compile import bridges
        from ..compile.cuda import differentiable

        if on_gpu(target, parameters, dtype, accuracy):
            return differentiable.torch_function(self, name, dtype, accuracy)
        return bridges.torch_function(function(self, name, parameters))

    # -- poses -------------------------------------------------------------------------------------

    def inverse_kinematics(
        self,
        pose: ArrayLike | Placement,
        *,
        frame: AskedFrame | None = None,
        task: str = "pose",
        near: ArrayLike | None = None,
        weights: ArrayLike | None = None,
        axes: str = "base",
        error: str = "angle-axis",
        limits: bool = True,
        tolerance: float | tuple[float, float] = 1e-8,
        iterations: int = 100,
        starts: int = 256,
        criterion: str | None = None,
        solutions: bool = False,
        seed: int = 0,
        fixed: Mapping[str, float] | None = None,
    ) -> JointSolutions:
        """Joint positions that bring the tool (or ``frame``: a link, or (link, Placement)) to ``pose`` ``(..., 4, 4)``.

        ``task`` is "pose", "position" (``pose`` may then be points) or "orientation"; six ``weights`` (x, y, z, then
        rotations) along the ``axes`` of the "base" or the "frame" say how much each direction counts, one of zero is
        free. ``error`` is how a rotation is measured: "angle-axis", "quaternion" or "sine". ``near`` is where to begin,
        and which solution is preferred; ``starts`` are tried where it does not lead there, by ``seed``. ``tolerance``
        is in m and rad, one number or two. Joints stay within their limits unless ``limits=False``. Of an arm with
        joints to spare ``criterion`` "limits" or "manipulability" says what these are for; ``fixed`` holds joints at
        positions (rad or m). ``solutions=True`` also lists all distinct solutions. In closed form where the geometry
        has one: then the list is whole (``.complete``) and the solution the nearest to ``near``; else damped least
        squares (Sugihara 2011), each step compiled, and the list is what the starts lead to.
        What was not reached is in the result: ``.converged``, ``.missed()``; ``.checked()`` makes it an error.
        """
        from ..kinematics.inverse_kinematics import inverse_kinematics

        if is_lazy(pose, near):
            return self._lazy_inverse_kinematics(
                pose, near, solutions, frame=frame, task=task, weights=weights, axes=axes, error=error, limits=limits,
                tolerance=tolerance, iterations=iterations, starts=starts, criterion=criterion, seed=seed, fixed=fixed,
            )  # fmt: skip
        return inverse_kinematics(
            self, pose, frame=frame, task=task, near=near, weights=weights, axes=axes, error=error, limits=limits,
            tolerance=tolerance, iterations=iterations, starts=starts, criterion=criterion, solutions=solutions,
            seed=seed, fixed=fixed,
        )  # fmt: skip

    def _lazy_inverse_kinematics(self, pose: Any, near: Any, solutions: bool, **options: Any) -> JointSolutions:
        """The same of Dask arrays, chunk by chunk."""
        if solutions:
            raise ArmError(
                f"{self.name}: poses have lists of solutions of different lengths, which no Dask array holds; ask for "
                "them chunk by chunk, or leave solutions out"
            )
        points = options["task"] == "position" and tuple(np.shape(pose)[-2:]) != (4, 4)
        tool_pose = self.forward_kinematics(np.zeros(self.n))
        probe = tool_pose[:3, 3] if points else tool_pose
        arrays, axes, probes = [pose], [1 if points else 2], [probe]
        if near is not None:
            arrays, axes, probes = [pose, near], [*axes, 1], [probe, np.zeros(self.n)]

        def solve(pose: Any, near: Any = None) -> JointSolutions:
            return self.inverse_kinematics(pose, near=near, **options)

        solutions_: JointSolutions = mapped(solve, *arrays, axes=axes, probes=probes)
        return solutions_

    def manipulability(
        self,
        q: ArrayLike,
        frame: AskedFrame | None = None,
        *,
        directions: str | Sequence[str] = "all",
        kind: str = "velocity",
    ) -> Manipulability:
        """How well the tool (or ``frame``) can be moved: Yoshikawa's measure, condition, the ellipsoid.

        ``directions`` are "all", "translation", "rotation", or some of x y z rx ry rz (base axes, m/s and rad/s);
        ``kind="acceleration"`` counts what joint torques of 1 do, with the inertia of the whole system.
        """
        from ..kinematics.manipulability import manipulability

        return manipulability(self, q, frame, directions, kind)

    def operational_inertia(
        self, q: ArrayLike, frame: AskedFrame | None = None, *, directions: str | Sequence[str] = "all"
    ) -> Array:
        """Lambda = (J D^-1 J^T)^-1 ``(..., k, k)``: force over acceleration at the tool (Khatib 1987), load in."""
        from ..kinematics.manipulability import operational_inertia

        return operational_inertia(self, q, frame, directions)

    # -- motion ------------------------------------------------------------------------------------

    def linearize(
        self,
        q: ArrayLike,
        qd: ArrayLike | None = None,
        tau: ArrayLike | None = None,
        *,
        input: str | None = None,
        coordinates: str | Sequence[str] = "joint",
        width: float | None = None,
        forces: Sequence[Force] = (),
        disturbances: Sequence[Force] = (),
    ) -> LinearModel:
        """The linear model about (q, qd) under joint torques ``tau`` (those that hold it by default).

        States are positions and velocities of the joints, or with ``coordinates="hand"`` of the hand (or name hand
        coordinates, as many as joints). ``input`` is "joint torque" (the default of an arm alone), "motor torque" or
        "voltage" (of an arm with drives; currents are then states); ``width`` makes Coulomb friction smooth over this
        speed. ``forces`` act on the links and keep their components while the arm moves; of ``disturbances``, which act
        too, the deviations of their components are further inputs: ``da.Force("hand")`` is none with six of them.
        ``.state_space()`` hands the model to python-control.
        """
        from ..linear.models import linear_model

        return linear_model(
            self, q, qd, tau, input=input, coordinates=coordinates, width=width, forces=forces,
            disturbances=disturbances,
        )  # fmt: skip

    def linearize_along(self, trajectory: Trajectory, times: ArrayLike) -> list[LinearModel]:
        """Linear models at these times of a trajectory; inputs are joint torques, motor torques with drives."""
        from ..control.gains import linear_at

        return [linear_at(self, trajectory, float(t)) for t in np.atleast_1d(times)]

    def simulate(
        self,
        control: Control,
        q: ArrayLike,
        qd: ArrayLike | None = None,
        duration: float = 1.0,
        *,
        input: str | None = None,
        currents: ArrayLike | None = None,
        times: ArrayLike | None = None,
        samples: int | None = None,
        start: float = 0.0,
        method: str = "auto",
        rtol: float = 1e-8,
        atol: float = 1e-10,
        max_step: float | None = None,
        stops: bool = False,
        restitution: float = 0.0,
        changes: Sequence[LoadChange] = (),
        period: float | None = None,
        saturate: bool | None = None,
        most_evaluations: int = 1_000_000,
        progress: bool = False,
        compiled: bool | None = None,
        tell: Callable[[float], object] | None = None,
    ) -> Motion:
        """The motion from (q, qd) over ``duration`` seconds under ``control``: numbers, or a function of (t, q, qd).

        ``input`` says what they are: "joint torque" (the default of an arm alone), "motor torque" (the default with
        drives), "current" or "voltage"; ``currents`` (A) flow at the start where voltages drive. ``times`` (or
        ``samples`` even ones, 501) are when to record; ``method`` is one of scipy's, or "auto": DOP853, and Radau
        from where the motion is stiff, with tolerances ``rtol``, ``atol``. ``stops`` makes position limits solid, with
        this ``restitution``; ``changes`` grip or drop loads; ``period`` (s) samples and holds the controller.
        ``saturate`` cuts torques to the limits of motors and joints, by default where drives count and limits are
        known. Friction of the drives sticks exactly. After ``most_evaluations`` the motion is given up. ``compiled``
        forces (True) or forbids (False) the loop in machine code, which serves constant torques, and computed torque
        and PD on polynomial trajectories, without events and with "auto" or "DOP853"; by default it is used where it
        can be. ``tell(t)`` is called now and then with the time (s) reached: what it raises ends the run. A run that
        cannot go on raises ``SimulationError``, whose ``motion`` is the part up to there.

        >>> import dalembert as da
        >>> da.load("planar-2r").simulate([0, 0], [0.4, -0.9], duration=1.0).q.shape
        (501, 2)
        """
        from ..control.simulate_system import simulate_system

        return simulate_system(
            self, control, q, qd, duration, input=input, currents=currents, times=times, samples=samples, start=start,
            method=method, rtol=rtol, atol=atol, max_step=max_step, stops=stops, restitution=restitution,
            changes=changes, period=period, saturate=saturate, most_evaluations=most_evaluations, progress=progress,
            compiled=compiled, tell=tell,
        )  # fmt: skip

    def simulate_many(
        self,
        torque: ArrayLike,
        q: ArrayLike,
        qd: ArrayLike | None = None,
        duration: float = 1.0,
        *,
        step: float = 1e-3,
        every: int | None = None,
        parameters: ArrayLike | None = None,
    ) -> Many:
        """Many arms at once under constant torques, RK4 with a fixed ``step`` (s), in machine code where it can be.

        ``q``, ``qd`` and ``torque`` are ``(arms, n)`` or broadcast to it. ``every`` keeps each so many steps (only
        the last state without it). ``parameters`` ``(arms, 10 n)`` lets the inertial parameters differ.
        """
        from ..simulation.many import simulate_many

        return simulate_many(self, torque, q, qd, duration, step, every, parameters)

    def requirements(self, trajectory: Trajectory, samples: int = 501) -> Requirements:
        """Torques (with drives also currents and voltages) a trajectory needs, and the limit it meets first."""
        from ..control.requirements import requirements

        return requirements(self, trajectory, samples)


def on_gpu(target: str | None, parameters: str | None, dtype: str, accuracy: str) -> bool:
    """Whether a kernel of our own is asked for, in place of the library's own operations."""
    if target is None:
        if (dtype, accuracy) != ("float32", "full"):
            raise ArmError(
                "the library's own operations have the type and the sines of its arrays; give arrays of that type and "
                'leave out dtype and accuracy, which are for target="cuda"'
            )
        return False
    if target != "cuda":
        raise ArmError(f'no target {target!r} for a differentiable kernel; there is "cuda", or none for the library')
    if parameters is not None:
        raise ArmError(
            "differentiable kernels on the GPU have the numbers of the arm built in; "
            'leave out parameters or target="cuda"'
        )
    return True
