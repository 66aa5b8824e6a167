#include "egtrace/sql/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cerrno>
#include <new>

#include "egtrace/base/nearest.h"
#include "egtrace/base/text.h"
#include "functions.h"
#include "virtual_table.h"

namespace egt::sql {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kLongestValue = 64 << 20;  // bytes, of one value and of a statement
constexpr int kInstructionsBetweenLooks = 10000;

struct CloseDatabase {
  void operator()(sqlite3* d) const { sqlite3_close_v2(d); }
};
struct EndStatement {
  void operator()(sqlite3_stmt* s) const { sqlite3_finalize(s); }
};
using Connection = std::unique_ptr<sqlite3, CloseDatabase>;
using Statement = std::unique_ptr<sqlite3_stmt, EndStatement>;

Connection open_database(const char* path, const char* file_system = nullptr) {
  sqlite3* opened = nullptr;
  const int status =
      sqlite3_open_v2(path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, file_system);
  Connection connection(opened);
  if (status != SQLITE_OK) throw std::bad_alloc();  // names are resolved later
  return connection;
}

// A statement may select, read columns, call functions and recurse. That leaves out ATTACH, PRAGMA, transactions and all that
// writes.
int allow_reading(void* shared, int action, const char*, const char* name, const char*, const char*) {
  if (static_cast<const Shared*>(shared)->declaring) return SQLITE_OK;
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE: return SQLITE_OK;
    case SQLITE_FUNCTION: return name != nullptr && lower(name) == "load_extension" ? SQLITE_DENY : SQLITE_OK;
    default: return SQLITE_DENY;
  }
}

int is_over(void* end) { return Clock::now() > *static_cast<const Clock::time_point*>(end) ? 1 : 0; }

Value value_at(sqlite3_stmt* statement, int i) {
  const auto length = [&] { return static_cast<std::size_t>(sqlite3_column_bytes(statement, i)); };
  switch (sqlite3_column_type(statement, i)) {
    case SQLITE_INTEGER: return Value(std::int64_t{sqlite3_column_int64(statement, i)});
    case SQLITE_FLOAT: return Value(sqlite3_column_double(statement, i));
    case SQLITE_TEXT: {
      const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement, i));
      return Value(std::string(bytes, length()));
    }
    case SQLITE_BLOB: {
      const auto* bytes = static_cast<const unsigned char*>(sqlite3_column_blob(statement, i));
      std::string digits;
      for (std::size_t at = 0; at < length(); ++at) digits += fmt::format("{:02x}", bytes[at]);
      return Value(std::move(digits));
    }
    default: return {};
  }
}

std::vector<std::string> column_names(sqlite3_stmt* statement) {
  std::vector<std::string> names;
  for (int i = 0; i < sqlite3_column_count(statement); ++i) {
    const char* name = sqlite3_column_name(statement, i);
    std::string unique = name != nullptr ? name : "";
    for (int n = 2; std::find(names.begin(), names.end(), unique) != names.end(); ++n) unique = fmt::format("{}:{}", name, n);
    names.push_back(std::move(unique));
  }
  return names;
}

// A database that is written cannot be.
struct CannotWrite {
  int status = 0, error = 0;
};

void demand(sqlite3* database, bool is_well) {
  if (!is_well) throw CannotWrite{sqlite3_errcode(database), sqlite3_system_errno(database)};
}

void run(sqlite3* database, const std::string& statement) {
  demand(database, sqlite3_exec(database, statement.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
}

void bind_value(sqlite3_stmt* statement, int i, const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value))
    sqlite3_bind_int64(statement, i, *number);
  else if (const auto* real = std::get_if<double>(&value))
    sqlite3_bind_double(statement, i, *real);
  else if (const auto* text = std::get_if<std::string>(&value))
    sqlite3_bind_text64(statement, i, text->data(), text->size(), SQLITE_STATIC, SQLITE_UTF8);
  else
    sqlite3_bind_null(statement, i);
}

void copy_table(sqlite3* file, Table& table, const Context& context) {
  run(file, create_statement(table.info()));
  const std::size_t columns = table.info().columns.size(), rows = table.size(context);
  std::string places = "?";
  for (std::size_t i = 1; i < columns; ++i) places += ",?";
  sqlite3_stmt* prepared = nullptr;
  const std::string insert = fmt::format("INSERT INTO \"{}\" VALUES({})", table.info().name, places);
  demand(file, sqlite3_prepare_v2(file, insert.c_str(), -1, &prepared, nullptr) == SQLITE_OK);
  const Statement statement(prepared);
  std::vector<Value> values(columns);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < columns; ++i) {
      values[i] = table.value(context, row, i);
      bind_value(prepared, static_cast<int>(i + 1), values[i]);
    }
    demand(file, sqlite3_step(prepared) == SQLITE_DONE);
    sqlite3_reset(prepared);
  }
}

}  // namespace

struct Database::Impl {
  explicit Impl(Sources sources) : context(std::move(sources)), shared{context, {}, false, {}} {
    connection = open_database(":memory:");
    for (const auto& table : tables) attached.push_back(std::make_unique<Attached>(Attached{&shared, table.get()}));
    for (const auto& one : attached) attach(connection.get(), *one);
    add_functions(connection.get());
    sqlite3_limit(connection.get(), SQLITE_LIMIT_LENGTH, kLongestValue);
    sqlite3_limit(connection.get(), SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_db_config(connection.get(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_set_authorizer(connection.get(), allow_reading, &shared);
  }

  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& table : tables) all.push_back(table->info().name);
    return all;
  }
  // The file is new and no other process has it open: it needs neither a journal nor locks.
  void copy_tables(sqlite3* file, const std::vector<std::string>& wanted) {
    for (const char* setting : {"journal_mode=OFF", "synchronous=OFF", "locking_mode=EXCLUSIVE"})
      run(file, fmt::format("PRAGMA {}", setting));
    run(file, "BEGIN");
    for (const auto& table : tables)
      if (wanted.empty() || std::find(wanted.begin(), wanted.end(), table->info().name) != wanted.end())
        copy_table(file, *table, context);
    run(file, "COMMIT");
  }
  // SQLite's words, with the tables that may have been meant.
  std::string why() const {
    std::string message = sqlite3_errmsg(connection.get());
    if (message == "not authorized") return "only SELECT is allowed: a snapshot is read, never written";
    constexpr std::string_view kNoTable = "no such table: ";
    if (!message.starts_with(kNoTable)) return message;
    const std::vector<std::string> near = nearest(message.substr(kNoTable.size()), names());
    return message + (near.empty() ? "; `egtrace sql --schema` lists them"
                                   : fmt::format("; did you mean `{}`?", fmt::join(near, "` or `")));
  }
  void rethrow() {
    if (shared.failed) std::rethrow_exception(std::exchange(shared.failed, nullptr));
  }
  std::vector<Gap> gaps_of_used() const {
    std::vector<Gap> gaps;
    for (const auto& table : tables)  // in their order
      if (shared.used.contains(table.get()))
        for (Gap& gap : table->gaps(context))
          if (std::find(gaps.begin(), gaps.end(), gap) == gaps.end()) gaps.push_back(std::move(gap));
    return gaps;
  }

  Context context;
  Shared shared;
  Tables tables = all_tables();
  std::vector<std::unique_ptr<Attached>> attached;
  Connection connection;
};

Database::Database(Sources sources) : impl_(std::make_unique<Impl>(std::move(sources))) {}
Database::~Database() = default;

Result<QueryResult> Database::query(const std::string& text, std::chrono::milliseconds limit) {
  sqlite3* database = impl_->connection.get();
  impl_->shared.used.clear();
  sqlite3_stmt* prepared = nullptr;
  const char* rest = nullptr;
  if (sqlite3_prepare_v2(database, text.c_str(), static_cast<int>(std::min<std::size_t>(text.size() + 1, kLongestValue)),
                         &prepared, &rest) != SQLITE_OK) {
    impl_->rethrow();
    return Error{impl_->why()};
  }
  const Statement statement(prepared);
  if (!statement) return Error{"the statement is empty"};
  if (std::string_view(rest).find_first_not_of("; \t\r\n") != std::string_view::npos) return Error{"one statement at a time"};
  QueryResult result;
  result.table.columns = column_names(prepared);
  Clock::time_point end = Clock::now() + limit;
  sqlite3_progress_handler(database, kInstructionsBetweenLooks, is_over, &end);
  int status = SQLITE_ROW;
  while ((status = sqlite3_step(prepared)) == SQLITE_ROW) {
    std::vector<Value> row;
    for (int i = 0; i < static_cast<int>(result.table.columns.size()); ++i) row.push_back(value_at(prepared, i));
    result.table.rows.push_back(std::move(row));
  }
  sqlite3_progress_handler(database, 0, nullptr, nullptr);
  impl_->rethrow();
  if (status == SQLITE_NOMEM) throw std::bad_alloc();
  if (status == SQLITE_INTERRUPT)
    return Error{fmt::format("the statement takes longer than {} s; ask for less, or allow more with --timeout",
                             std::chrono::duration_cast<std::chrono::seconds>(limit).count())};
  if (status != SQLITE_DONE) return Error{impl_->why()};
  result.gaps = impl_->gaps_of_used();
  return result;
}

std::optional<Error> Database::unknown_table(const std::vector<std::string>& wanted) const {
  const std::vector<std::string> known = impl_->names();
  for (const std::string& name : wanted)
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      const std::vector<std::string> near = nearest(name, known);
      return Error{fmt::format(
          "there is no table `{}`; {}", name,
          near.empty() ? "`egtrace sql --schema` lists them" : fmt::format("did you mean `{}`?", fmt::join(near, "` or `")))};
    }
  return std::nullopt;
}

std::error_code Database::write_file(const std::vector<std::string>& tables, const std::string& path) {
  try {
    const Connection file = open_database(path.c_str());
    impl_->copy_tables(file.get(), tables);
  } catch (const CannotWrite& failed) {
    if (failed.status == SQLITE_NOMEM) throw std::bad_alloc();
    const int error = failed.status == SQLITE_FULL ? ENOSPC : failed.error != 0 ? failed.error : EIO;
    return {error, std::generic_category()};
  }
  return {};
}

void Database::write_bytes(const std::vector<std::string>& tables, const std::function<void(std::string_view)>& take) {
  constexpr sqlite3_int64 kNoLimit = sqlite3_int64{1} << 40;
  const Connection file = open_database("export", "memdb");
  sqlite3_int64 limit = kNoLimit, size = 0;
  sqlite3_file_control(file.get(), "main", SQLITE_FCNTL_SIZE_LIMIT, &limit);
  try {
    impl_->copy_tables(file.get(), tables);
  } catch (const CannotWrite&) {
    throw std::bad_alloc();
  }
  const unsigned char* bytes = sqlite3_serialize(file.get(), "main", &size, SQLITE_SERIALIZE_NOCOPY);
  if (bytes == nullptr) throw std::bad_alloc();
  take({reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size)});
}

}  // namespace egt::sql
