// Pre-shared keys of tunnels (IPsec) in the database file of Open vSwitch.
#include <fmt/format.h>

#include <atomic>

#include "egtrace/base/parallel.h"
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

// The search comes before all else that is done with a database, and reads all of it from the disk.
bool has_key(std::string_view text) {
  constexpr std::size_t kPiece = std::size_t{4} << 20;
  std::atomic<bool> found{false};
  for_each_index(text.size() / kPiece + 1, 0, 2, [&](std::size_t i) {
    const std::string_view piece = text.substr(i * kPiece, kPiece + kKey.size() - 1);  // a key may begin at its end
    if (!found && has(piece, kKey)) found = true;
  });
  return found;
}

}  // namespace

std::optional<std::string> masked_database(std::string_view text) {
  if (!has_key(text)) return std::nullopt;
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
