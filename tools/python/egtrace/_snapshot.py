"""A snapshot that stays open."""

import json
import os
from typing import Any, Dict, Iterable, List, Optional, Tuple, Union

from . import _egtrace
from ._errors import UsageError
from ._results import Audit, Baseline, Check, Explanation, Inspection, Lookup, Triage

Expectations = Union[str, "os.PathLike[str]", Iterable[Dict[str, Any]]]
BaselineSource = Union[str, "os.PathLike[str]", Baseline]
Texts = Union[str, Iterable[str]]


def _texts(some: Texts) -> List[str]:
    return [some] if isinstance(some, str) else list(some)


def _read(path: Union[str, "os.PathLike[str]"]) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as failed:
        raise UsageError(f"{os.fspath(path)}: {failed.strerror if isinstance(failed, OSError) else failed}") from failed


class Snapshot:
    """The dumps of a cluster: a directory, an archive, a compiled file, or single dumps ("[NODE:][KIND=]PATH").

    It is read once and answers many questions; threads may ask at the same time, as calls let other threads run. `at` is a moment as
    of which databases are read ("2026-03-01T12:00:00Z", "2h"), `jobs` the threads to work with (0: one a processor).
    """

    def __init__(self, path: Union[str, "os.PathLike[str]"] = "", *, dumps: Texts = (), at: str = "", jobs: int = 0, follow_links: bool = False) -> None:
        self._path = os.fspath(path)
        self._open = _egtrace.OpenSnapshot(path=self._path, dumps=_texts(dumps), at=at, jobs=jobs, follow_links=follow_links)

    def __repr__(self) -> str:
        return f"egtrace.Snapshot({self._path!r})"

    def explain(self, from_: str, to: str, *, namespace: str = "", network: str = "", proto: str = "tcp", sport: Optional[int] = None,
                dport: Optional[int] = None, ttl: Optional[int] = None, dscp: Optional[int] = None, icmp_type: Optional[int] = None,
                icmp_code: Optional[int] = None, mark: Optional[int] = None, smac: str = "", dmac: str = "", arrive_at: str = "",
                in_dev: str = "", size: Optional[int] = None, df: bool = False, established: bool = False, no_conntrack: bool = False,
                one_way: bool = False) -> Explanation:
        """What happens to a connection, request and reply. Keywords are the options of `egtrace explain`, with underscores."""
        return Explanation.from_json(self._open.explain(
            from_, to, namespace=namespace, network=network, proto=proto, sport=sport, dport=dport, ttl=ttl, dscp=dscp, icmp_type=icmp_type,
            icmp_code=icmp_code, mark=mark, smac=smac, dmac=dmac, arrive_at=arrive_at, in_dev=in_dev, size=size, df=df,
            established=established, no_conntrack=no_conntrack, one_way=one_way))

    def audit(self, *, to: Texts = (), namespace: Texts = (), one_way: bool = False) -> Audit:
        """Which address the other end sees of every pod and node, and what decides it."""
        return Audit.from_json(self._open.audit(to=_texts(to), namespaces=_texts(namespace), one_way=one_way))

    def check(self, expectations: Optional[Expectations] = None, *, from_objects: bool = False, assume_gaps: bool = False,
              baseline: Optional[BaselineSource] = None) -> Check:
        """Expectations against the snapshot: a file of them, or dicts with its keys; or what the Kubernetes objects imply.

        `baseline`: a file that `egtrace check --write-baseline` wrote, or what `baseline()` gave.
        """
        text, name = _expectations(expectations, from_objects)
        known, known_name = _baseline(baseline)
        return Check.from_json(self._open.check(text=text, name=name, from_objects=from_objects, assume_gaps=assume_gaps, baseline=known,
                                                baseline_name=known_name))

    def baseline(self, expectations: Optional[Expectations] = None, *, from_objects: bool = False, assume_gaps: bool = False) -> Baseline:
        """What fails now, as `egtrace check --write-baseline` writes it."""
        text, name = _expectations(expectations, from_objects)
        return Baseline.from_json(self._open.baseline(text=text, name=name, from_objects=from_objects, assume_gaps=assume_gaps))

    def triage(self, *, only: Texts = ()) -> Triage:
        """What is wrong or suspicious, most serious first. `only`: ids of checks."""
        return Triage.from_json(self._open.triage(_texts(only)))

    def inspect(self) -> Inspection:
        """What the snapshot holds: nodes, dumps, lines not understood, gaps."""
        return Inspection.from_json(self._open.inspect())

    def lookup(self, thing: str) -> Lookup:
        """Everything known of an address, a MAC, a cookie, a name, a number."""
        return Lookup.from_json(self._open.lookup(thing))


def _expectations(expectations: Optional[Expectations], from_objects: bool) -> Tuple[str, str]:
    """The text, and what errors call it."""
    if expectations is None:
        if not from_objects:
            raise UsageError("no expectations given; name a YAML file, give dicts, or let from_objects be true")
        return "", ""
    if isinstance(expectations, (str, os.PathLike)):
        return _read(expectations), os.fspath(expectations)
    # Each on a line of its own: the lines of errors and results are their numbers.
    return '{"version": 1, "expect": [' + ",\n".join(json.dumps(e, ensure_ascii=False) for e in expectations) + "]}", "expectations"


def _baseline(baseline: Optional[BaselineSource]) -> Tuple[str, str]:
    if baseline is None:
        return "", ""
    if isinstance(baseline, (str, os.PathLike)):
        return _read(baseline), os.fspath(baseline)
    return json.dumps(baseline), "baseline"
