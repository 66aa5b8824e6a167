// A column that transactions changed after its row was made, and what each change did to it.
#pragma once

#include <map>

#include "egtrace/cluster/history.h"
#include "ovsdb/column_type.h"

namespace egt::parsers::ovsdb {

// `elements` are those of a set or map by key, so that hundreds of additions to one address set stay cheap.
struct ChangedColumn {
  struct Less {
    bool operator()(const Atom& a, const Atom& b) const { return atom_less(a, b); }
  };
  Datum whole;  // where the column holds at most one element
  std::map<Atom, Atom, Less> elements;
};

Datum datum_of(const ChangedColumn& column, const ColumnType& type);
ChangedColumn changed_of(Datum datum, const ColumnType& type);

// Elements of the difference that are there already go away, unless they have another value; the others come in
// (ovsdb_datum_apply_diff_in_place() in lib/ovsdb-data.c).
void apply_difference(Datum difference, const ColumnType& type, ChangedColumn& column);

// What apply_difference() is going to do, resp. that `before` becomes `after`. Costs no more than what changes, but for
// columns that are shown whole because they are small.
cluster::ColumnChange describe_difference(const std::string& name, const ColumnType& type, const ChangedColumn& before,
                                          const Datum& difference);
cluster::ColumnChange describe_replacement(const std::string& name, const ColumnType& type, const ChangedColumn& before,
                                           const ChangedColumn& after);

}  // namespace egt::parsers::ovsdb
