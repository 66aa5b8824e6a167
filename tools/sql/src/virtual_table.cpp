#include "virtual_table.h"

#include <fmt/format.h>

namespace egt::sql {
namespace {

struct Connected : sqlite3_vtab {
  Attached* attached = nullptr;
};
struct Cursor : sqlite3_vtab_cursor {
  const std::vector<std::uint32_t>* chosen = nullptr;  // null: all rows
  std::size_t at = 0, end = 0;
};

Attached& attached_to(sqlite3_vtab_cursor* cursor) { return *static_cast<Connected*>(cursor->pVtab)->attached; }

// No exception may pass through SQLite; the caller of the statement throws it on.
template <class Work>
int guard(Attached& attached, Work work) {
  try {
    return work();
  } catch (...) {
    attached.shared->failed = std::current_exception();
    return SQLITE_ERROR;
  }
}

int connect(sqlite3* database, void* data, int, const char* const*, sqlite3_vtab** out, char**) {
  auto& attached = *static_cast<Attached*>(data);
  return guard(attached, [&] {
    attached.shared->declaring = true;
    const int status = sqlite3_declare_vtab(database, create_statement(attached.table->info()).c_str());
    attached.shared->declaring = false;
    if (status != SQLITE_OK) return status;
    auto connected = std::make_unique<Connected>();
    connected->attached = &attached;
    *out = connected.release();
    sqlite3_vtab_config(database, SQLITE_VTAB_INNOCUOUS);
    return SQLITE_OK;
  });
}

int disconnect(sqlite3_vtab* table) {
  delete static_cast<Connected*>(table);
  return SQLITE_OK;
}

// A column that must equal a value is looked up in an index, which is made on first use; idxNum is its number, from 1.
int best_index(sqlite3_vtab*, sqlite3_index_info* info) {
  constexpr double kRows = 1e5, kFew = 100;
  info->estimatedCost = kRows;
  info->estimatedRows = static_cast<sqlite3_int64>(kRows);
  for (int i = 0; i < info->nConstraint; ++i) {
    const auto& constraint = info->aConstraint[i];
    if (constraint.usable == 0 || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ || constraint.iColumn < 0) continue;
    if (std::string_view(sqlite3_vtab_collation(info, i)) != "BINARY") continue;
    info->aConstraintUsage[i].argvIndex = 1;
    info->idxNum = constraint.iColumn + 1;
    info->estimatedCost = kFew;
    info->estimatedRows = static_cast<sqlite3_int64>(kFew);
    break;
  }
  return SQLITE_OK;
}

int open_cursor(sqlite3_vtab*, sqlite3_vtab_cursor** out) {
  *out = new (std::nothrow) Cursor();
  return *out == nullptr ? SQLITE_NOMEM : SQLITE_OK;
}

int close_cursor(sqlite3_vtab_cursor* cursor) {
  delete static_cast<Cursor*>(cursor);
  return SQLITE_OK;
}

Value value_of(sqlite3_value* value) {
  switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER: return Value(std::int64_t{sqlite3_value_int64(value)});
    case SQLITE_FLOAT: return Value(sqlite3_value_double(value));
    case SQLITE_TEXT: {
      const auto* bytes = reinterpret_cast<const char*>(sqlite3_value_text(value));
      return Value(std::string(bytes, static_cast<std::size_t>(sqlite3_value_bytes(value))));
    }
    default: return {};
  }
}

int filter(sqlite3_vtab_cursor* base, int column, const char*, int, sqlite3_value** arguments) {
  auto* cursor = static_cast<Cursor*>(base);
  Attached& attached = attached_to(base);
  return guard(attached, [&] {
    const Context& context = attached.shared->context;
    attached.shared->used.insert(attached.table);
    cursor->chosen =
        column > 0 ? &attached.table->rows_with(context, static_cast<std::size_t>(column - 1), value_of(arguments[0])) : nullptr;
    cursor->at = 0;
    cursor->end = cursor->chosen != nullptr ? cursor->chosen->size() : attached.table->size(context);
    return SQLITE_OK;
  });
}

int next(sqlite3_vtab_cursor* base) {
  ++static_cast<Cursor*>(base)->at;
  return SQLITE_OK;
}

int eof(sqlite3_vtab_cursor* base) {
  const auto* cursor = static_cast<Cursor*>(base);
  return cursor->at >= cursor->end ? 1 : 0;
}

std::size_t row_at(const Cursor& cursor) { return cursor.chosen != nullptr ? (*cursor.chosen)[cursor.at] : cursor.at; }

void give(sqlite3_context* out, const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return sqlite3_result_int64(out, *number);
  if (const auto* real = std::get_if<double>(&value)) return sqlite3_result_double(out, *real);
  if (const auto* text = std::get_if<std::string>(&value))
    return sqlite3_result_text64(out, text->data(), text->size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  sqlite3_result_null(out);
}

int column(sqlite3_vtab_cursor* base, sqlite3_context* out, int number) {
  Attached& attached = attached_to(base);
  return guard(attached, [&] {
    give(out,
         attached.table->value(attached.shared->context, row_at(*static_cast<Cursor*>(base)), static_cast<std::size_t>(number)));
    return SQLITE_OK;
  });
}

int row_id(sqlite3_vtab_cursor* base, sqlite3_int64* out) {
  *out = static_cast<sqlite3_int64>(row_at(*static_cast<Cursor*>(base)));
  return SQLITE_OK;
}

// Without xCreate the table is there by its name, and none can be made; without xUpdate it cannot be written.
sqlite3_module module_of_tables() {
  sqlite3_module module{};
  module.xConnect = connect;
  module.xBestIndex = best_index;
  module.xDisconnect = disconnect;
  module.xOpen = open_cursor;
  module.xClose = close_cursor;
  module.xFilter = filter;
  module.xNext = next;
  module.xEof = eof;
  module.xColumn = column;
  module.xRowid = row_id;
  return module;
}

}  // namespace

std::string create_statement(const TableInfo& table) {
  std::string columns;
  for (const ColumnInfo& c : table.columns) columns += fmt::format("{}\"{}\" {}", columns.empty() ? "" : ", ", c.name, c.type);
  return fmt::format("CREATE TABLE \"{}\"({})", table.name, columns);
}

void attach(sqlite3* database, Attached& attached) {
  static const sqlite3_module kModule = module_of_tables();
  sqlite3_create_module_v2(database, attached.table->info().name.c_str(), &kModule, &attached, nullptr);
}

}  // namespace egt::sql
