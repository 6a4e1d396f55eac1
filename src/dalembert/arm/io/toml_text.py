"""Text as TOML files have it."""

import json


def quoted(text: str) -> str:
    """A TOML string, which has the escapes of JSON; what would steer a terminal or hide in an editor is spelled out."""
    return "".join(c if c.isprintable() else _spelled(ord(c)) for c in json.dumps(text, ensure_ascii=False))


def _spelled(code: int) -> str:
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
