"""Assertions for pytest and unittest: what does not hold raises AssertionError with the reason and the dump lines.

Each takes the packet options of `Snapshot.explain()` and `soft`, which warns instead. What the snapshot does not decide is no pass: it raises
`Undecided`, an AssertionError of its own, unless `undecided="pass"`.
"""

import sys
import warnings
from types import FrameType
from typing import Any, Dict, List, Optional

from ._results import Audit, Check, Triage
from ._snapshot import BaselineSource, Expectations, Snapshot, Texts

__all__ = ["Undecided", "assert_answered", "assert_check", "assert_holds", "assert_no_findings", "assert_no_leaks", "assert_outcome", "assert_refused",
           "assert_unanswered"]


class Undecided(AssertionError):
    """The snapshot does not hold enough to decide; the message names what is missing."""


def assert_outcome(snapshot: Snapshot, from_: str, to: str, outcome: Texts, *, soft: bool = False, undecided: str = "fail", **expected: Any) -> Check:
    """The client sees one of these outcomes. `expected`: further keys of an expectation (snat, node, device, contains, dport, ...)."""
    __tracebackhide__ = True  # pytest shows the test's own line
    return assert_holds(snapshot, from_, to, soft=soft, undecided=undecided, outcome=outcome, **expected)


def assert_answered(snapshot: Snapshot, from_: str, to: str, *, soft: bool = False, undecided: str = "fail", **expected: Any) -> Check:
    __tracebackhide__ = True  # pytest shows the test's own line
    return assert_outcome(snapshot, from_, to, "answered", soft=soft, undecided=undecided, **expected)


def assert_refused(snapshot: Snapshot, from_: str, to: str, *, soft: bool = False, undecided: str = "fail", **expected: Any) -> Check:
    __tracebackhide__ = True  # pytest shows the test's own line
    return assert_outcome(snapshot, from_, to, "refused", soft=soft, undecided=undecided, **expected)


def assert_unanswered(snapshot: Snapshot, from_: str, to: str, *, soft: bool = False, undecided: str = "fail", **expected: Any) -> Check:
    __tracebackhide__ = True  # pytest shows the test's own line
    return assert_outcome(snapshot, from_, to, "unanswered", soft=soft, undecided=undecided, **expected)


def assert_holds(snapshot: Snapshot, from_: str, to: str, *, soft: bool = False, undecided: str = "fail", assume_gaps: bool = False, **expected: Any) -> Check:
    """One expectation, with the keys of docs/expectations.md (dashes as underscores); patterns such as "shop/*" are for all that fit."""
    __tracebackhide__ = True  # pytest shows the test's own line
    expectation: Dict[str, Any] = {"from": from_, "to": to}
    expectation.update((key.replace("_", "-"), _plain(value)) for key, value in expected.items())
    return _judge(snapshot.check([expectation], assume_gaps=assume_gaps), soft, undecided)


def assert_check(snapshot: Snapshot, expectations: Optional[Expectations] = None, *, from_objects: bool = False, soft: bool = False, undecided: str = "fail",
                 assume_gaps: bool = False, baseline: Optional[BaselineSource] = None) -> Check:
    """A file of expectations, or what the objects imply; with a baseline known failures pass."""
    __tracebackhide__ = True  # pytest shows the test's own line
    return _judge(snapshot.check(expectations, from_objects=from_objects, assume_gaps=assume_gaps, baseline=baseline), soft, undecided)


def assert_no_leaks(snapshot: Snapshot, *, to: Texts = (), namespace: Texts = (), soft: bool = False) -> Audit:
    """No pod that an egress object selects leaves otherwise."""
    __tracebackhide__ = True  # pytest shows the test's own line
    audit = snapshot.audit(to=to, namespace=namespace)
    rows = [f"{r['namespace']}/{r['pod']} on {r['node']} to {r['to']}: expected {r['expected']}, decided by {r['decided_by']}" + _lines(r["evidence"]) for r in audit.leaks]
    if rows:
        _fail(AssertionError(f"{len(rows)} leak{'s' if len(rows) > 1 else ''}\n" + "\n".join(rows)), soft)
    return audit


def assert_no_findings(snapshot: Snapshot, level: str = "error", *, only: Texts = (), soft: bool = False) -> Triage:
    """Triage finds nothing of this level (error, warning, note) or above."""
    __tracebackhide__ = True  # pytest shows the test's own line
    triage = snapshot.triage(only=only)
    found = [f"{f['severity']}: {f['claim']} [{f['id']}]{_lines(f['evidence'])}\n  next: {f['remedy']}" for f in triage.at_least(level)]
    if found:
        _fail(AssertionError(f"{len(found)} finding{'s' if len(found) > 1 else ''}\n" + "\n".join(found)), soft)
    return triage


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, (tuple, set, frozenset)) else value


def _lines(evidence: List[Dict[str, Any]], most: int = 3) -> str:
    return "".join(f"\n  {e['dump']}:{e['line']}: {e['text'].strip()}" for e in evidence[:most])


def _words(expectation: Dict[str, Any]) -> str:
    expected = ", ".join(f"{name} {value}" for name, value in expectation["expected"].items())
    text = f"{expectation['name']}\n  expected: {expected}\n  {expectation['why']}" + _lines(expectation["evidence"])
    for gap in expectation["gaps"]:
        text += f"\n  missing: {gap['node']} {gap['what']}: {gap['command']}"
    return text


def _judge(check: Check, soft: bool, undecided: str) -> Check:
    __tracebackhide__ = True  # pytest shows the test's own line
    if undecided not in ("fail", "pass"):
        raise ValueError("undecided is fail or pass, not " + repr(undecided))
    holds = check.holds
    if holds is False:
        _fail(AssertionError("does not hold: " + "\n".join(_words(e) for e in check.failing())), soft)
    elif holds is None and undecided == "fail":
        open_ones = [e for e in check.expectations if e["holds"] is None or any(c["holds"] is None for c in e["cases"])]
        missing = [f"missing: {gap['what']}: {gap['command']}" for gap in check["gaps"]]
        _fail(Undecided("the snapshot does not decide: " + "\n".join([_words(e) for e in open_ones] + missing)), soft)
    return check


def _fail(error: AssertionError, soft: bool) -> None:
    """A warning is the caller's: it names the test, not this module."""
    __tracebackhide__ = True  # pytest shows the test's own line
    if not soft:
        raise error
    frame: Optional[FrameType] = sys._getframe()
    level = 0
    while frame is not None and frame.f_globals.get("__name__") == __name__:
        frame = frame.f_back
        level += 1
    warnings.warn(str(error), stacklevel=level + 1)
