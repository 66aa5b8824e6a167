"""What cannot be answered at all. What a snapshot does not decide is a result, not an error."""

from . import _egtrace


class Error(Exception):
    """Something is unusable: `status` is the exit status that the commands have for it."""

    status = 2


class UsageError(Error, ValueError):
    """The question or a file of it cannot be used: an unknown pod, a mistake in expectations, a baseline of another format."""


class SnapshotError(Error):
    """The snapshot cannot be used: there is none, it holds no dump, it has changed since it was opened."""


for error in (Error, UsageError, SnapshotError):
    error.__module__ = "egtrace"  # where users find them
_egtrace.set_errors(UsageError, SnapshotError)
