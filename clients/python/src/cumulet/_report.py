"""Describes recorded requests for people, in the report of a failed test."""

import json
from typing import Any, Iterable, List, Sequence

from .types import JournalEntry, NearMiss

_MAX_BODY = 300


def describe_requests(entries: Sequence[JournalEntry]) -> List[str]:
    """Returns a line for each request, and the bodies of those that were refused."""
    return [line for entry in entries for line in _lines(entry)]


def describe_near_misses(near_misses: Iterable[NearMiss]) -> List[str]:
    """Returns a line for each request that meets all conditions of an assertion but one."""
    return [
        f"#{miss['request']['id']} {_target(miss['request'])} differs only in its "
        f"{miss['condition']}: {_short(miss['actual'])} instead of {_short(miss['expected'])}"
        for miss in near_misses
    ]


def _lines(entry: JournalEntry) -> List[str]:
    status = "dropped" if entry["status"] is None else str(entry["status"])
    words = [
        f"#{entry['id']}",
        entry["machine_time"][11:23],
        _target(entry),
        status,
        entry["action"] or entry["operation"] or "-",
        _version(entry),
        f"{entry['duration_ms']:g}ms",
        *(f"fault {rule}" for rule in entry["fault_rules"]),
    ]
    lines = ["  ".join(word for word in words if word)]
    if entry["status"] is None or entry["status"] >= 400:
        bodies = {"request": entry["request_body"], "reply": entry["response_body"]}
        lines += [f"      {name}: {_short(body)}" for name, body in bodies.items() if body]
    return lines


def _target(entry: JournalEntry) -> str:
    query = f"?{entry['query']}" if entry["query"] else ""
    return f"{entry['method']} {entry['prefix']}{entry['path']}{query}"


def _version(entry: JournalEntry) -> str:
    if entry["version"] is None:
        return ""
    asked = entry["version_asked"]
    return entry["version"] if asked is None else f"{entry['version']} ({asked})"


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _MAX_BODY else f"{text[:_MAX_BODY]}…"
