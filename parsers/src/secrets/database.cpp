// Pre-shared keys of tunnels (IPsec) in the database file of Open vSwitch.
#include <fmt/format.h>

#include "ovsdb/log_file.h"
#include "secrets/passages.h"

namespace egt::parsers::secrets {
namespace {

constexpr std::string_view kKey = "psk\"";

std::string masked_text(std::string_view text) {
  Passages found;
  find_shared_keys(text, found);
  return masked(text, std::move(found));
}

}  // namespace

std::optional<std::string> masked_database(std::string_view text) {
  if (!has(text, kKey)) return std::nullopt;
  const ovsdb::LogFile file = ovsdb::read_log_file(text);
  const std::string_view magic = file.clustered ? "CLUSTER" : "JSON";
  std::string out;
  std::size_t done = 0;
  for (const ovsdb::LogRecord& record : file.records) {
    const std::string body = masked_text(record.body);
    out += fmt::format("OVSDB {} {} {}\n{}", magic, body.size(), ovsdb::sha1(body), body);
    done = static_cast<std::size_t>(record.body.data() - text.data()) + record.body.size();
  }
  return out + masked_text(text.substr(done));  // what is damaged stays so
}

}  // namespace egt::parsers::secrets
