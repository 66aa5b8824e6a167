#include "audit/row_bytes.h"

#include <array>
#include <cstdint>
#include <cstring>

namespace egt::assess {
namespace {

using Texts = std::array<std::string AuditRow::*, 12>;
constexpr Texts kTexts = {
    &AuditRow::pod,         &AuditRow::namespace_,    &AuditRow::node,       &AuditRow::ip,
    &AuditRow::to,          &AuditRow::to_kind,       &AuditRow::verdict,    &AuditRow::confidence,
    &AuditRow::egress_node, &AuditRow::egress_device, &AuditRow::decided_by, &AuditRow::expected};

void put(std::string& bytes, std::uint64_t number) {
  char raw[sizeof number];
  std::memcpy(raw, &number, sizeof number);
  bytes.append(raw, sizeof raw);
}

void put(std::string& bytes, std::string_view text) {
  put(bytes, std::uint64_t{text.size()});
  bytes += text;
}

std::uint64_t take_number(std::string_view& bytes) {
  std::uint64_t number = 0;
  std::memcpy(&number, bytes.data(), sizeof number);
  bytes.remove_prefix(sizeof number);
  return number;
}

std::string take_text(std::string_view& bytes) {
  const std::uint64_t size = take_number(bytes);
  std::string text(bytes.substr(0, size));
  bytes.remove_prefix(size);
  return text;
}

constexpr std::uint64_t kNoPort = UINT64_MAX;

}  // namespace

void append_row(std::string& bytes, const AuditRow& row) {
  for (const auto text : kTexts) put(bytes, row.*text);
  put(bytes, std::uint64_t{row.leak});
  put(bytes, std::uint64_t{row.source_seen.has_value()});
  if (row.source_seen) {
    put(bytes, row.source_seen->ip);
    put(bytes, row.source_seen->port ? *row.source_seen->port : kNoPort);
  }
  put(bytes, std::uint64_t{row.evidence.size()});
  for (const explain::EvidenceLine& line : row.evidence) {
    put(bytes, line.dump);
    put(bytes, std::uint64_t{line.line});
    put(bytes, line.text);
  }
}

std::vector<AuditRow> rows_of(std::string_view bytes) {
  std::vector<AuditRow> rows;
  while (!bytes.empty()) {
    AuditRow& row = rows.emplace_back();
    for (const auto text : kTexts) row.*text = take_text(bytes);
    row.leak = take_number(bytes) != 0;
    if (take_number(bytes) != 0) {
      row.source_seen.emplace().ip = take_text(bytes);
      if (const std::uint64_t port = take_number(bytes); port != kNoPort)
        row.source_seen->port = static_cast<std::uint16_t>(port);
    }
    for (std::uint64_t lines = take_number(bytes); lines > 0; --lines) {
      explain::EvidenceLine& line = row.evidence.emplace_back();
      line.dump = take_text(bytes);
      line.line = static_cast<std::uint32_t>(take_number(bytes));
      line.text = take_text(bytes);
    }
  }
  return rows;
}

}  // namespace egt::assess
