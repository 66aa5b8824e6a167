"""Rows of the northbound database."""
from .base import *


def rows(n, table, cols):
    j = json.loads(n.nb("-f", "json", "--columns=_uuid," + cols, "list", table))
    return [dict(zip(j["headings"], r)) for r in j["data"]]


def u(r):
    return r["_uuid"][1]


def lst(v):
    return v[1] if isinstance(v, list) and v and v[0] == "set" else [v]


def mp(v):
    return dict(v[1]) if isinstance(v, list) and v and v[0] == "map" else {}


def owner(n, table, column, row):
    """The row of TABLE that has ROW in COLUMN."""
    for x in rows(n, table, "name," + column):
        if ["uuid", row] in lst(x[column]) or x[column] == ["uuid", row]:
            return u(x)
    raise Skip
