"""Results: the JSON documents of the commands, with names for what is asked most."""

import json
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Type, TypeVar

if TYPE_CHECKING:
    import pandas

Row = Dict[str, Any]
R = TypeVar("R", bound="Result")


class Result(Dict[str, Any]):
    """A document as its command prints it with --format json: a dict, so `json.dumps()` gives it back."""

    @classmethod
    def from_json(cls: Type[R], text: str) -> R:
        return cls(json.loads(text))

    def __repr__(self) -> str:
        """Short: a document may have thousands of lines."""
        return f"<egtrace.{type(self).__name__}: {self._glance()}>"

    def _glance(self) -> str:
        return str(self.get("schema", ""))


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


class Table(Result):
    """A document that is a list of rows in the main."""

    _rows_key = ""

    @property
    def rows(self) -> List[Row]:
        """The rows as the document has them."""
        rows: List[Row] = self[self._rows_key]
        return rows

    def to_dicts(self) -> List[Row]:
        """The rows without anything nested but lists: as to_frame() has them."""
        return [_flat(row) for row in self.rows]

    def to_frame(self) -> "pandas.DataFrame":
        """The rows as a pandas.DataFrame; None is pandas' missing value. Needs pandas."""
        try:
            import pandas
        except ImportError as missing:
            raise ImportError("to_frame() needs pandas, which is not installed; to_dicts() has the same rows as dicts") from missing
        frame = pandas.DataFrame.from_records(self.to_dicts(), columns=self._columns())
        return frame.astype({name: "Int64" for name in ("source_port",) if name in frame})  # None is no reason for 54321.0

    def _columns(self) -> List[str]:
        names: Dict[str, None] = dict.fromkeys(self._always)
        for row in self.to_dicts():
            names.update(dict.fromkeys(row))
        return list(names)

    _always: List[str] = []

    def _glance(self) -> str:
        return _counted(len(self.rows), "row")


def _flat(row: Row) -> Row:
    """An address that is seen becomes two columns, whatever else is nested keeps its lists."""
    flat: Row = {}
    for key, value in row.items():
        if key == "source_seen":
            flat["source_seen"] = value["ip"] if value else None
            flat["source_port"] = value["port"] if value else None
        else:
            flat[key] = value
    return flat


class Explanation(Result):
    """What happens to one connection (docs/schema/explain.schema.json)."""

    @property
    def outcome(self) -> str:
        """answered, refused, unanswered, mixed or undecided: what the client sees."""
        return str(self["outcome"])

    @property
    def confidence(self) -> Optional[str]:
        """proven or assumed; None where nothing is decided."""
        confidence: Optional[str] = self.get("confidence")
        return confidence

    @property
    def summary(self) -> str:
        return str(self["summary"])

    @property
    def fault(self) -> Optional[Row]:
        """What keeps the request from its intended outcome: reason, place, evidence."""
        fault: Optional[Row] = self["fault"]
        return fault

    @property
    def intent(self) -> Row:
        intent: Row = self["intent"]
        return intent

    @property
    def paths(self) -> List[Row]:
        paths: List[Row] = self["paths"]
        return paths

    @property
    def gaps(self) -> List[Row]:
        """What the snapshot lacks, with the commands that print it."""
        gaps: List[Row] = self["gaps"]
        return gaps

    @property
    def decided(self) -> bool:
        return self.outcome != "undecided"

    def _glance(self) -> str:
        return f"{self.outcome}{f' ({self.confidence})' if self.confidence else ''}, {self.summary}"


class Audit(Table):
    """Who leaves as whom, one row a path (docs/schema/audit.schema.json)."""

    _rows_key = "rows"
    _always = ["pod", "namespace", "node", "ip", "to", "to_kind", "outcome", "fails", "verdict", "confidence", "source_seen", "source_port", "egress_node",
               "egress_device", "decided_by", "evidence", "leak", "expected"]

    @property
    def leaks(self) -> List[Row]:
        """Rows of pods that leave otherwise than the egress object asks for that selects them."""
        return [row for row in self.rows if row["leak"]]

    def _glance(self) -> str:
        return f"{_counted(len(self.rows), 'row')}, {_counted(len(self.leaks), 'leak')}"


class Triage(Table):
    """What is wrong or suspicious, most serious first (docs/schema/triage.schema.json)."""

    _rows_key = "findings"
    _always = ["id", "severity", "title", "claim", "node", "object", "nodes", "pods", "evidence", "remedy", "docs"]

    @property
    def findings(self) -> List[Row]:
        return self.rows

    @property
    def skipped(self) -> List[Row]:
        """Checks that lacked dumps, and which."""
        skipped: List[Row] = self["skipped"]
        return skipped

    def at_least(self, level: str) -> List[Row]:
        """Findings of this level (error, warning, note) or above."""
        levels = ["note", "warning", "error"]
        if level not in levels:
            raise ValueError("a level is error, warning or note, not " + repr(level))
        return [f for f in self.rows if levels.index(f["severity"]) >= levels.index(level)]

    def _glance(self) -> str:
        levels = [f["severity"] for f in self.rows]
        return ", ".join(_counted(levels.count(level), level) for level in ("error", "warning", "note"))


class Check(Table):
    """Expectations, and whether they hold (docs/schema/check.schema.json)."""

    _rows_key = "expectations"
    _always = ["name", "from", "to", "holds", "why", "reason", "seen", "evidence", "gaps"]

    @property
    def expectations(self) -> List[Row]:
        return self.rows

    @property
    def holds(self) -> Optional[bool]:
        """True: all hold; False: one does not (with a baseline: in a way that is not known); None: one is undecided, or there are no objects to check."""
        baseline: Optional[Row] = self.get("baseline")
        states = [e["holds"] for e in self.rows] + [case["holds"] for case in self.cases()]
        if False in states and (baseline is None or baseline["new"] > 0):
            return False
        return None if None in states or self["gaps"] else True

    def cases(self) -> Iterator[Row]:
        """The packets of all expectations."""
        for expectation in self.rows:
            yield from expectation["cases"]

    def failing(self) -> List[Row]:
        """Expectations that do not hold."""
        return [e for e in self.rows if e["holds"] is False]

    def undecided(self) -> List[Row]:
        return [e for e in self.rows if e["holds"] is None]

    def _glance(self) -> str:
        summary = self["summary"]
        return f"{_counted(summary['expectations'], 'expectation')}: {summary['hold']} hold, {summary['fail']} fail, {summary['inconclusive']} undecided"

    def to_dicts(self) -> List[Row]:
        """One row a packet."""
        return [{"name": e["name"], **case} for e in self.rows for case in e["cases"]]


class Baseline(Table):
    """Failures that are known (docs/schema/baseline.schema.json)."""

    _rows_key = "failures"
    _always = ["fingerprint", "name", "from", "to", "reason", "why"]


class Inspection(Result):
    """What a snapshot holds (docs/schema/inspect.schema.json)."""


class Lookup(Table):
    """Everything known of one thing (docs/schema/lookup.schema.json)."""

    _rows_key = "matches"
    _always = ["kind", "name", "node", "facts", "evidence", "used_by"]
