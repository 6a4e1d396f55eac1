#!/usr/bin/env python3
"""What C for a controller costs on an emulated Cortex-M7: instructions of a call, code size, stack.

    python benchmarks/cortex_m7.py                       # puma560 and panda; some seconds
    python benchmarks/cortex_m7.py --output table.md     # the table as a file

Needs ``arm-none-eabi-gcc`` with newlib and ``qemu-system-arm`` (Debian: gcc-arm-none-eabi, libnewlib-arm-none-eabi,
qemu-system-arm). The board is mps2-an500; ``-icount shift=0`` advances its clock by one nanosecond for each
instruction, and the SysTick timer reads it. So instructions are counted, those of newlib's sine and cosine included,
and not the cycles of a real chip: a Cortex-M7 issues up to two instructions a cycle, and waits for its memories. A
block of instructions of known length shows what a tick is. Results are compared with reference values on the target.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import dalembert as da
from dalembert.compile.functions import function
from dalembert.compile.write_c import ControllerCode

CPU = ("-mcpu=cortex-m7", "-mfpu=fpv5-d16", "-mfloat-abi=hard", "-mthumb")
OPTIONS = ("-std=c99", "-O2", "-ffunction-sections", "-fdata-sections", "-fstack-usage", "-Wall", "-Wextra", "-Werror")
REPEATS, BLOCK = 50, 10_000

LINKER = """\
MEMORY { FLASH (rx) : ORIGIN = 0x00000000, LENGTH = 4M  RAM (rwx) : ORIGIN = 0x20000000, LENGTH = 4M }
ENTRY(reset)
SECTIONS {
  .text : { KEEP(*(.vectors)) *(.text*) *(.rodata*) } > FLASH
  .ARM.exidx : { *(.ARM.exidx*) } > FLASH
  .data : { *(.data*) } > RAM
  .bss : { *(.bss*) *(COMMON) } > RAM
}
"""

BOARD = """\
#include <math.h>
#include <stdint.h>
#include "@SYMBOL@.h"
@TABLES@
#define SYSTICK_CONTROL (*(volatile uint32_t *)0xE000E010u)
#define SYSTICK_RELOAD (*(volatile uint32_t *)0xE000E014u)
#define SYSTICK_VALUE (*(volatile uint32_t *)0xE000E018u)
#define COPROCESSORS (*(volatile uint32_t *)0xE000ED88u)

int *__errno(void);
int *__errno(void) { static int number; return &number; }

static void semihost(uint32_t operation, const void *argument)
{
  register uint32_t r0 __asm__("r0") = operation;
  register const void *r1 __asm__("r1") = argument;
  __asm__ volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
}

static void tell(const char *what, uint32_t value)
{
  char digits[12];
  int at = 11;
  digits[at] = 0;
  do { digits[--at] = (char)('0' + value % 10u); value /= 10u; } while (value);
  semihost(4, what);
  semihost(4, " ");
  semihost(4, digits + at);
  semihost(4, "\\n");
}

static double difference(const @REAL@ *found, const double *right, int count)
{
  double most = 0.0, size = 1e-12;
  for (int i = 0; i < count; i++) {
    most = fmax(most, fabs((double)found[i] - right[i]));
    size = fmax(size, fabs(right[i]));
  }
  return most / size;
}

/* its own function: what opens it may save registers of the floating-point unit */
static __attribute__((noinline)) void run(void)
{
  uint32_t most = 0, start, spent;
  double worst = 0.0;
  SYSTICK_RELOAD = 0xFFFFFFu;
  SYSTICK_VALUE = 0;
  SYSTICK_CONTROL = 5;
  start = SYSTICK_VALUE;
  __asm__ volatile(".rept @BLOCK@\\nnop\\n.endr");
  spent = (start - SYSTICK_VALUE) & 0xFFFFFFu;
  tell("block", spent);
  for (int state = 0; state < @STATES@; state++) {
@OUTS@
    start = SYSTICK_VALUE;
    for (int turn = 0; turn < @REPEATS@; turn++) @SYMBOL@(@PASSED@);
    spent = (start - SYSTICK_VALUE) & 0xFFFFFFu;
    if (spent > most) most = spent;
@CHECKS@
  }
  tell("ticks", most);
  tell("off", (uint32_t)(worst * 1e9));
  semihost(0x18, (const void *)0x20026u);
}

void reset(void);
void reset(void)
{
  COPROCESSORS |= 0xFu << 20;
  __asm__ volatile("dsb\\nisb");
  run();
  for (;;) {}
}
extern const uint32_t vectors[2];
__attribute__((section(".vectors"))) const uint32_t vectors[2] = {0x20400000u, (uint32_t)reset + 0u};
"""


@dataclass(frozen=True)
class Cost:
    """A call of one function."""

    symbol: str
    dtype: str
    operations: str
    instructions: int
    bytes_of_code: int
    stack: int
    off: float

    @property
    def row(self) -> str:
        """A row of the table."""
        return (
            f"| {self.symbol} | {self.dtype} | {self.operations} | {self.instructions:,} | "
            f"{self.instructions / 400:.1f} | {self.bytes_of_code:,} | {self.stack:,} |"
        )


def measured(code: ControllerCode, folder: Path) -> Cost:
    """Build it, run it on the board, read what it says."""
    code.write(folder)
    symbol = code.symbol
    states, results = code.samples()
    (folder / "main.c").write_text(board(code, states, results))
    (folder / "board.ld").write_text(LINKER)
    for name in (f"{symbol}.c", "main.c"):
        subprocess.run(["arm-none-eabi-gcc", *CPU, *OPTIONS, "-c", name], cwd=folder, check=True)
    subprocess.run(
        ["arm-none-eabi-gcc", *CPU, "-nostartfiles", "-T", "board.ld", "-Wl,--gc-sections", "-o", "board.elf", "main.o",
         f"{symbol}.o", "-lm", "-lnosys"],
        cwd=folder, check=True,
    )  # fmt: skip
    said = subprocess.run(
        ["qemu-system-arm", "-M", "mps2-an500", "-nographic", "-monitor", "none", "-serial", "none", "-icount",
         "shift=0", "-semihosting-config", "enable=on,target=native", "-kernel", "board.elf"],
        cwd=folder, check=True, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    found = {key: int(value) for key, value in re.findall(r"(\w+) (\d+)", said.stdout + said.stderr)}
    per_tick = BLOCK / found["block"]
    sizes = subprocess.run(
        ["arm-none-eabi-size", f"{symbol}.o"], cwd=folder, check=True, capture_output=True, text=True
    )
    stack = int((folder / f"{symbol}.su").read_text().split("\t")[1])
    cost = Cost(
        symbol, code.dtype, str(code.operations), round(found["ticks"] * per_tick / REPEATS),
        int(sizes.stdout.splitlines()[1].split()[0]), stack, found["off"] * 1e-9,
    )  # fmt: skip
    if cost.off > (1e-4 if code.dtype == "float32" else 1e-9):
        raise SystemExit(f"{symbol}: the target is off by {cost.off:.1e} of the largest value")
    return cost


def board(code: ControllerCode, states: list[list[list[float]]], results: list[list[list[float]]]) -> str:
    """The program: states and right results in, ticks and the largest difference out."""
    tables = []
    for k, (name, width) in enumerate(code.inputs):
        rows = ", ".join("{" + ", ".join(f"{x!r}{code.suffix}" for x in state[k]) + "}" for state in states)
        tables.append(f"static const {code.real} in_{name}[{len(states)}][{width}] = {{{rows}}};")
    for k, (name, _) in enumerate(code.results):
        rows = ", ".join("{" + ", ".join(repr(x) for x in result[k]) + "}" for result in results)
        tables.append(f"static const double ref_{name}[{len(states)}][{len(results[0][k])}] = {{{rows}}};")
    widths = {name: len(results[0][k]) for k, (name, _) in enumerate(code.results)}
    checks = [
        f"    worst = fmax(worst, difference({name}, ref_{name}[state], {width}));" for name, width in widths.items()
    ]
    passed = ", ".join([*(f"in_{name}[state]" for name, _ in code.inputs), *widths])
    words = {
        "REAL": code.real, "SYMBOL": code.symbol, "TABLES": "\n".join(tables), "BLOCK": str(BLOCK),
        "STATES": str(len(states)),
        "OUTS": "\n".join(f"    {code.real} {name}[{width}];" for name, width in widths.items()),
        "REPEATS": str(REPEATS), "PASSED": passed, "CHECKS": "\n".join(checks),
    }  # fmt: skip
    text = BOARD
    for key, value in words.items():
        text = text.replace(f"@{key}@", value)
    return text


HEAD = (
    "| function | numbers | operations | instructions of a call | us at 400 MHz, one a cycle | code, bytes | "
    "stack, bytes |\n|---|---|---|---|---|---|---|"
)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, help="a file for the table")
    asked = parser.parse_args()
    puma, panda = da.load("puma560", physical="ignore"), da.load("panda")
    functions = [
        function(puma, "inverse_dynamics"), function(puma.driven, "computed_motor_torques"),
        function(puma, "gravity_load"), function(panda, "inverse_dynamics"), function(panda, "mass_matrix"),
        function(panda, "forward_dynamics"),
    ]  # fmt: skip
    rows = [HEAD]
    for each in functions:
        for dtype in ("float32", "float64"):
            with tempfile.TemporaryDirectory() as place:
                rows.append(measured(ControllerCode(each, dtype), Path(place)).row)
                print(rows[-1], file=sys.stderr)
    text = "\n".join(rows) + "\n"
    print(text, end="")
    if asked.output:
        asked.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
