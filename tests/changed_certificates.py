"""Certificates with other sections and digests that fit them, as somebody would forge them."""

from __future__ import annotations

import copy
import random
from fractions import Fraction

from dalembert.certificates.certificate_file import SECTIONS, read, write


def rewritten(path, sections, folder):
    """The certificate with these sections, and digests that fit them."""
    kind = sections["header"]["kind"]
    return write(
        folder / f"changed{random.random()}.json", kind, {name: sections[name] for name in list(SECTIONS[kind])[1:]}
    )


def changed(path, folder, change):
    sections = copy.deepcopy(read(path))
    change(sections)
    return rewritten(path, sections, folder)


def shift(text, factor):
    """A number written as text, times a factor."""
    return str(Fraction(text) * factor)
