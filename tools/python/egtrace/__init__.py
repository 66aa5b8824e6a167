"""What happens to a packet in an OVN-Kubernetes cluster, from dumps alone.

    import egtrace
    snapshot = egtrace.Snapshot("dumps")
    snapshot.explain("shop/cart-7d4b", "192.0.2.10:443").outcome
    snapshot.audit().to_frame()

Results are the documents that `egtrace ... --format json` prints (docs/schema), as dicts with some names more.
"""

from . import asserts
from ._egtrace import __version__
from ._errors import Error, SnapshotError, UsageError
from ._results import Audit, Baseline, Check, Explanation, Inspection, Lookup, Result, Triage
from ._snapshot import Snapshot

__all__ = [
    "Audit",
    "Baseline",
    "Check",
    "Error",
    "Explanation",
    "Inspection",
    "Lookup",
    "Result",
    "Snapshot",
    "SnapshotError",
    "Triage",
    "UsageError",
    "__version__",
    "asserts",
]
