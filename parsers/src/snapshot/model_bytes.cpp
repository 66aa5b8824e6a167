#include "snapshot/model_bytes.h"

#include <algorithm>
#include <functional>
#include <iterator>

namespace egt::parsers {

using namespace model_bytes;

ModelWriter::ModelWriter(const SourceTable& sources, SourceId known, std::vector<std::string_view> dumps)
    : sources_(sources), known_(known) {
  for (std::size_t i = 0; i < dumps.size(); ++i)
    if (!dumps[i].empty()) dumps_.push_back({dumps[i], i});
  std::sort(dumps_.begin(), dumps_.end(),
            [](const Dump& a, const Dump& b) { return std::less<const char*>()(a.text.data(), b.text.data()); });
}

void ModelWriter::number(std::uint64_t n) {
  for (; n >= 0x80; n >>= 7) out_.push_back(static_cast<char>(n | 0x80));
  out_.push_back(static_cast<char>(n));
}

void ModelWriter::text(std::string_view s) {
  if (s.empty()) return number(kEmptyText);
  const auto [known, fresh] = texts_.try_emplace(std::string(s), texts_so_far_);
  texts_so_far_ += fresh;
  if (!fresh) return number(kKnownText + known->second);
  number(kNewText);
  number(s.size());
  out_ += s;
}

void ModelWriter::view(std::string_view s) {
  const std::less<const char*> before;
  const auto behind = std::upper_bound(dumps_.begin(), dumps_.end(), s.data(),
                                       [&](const char* at, const Dump& d) { return before(at, d.text.data()); });
  constexpr std::size_t kShort = 24;  // what many lines have in common is not many places
  if (s.size() <= kShort || behind == dumps_.begin()) return text(s);
  const Dump& dump = *std::prev(behind);
  if (before(dump.text.data() + dump.text.size(), s.data() + s.size())) return text(s);
  const auto [known, fresh] = views_.try_emplace({s.data(), s.size()}, texts_so_far_);
  if (!fresh) return number(kKnownText + known->second);
  ++texts_so_far_;
  number(kInDump);
  number(dump.number);
  number(static_cast<std::uint64_t>(s.data() - dump.text.data()));
  number(s.size());
}

void ModelWriter::provenance(const Provenance& p) {
  if (p.source <= known_) {
    number(std::uint64_t{p.source} * 2);
  } else {
    const auto [known, fresh] = numbers_.try_emplace(p.source, named_.size());
    if (fresh) named_.push_back(p.source);
    number(known->second * 2 + 1);
  }
  number(p.line);
}

void ModelWriter::uuid(const ovn::Uuid& id) {
  const auto [known, fresh] = uuids_.try_emplace(id, uuids_.size());
  if (!fresh) return number(kKnownUuid + known->second);
  number(kNewUuid);
  raw(&id.high, sizeof id.high);
  raw(&id.low, sizeof id.low);
}

std::string ModelWriter::take() {
  ModelWriter sources(sources_, known_, {});
  sources.dumps_ = dumps_;
  sources.number(named_.size());
  for (const SourceId id : named_) {
    const Source& source = sources_.at(id);
    sources.text(source.path);
    sources.view(source.text);
    sources.number(source.first_line);
    sources.text(source.table);
  }
  return sources.out_ + out_;
}

ModelReader::ModelReader(std::string_view bytes, SourceTable& sources, SourceId known, std::vector<std::string_view> dumps,
                         std::shared_ptr<const void> keep)
    : bytes_(bytes), known_(known), dumps_(std::move(dumps)), keep_(std::move(keep)) {
  const std::uint64_t n = count();
  added_.reserve(n);
  for (std::uint64_t i = 0; i < n; ++i) {
    const std::string_view path = text(), shown = text();
    const auto first_line = static_cast<std::uint32_t>(number());
    added_.push_back(sources.add(std::string(path), shown, keep_, first_line, text()));
  }
  texts_.clear();  // those of facts are numbered by themselves
}

void ModelReader::wrong() { throw std::runtime_error("the compiled snapshot is damaged; compile it again"); }

std::uint8_t ModelReader::byte() {
  if (at_ == bytes_.size()) wrong();
  return static_cast<std::uint8_t>(bytes_[at_++]);
}

std::uint64_t ModelReader::number() {
  std::uint64_t n = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const std::uint8_t next = byte();
    n |= std::uint64_t{next & 0x7fU} << shift;
    if ((next & 0x80) == 0) return n;
  }
  wrong();
}

std::uint64_t ModelReader::count() {
  const std::uint64_t n = number();
  if (n > bytes_.size() - at_) wrong();
  return n;
}

std::string_view ModelReader::taken(std::uint64_t size) {
  if (size > bytes_.size() - at_) wrong();
  at_ += size;
  return bytes_.substr(at_ - size, size);
}

std::string_view ModelReader::text() {
  const std::uint64_t code = number();
  if (code == kEmptyText) return {};
  if (code == kNewText) return texts_.emplace_back(taken(number()));
  if (code >= kKnownText) {
    if (code - kKnownText >= texts_.size()) wrong();
    return texts_[code - kKnownText];
  }
  const std::uint64_t dump = number(), at = number(), size = number();
  if (dump >= dumps_.size() || at > dumps_[dump].size() || size > dumps_[dump].size() - at) wrong();
  return texts_.emplace_back(dumps_[dump].substr(at, size));
}

ovn::Uuid ModelReader::uuid() {
  const std::uint64_t code = number();
  if (code >= kKnownUuid) {
    if (code - kKnownUuid >= uuids_.size()) wrong();
    return uuids_[code - kKnownUuid];
  }
  ovn::Uuid id;
  std::memcpy(&id.high, taken(sizeof id.high).data(), sizeof id.high);
  std::memcpy(&id.low, taken(sizeof id.low).data(), sizeof id.low);
  return uuids_.emplace_back(id);
}

Provenance ModelReader::provenance() {
  const std::uint64_t code = number();
  const auto line = static_cast<std::uint32_t>(number());
  if (code % 2 == 0) {
    if (code / 2 > known_) wrong();
    return {static_cast<SourceId>(code / 2), line};
  }
  if (code / 2 >= added_.size()) wrong();
  return {added_[code / 2], line};
}

}  // namespace egt::parsers
