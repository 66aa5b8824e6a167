// Database files for tests, made in memory: records with their headers (ovsdb(5), "Database Formats").
#pragma once

#include <string>
#include <vector>

#include "ovsdb/sha1.h"

namespace egt::testing {

inline std::string ovsdb_log(const std::vector<std::string>& records, const std::string& magic = "JSON") {
  std::string text;
  for (const std::string& json : records) {
    const std::string body = json + "\n";
    const std::string sha1 = parsers::ovsdb::sha1(body);
    text += "OVSDB " + magic + " " + std::to_string(body.size()) + " " + sha1 + "\n" + body;
  }
  return text;
}

// A northbound database with switches and address sets: its schema, then `transactions`.
inline std::string northbound_log(const std::vector<std::string>& transactions) {
  std::vector<std::string> records = {
      R"({"name":"OVN_Northbound","version":"7.0.0","tables":{)"
      R"("Logical_Switch":{"columns":{"name":{"type":"string"},"ports":{"type":{"key":"uuid","min":0,"max":"unlimited"}},)"
      R"("other_config":{"type":{"key":"string","value":"string","min":0,"max":"unlimited"}}}},)"
      R"("Address_Set":{"columns":{"name":{"type":"string"},"addresses":{"type":{"key":"string","min":0,"max":"unlimited"}}}}}})"};
  records.insert(records.end(), transactions.begin(), transactions.end());
  return ovsdb_log(records);
}

}  // namespace egt::testing
