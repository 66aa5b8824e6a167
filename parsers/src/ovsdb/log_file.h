// The records of an OVSDB database file (ovsdb(5), "Database Formats"; ovsdb/log.c): "OVSDB MAGIC LENGTH SHA1", the end of
// the line, and LENGTH bytes of JSON that the hash vouches for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ovsdb/sha1.h"

namespace egt::parsers::ovsdb {

struct LogRecord {
  std::string_view header;   // without the end of the line
  std::string_view body;     // of a record that is cut: what there is of it
  std::uint64_t offset = 0;  // of the header
  std::uint32_t line = 1;    // of the header, counted in the file from 1; the body begins in the next one
};

struct LogFile {
  bool clustered = false;          // magic CLUSTER instead of JSON
  std::vector<LogRecord> records;  // that are whole and have the right hash
  std::string problem;             // why the file ends before its last byte; empty when it does not
  std::uint64_t problem_offset = 0;
  std::uint32_t problem_line = 0;
  // The record that was cut by the end of the file. ovsdb-server forgets it: a transaction is done whole or not at all.
  bool cut = false;
  LogRecord cut_record;
};

bool looks_like_log(std::string_view text);

// As ovsdb-server, reads up to the first record that is damaged and reports what is wrong with it.
LogFile read_log_file(std::string_view text);

}  // namespace egt::parsers::ovsdb
