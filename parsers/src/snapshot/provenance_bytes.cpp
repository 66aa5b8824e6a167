#include "snapshot/provenance_bytes.h"

#include <algorithm>
#include <iterator>

namespace egt::parsers {
namespace {

std::uint64_t zigzag(std::int64_t n) { return (static_cast<std::uint64_t>(n) << 1) ^ static_cast<std::uint64_t>(n >> 63); }
std::int64_t unzigzag(std::uint64_t n) { return static_cast<std::int64_t>((n >> 1) ^ (~(n & 1) + 1)); }

}  // namespace

ProvenanceWriter ProvenanceWriter::part() const {
  ProvenanceWriter own(sources_, known_);
  own.named_ = named_;
  return own;
}

void ProvenanceWriter::put(const Provenance& p, TextWriter& out) {
  if (p.source == last_.source) {
    out.number(zigzag(std::int64_t{p.line} - std::int64_t{last_.line}) * 2);
  } else if (p.source <= known_) {
    out.number(std::uint64_t{p.source} * 4 + 1);
    out.number(p.line);
  } else {
    const std::uint64_t n = number_of(p.source);
    out.number(zigzag(static_cast<std::int64_t>(n - last_number_)) * 4 + 3);
    out.number(zigzag(std::int64_t{p.line} - std::int64_t{last_.line}));
    last_number_ = n;
  }
  last_ = p;
}

// Rows of a table follow each other.
std::uint64_t ProvenanceWriter::number_of(SourceId id) {
  if (id >= near_.first && id - near_.first < near_.count) return near_number_ + (id - near_.first);
  const SourceTable::RowSources rows = sources_.rows_with(id);
  const SourceId first = rows.rows != nullptr ? rows.first : id;
  const auto [known, fresh] = named_->numbers.try_emplace(first, named_->count);
  if (fresh) named_->all.push_back(first), named_->count += rows.rows != nullptr ? rows.count : 1;
  if (rows.rows != nullptr) near_ = rows, near_number_ = known->second;
  return known->second + (id - first);
}

ProvenanceReader ProvenanceReader::part() const {
  ProvenanceReader own(known_);
  own.added_ = added_;
  return own;
}

void ProvenanceReader::add(SourceId first, std::uint64_t count) {
  added_->all.push_back({added_->count, first});
  added_->count += count;
}

void ProvenanceReader::start() {
  last_ = {};
  last_number_ = 0;
}

Provenance ProvenanceReader::get(TextReader& in) {
  const std::uint64_t code = in.number();
  if (code % 2 == 0) {
    last_.line += static_cast<std::uint32_t>(unzigzag(code / 2));
    return last_;
  }
  if (code % 4 == 1) {
    if (code / 4 > known_) TextReader::wrong();
    last_ = {static_cast<SourceId>(code / 4), static_cast<std::uint32_t>(in.number())};
    return last_;
  }
  last_number_ += static_cast<std::uint64_t>(unzigzag(code / 4));
  last_.source = source_with(last_number_);
  last_.line += static_cast<std::uint32_t>(unzigzag(in.number()));
  return last_;
}

SourceId ProvenanceReader::source_with(std::uint64_t number) const {
  if (number >= added_->count) TextReader::wrong();
  const auto behind = std::upper_bound(added_->all.begin(), added_->all.end(), number,
                                       [](std::uint64_t wanted, const Added& a) { return wanted < a.number; });
  return std::prev(behind)->first + static_cast<SourceId>(number - std::prev(behind)->number);
}

}  // namespace egt::parsers
