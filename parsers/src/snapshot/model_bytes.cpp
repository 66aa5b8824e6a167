#include "snapshot/model_bytes.h"

#include <algorithm>
#include <functional>
#include <iterator>

namespace egt::parsers {

using namespace model_bytes;

namespace {

std::uint64_t zigzag(std::int64_t n) { return (static_cast<std::uint64_t>(n) << 1) ^ static_cast<std::uint64_t>(n >> 63); }
std::int64_t unzigzag(std::uint64_t n) { return static_cast<std::int64_t>((n >> 1) ^ (~(n & 1) + 1)); }

constexpr std::size_t kShortView = 24;  // of a view: what many lines have in common is not many places
constexpr std::size_t kFewWords = 12;
// What is true of a logical flow.
constexpr std::uint64_t kIngress = 1, kAsInUuid = 2, kHasOrigin = 4;

// As Uuid::to_string() prints it.
std::optional<ovn::Uuid> uuid_in(std::string_view s) {
  if (s.size() != kUuidText || s[8] != '-') return std::nullopt;
  const std::optional<ovn::Uuid> id = ovn::Uuid::parse(s);
  return id && id->to_string() == s ? id : std::nullopt;
}

std::optional<std::uint32_t> prefix_in(std::string_view uuid) {
  const std::uint32_t prefix = ovn::uuid_prefix(uuid);
  return prefix != 0 ? std::optional(prefix) : std::nullopt;
}

// Words and what stands between them, in turn.
std::string_view next_piece(std::string_view& rest) {
  std::size_t end = 1;
  while (end < rest.size() && is_in_word(rest[end]) == is_in_word(rest[0])) ++end;
  const std::string_view piece = rest.substr(0, end);
  rest.remove_prefix(end);
  return piece;
}

bool has_words(std::string_view s) {
  return s.size() >= kFewWords && !std::all_of(s.begin(), s.end(), [](char c) { return is_in_word(c); });
}

}  // namespace

ModelWriter::ModelWriter(const SourceTable& sources, SourceId known, std::vector<std::string_view> dumps,
                         std::shared_ptr<const WordPlaces> words)
    : sources_(sources), known_(known), words_(std::move(words)), named_(std::make_shared<NamedSources>()) {
  cursors_.ends.resize(dumps.size());
  std::vector<Dump> sorted;
  for (std::size_t i = 0; i < dumps.size(); ++i)
    if (!dumps[i].empty()) sorted.push_back({dumps[i], i});
  std::sort(sorted.begin(), sorted.end(),
            [](const Dump& a, const Dump& b) { return std::less<const char*>()(a.text.data(), b.text.data()); });
  dumps_ = std::make_shared<const std::vector<Dump>>(std::move(sorted));
}

ModelWriter::ModelWriter(const ModelWriter& whole, PartOf)
    : sources_(whole.sources_), known_(whole.known_), dumps_(whole.dumps_), words_(whole.words_), named_(whole.named_) {
  cursors_.ends.resize(whole.cursors_.ends.size());
}

void ModelWriter::number(std::uint64_t n) {
  for (; n >= 0x80; n >>= 7) out_.push_back(static_cast<char>(n | 0x80));
  out_.push_back(static_cast<char>(n));
}

void ModelWriter::place(const WordPlaces::Place& where, std::uint64_t near, std::uint64_t elsewhere) {
  const bool is_near = cursors_.last == where.dump;
  number(is_near ? near : elsewhere);
  if (!is_near) number(where.dump);
  std::uint64_t& end = cursors_.ends[where.dump];
  number(zigzag(static_cast<std::int64_t>(where.at - end)));
  end = where.at + where.size;
  cursors_.last = where.dump;
}

bool ModelWriter::put_known(std::string_view s) {
  if (s.empty()) return number(kEmptyText), true;
  const auto known = texts_.find(s);
  if (known != texts_.end()) number(kKnownText + known->second);
  return known != texts_.end();
}

void ModelWriter::text(std::string_view s) {
  if (!put_known(s)) new_text(s);
}

void ModelWriter::new_text(std::string_view s) {
  texts_.emplace(s, texts_so_far_++);
  if (const auto where = words_ ? words_->find(s) : std::nullopt) {
    place(*where, where->is_escaped ? kEscapedNear : kNear, where->is_escaped ? kEscapedInDump : kInDump);
    return number(where->size);
  }
  number(kNewText);
  number(s.size());
  out_ += s;
}

void ModelWriter::string(const std::string& s) {
  if (put_known(s)) return;
  if (const auto id = uuid_in(s)) return number(kUuid), uuid(*id);
  if (!has_words(s) || (words_ && words_->find(s))) return new_text(s);
  const auto [known, fresh] = in_words_.try_emplace(s, in_words_.size());
  if (!fresh) return number(kKnownWords), number(known->second);
  std::uint64_t pieces = 0;
  for (std::string_view rest = s; !rest.empty(); ++pieces) next_piece(rest);
  number(kWords);
  number(pieces);
  for (std::string_view rest = s; !rest.empty();) {
    const std::string_view piece = next_piece(rest);
    if (const auto id = uuid_in(piece))
      number(kUuid), uuid(*id);
    else
      text(piece);
  }
}

void ModelWriter::view(std::string_view s) {
  const std::less<const char*> before;
  const auto behind = std::upper_bound(dumps_->begin(), dumps_->end(), s.data(),
                                       [&](const char* at, const Dump& d) { return before(at, d.text.data()); });
  if (s.size() <= kShortView || behind == dumps_->begin()) return text(s);
  const Dump& dump = *std::prev(behind);
  if (before(dump.text.data() + dump.text.size(), s.data() + s.size())) return text(s);
  const auto [known, fresh] = views_.try_emplace({s.data(), s.size()}, texts_so_far_);
  if (!fresh) return number(kKnownText + known->second);
  ++texts_so_far_;
  const auto at = static_cast<std::uint64_t>(s.data() - dump.text.data());
  place({static_cast<std::uint32_t>(dump.number), at, s.size(), false}, kNear, kInDump);
  number(s.size());
}

// What all but a few share is not written: the prefix is that of the UUID.
void ModelWriter::logical_flow(const ovn::LogicalFlow& f) {
  static_assert(kMembers<ovn::LogicalFlow> == 11, "a member is missing here");
  const bool as_in_uuid = f.uuid_prefix == prefix_in(f.uuid);
  const std::uint64_t is = (f.ingress ? kIngress : 0U) | (as_in_uuid ? kAsInUuid : 0U) | (f.origin ? kHasOrigin : 0U);
  number(is), put(f.datapath), put(f.table), put(f.stage), put(f.priority), put(f.match), put(f.actions);
  put(f.uuid), put(f.from);
  if (!as_in_uuid) put(f.uuid_prefix);
  if (f.origin) put(*f.origin);
}

template <class Map>
void ModelWriter::text_map(const Map& m) {
  std::string all;
  std::uint64_t count = 0;
  for (const auto& [key, value] : m) {
    const auto size = static_cast<std::uint32_t>(key.size());
    all.append(reinterpret_cast<const char*>(&size), sizeof size).append(key);
    ++count;
  }
  const auto [known, fresh] = keys_.try_emplace(std::move(all), keys_.size());
  number(fresh ? kNewKeys : kKnownKeys + known->second);
  if (fresh) {
    number(count);
    for (const auto& [key, value] : m) text(key);
  }
  for (const auto& [key, value] : m) string(std::string(value));
}

template void ModelWriter::text_map(const TextMap& m);
template void ModelWriter::text_map(const ovn::Columns& m);

void ModelWriter::rows(const ovn::Rows& all) {
  static_assert(kMembers<ovn::Row> == 5, "a member is missing in put() and get()");
  number(all.tables().size());
  for (const ovn::Rows::Table& table : all.tables()) {
    put(table.database()), put(table.name());
    row_list(table.rows());
  }
}

void ModelWriter::provenance(const Provenance& p) {
  if (p.source == last_.source) {
    number(zigzag(std::int64_t{p.line} - std::int64_t{last_.line}) * 2);
  } else if (p.source <= known_) {
    number(std::uint64_t{p.source} * 4 + 1);
    number(p.line);
  } else {
    const std::uint64_t n = number_of(p.source);
    number(zigzag(static_cast<std::int64_t>(n - last_number_)) * 4 + 3);
    number(zigzag(std::int64_t{p.line} - std::int64_t{last_.line}));
    last_number_ = n;
  }
  last_ = p;
}

// Rows of a table follow each other.
std::uint64_t ModelWriter::number_of(SourceId id) {
  if (id >= near_.first && id - near_.first < near_.count) return near_number_ + (id - near_.first);
  const SourceTable::RowSources rows = sources_.rows_with(id);
  const SourceId first = rows.rows != nullptr ? rows.first : id;
  const auto [known, fresh] = named_->numbers.try_emplace(first, named_->count);
  if (fresh) named_->all.push_back(first), named_->count += rows.rows != nullptr ? rows.count : 1;
  if (rows.rows != nullptr) near_ = rows, near_number_ = known->second;
  return known->second + (id - first);
}

void ModelWriter::source(SourceId first) {
  const Source source = sources_.at(first);
  const SourceTable::RowSources rows = sources_.rows_with(first);
  text(source.path);
  text(source.table);
  if (rows.rows == nullptr) return view(source.text), number(source.first_line);
  number(rows.count);
  part(rows.rows->get());
}

void ModelWriter::uuid(const ovn::Uuid& id) {
  const auto [known, fresh] = uuids_.try_emplace(id, uuids_.size());
  if (!fresh) return number(kKnownUuid + known->second);
  if (const auto where = words_ ? words_->find(id.to_string()) : std::nullopt) return place(*where, kUuidNear, kUuidInDump);
  number(kNewUuid);
  raw(&id.high, sizeof id.high);
  raw(&id.low, sizeof id.low);
}

std::string ModelWriter::take() {
  ModelWriter sources(sources_, known_, {});
  sources.dumps_ = dumps_;
  sources.cursors_.ends.resize(cursors_.ends.size());
  sources.number(named_->all.size());
  for (const SourceId id : named_->all) sources.source(id);
  return sources.out_ + out_;
}

ModelReader::ModelReader(std::string_view bytes, SourceTable& sources, SourceId known, std::vector<std::string_view> dumps,
                         std::shared_ptr<const void> keep, std::vector<std::shared_ptr<const CompiledDump>> unchecked)
    : bytes_(bytes),
      known_(known),
      dumps_(std::make_shared<const std::vector<std::string_view>>(std::move(dumps))),
      unchecked_(std::make_shared<const std::vector<std::shared_ptr<const CompiledDump>>>(std::move(unchecked))),
      keep_(std::make_shared<Texts>(Texts{std::move(keep), {}})),
      added_(std::make_shared<AddedSources>()) {
  cursors_.ends.resize(dumps_->size());
  const std::uint64_t n = count();
  added_->all.reserve(n);
  Name path;  // of several tables the same
  for (std::uint64_t i = 0; i < n; ++i) source(sources, path);
  texts_.clear();  // those of facts are numbered by themselves
  cursors_ = {std::vector<std::uint64_t>(dumps_->size()), UINT64_MAX};
}

// It owns texts of its own, as another thread may read another part.
ModelReader::ModelReader(const ModelReader& whole, std::string_view part)
    : bytes_(part),
      known_(whole.known_),
      dumps_(whole.dumps_),
      unchecked_(whole.unchecked_),
      keep_(std::make_shared<Texts>(Texts{whole.keep_, {}})),
      added_(whole.added_) {}

void ModelReader::source(SourceTable& sources, Name& path) {
  if (const std::string_view next = text(); path != next) path = Name(next);
  const std::string_view table = text();
  added_->all.push_back({added_->count, kNoSource});
  SourceId& first = added_->all.back().first;
  if (table.empty()) {
    const std::string_view shown = text();
    first = sources.add(path, shown, keep_, static_cast<std::uint32_t>(number()));
    ++added_->count;
    return;
  }
  const std::uint64_t count = number();
  if (count > bytes_.size()) wrong();
  auto rows = part<std::vector<QuotedRow>>([count](const std::vector<QuotedRow>& read) {
    if (read.size() != count) wrong();
  });
  first = sources.add_rows(path, table, count, std::move(rows), keep_);
  added_->count += count;
}

void ModelReader::start() {
  at_ = 0;
  last_ = {};
  last_number_ = 0;
  forget();
  cursors_ = {std::vector<std::uint64_t>(dumps_->size()), UINT64_MAX};
}

void ModelReader::forget() {
  cursors_ = {};
  texts_ = {};
  in_words_ = {};
  uuids_ = {};
  keys_ = {};
  objects_ = {};
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

std::string_view ModelReader::in_dump(bool near, std::optional<std::uint64_t> size) {
  const std::uint64_t dump = near ? cursors_.last : number();
  if (dump >= dumps_->size()) wrong();
  const std::uint64_t at = cursors_.ends[dump] + static_cast<std::uint64_t>(unzigzag(number()));
  if (!size) size = number();
  const std::string_view all = (*dumps_)[dump];
  if (at > all.size() || *size > all.size() - at) wrong();
  cursors_.ends[dump] = at + *size;
  cursors_.last = dump;
  if (dump < unchecked_->size() && (*unchecked_)[dump] != nullptr) (*unchecked_)[dump]->check(all.data() + at, *size);
  return all.substr(at, *size);
}

std::string_view ModelReader::text(std::uint64_t code) {
  if (code >= kKnownText) {
    if (code - kKnownText >= texts_.size()) wrong();
    return texts_[code - kKnownText];
  }
  switch (code) {
    case kEmptyText: return {};
    case kNewText: return texts_.emplace_back(taken(number()));
    case kNear:
    case kInDump: return texts_.emplace_back(in_dump(code == kNear, std::nullopt));
    case kEscapedNear:
    case kEscapedInDump: return texts_.emplace_back(unescaped(in_dump(code == kEscapedNear, std::nullopt)));
    default: wrong();
  }
}

std::string_view ModelReader::unescaped(std::string_view escaped) {
  constexpr std::size_t kTogether = std::size_t{1} << 15;
  std::vector<std::string>& made = keep_->made;
  if (made.empty() || made.back().capacity() - made.back().size() < escaped.size())
    made.emplace_back().reserve(std::max(kTogether, escaped.size()));
  const std::size_t begin = made.back().size();
  append_unescaped(made.back(), escaped);
  return std::string_view(made.back()).substr(begin);
}

void ModelReader::append(std::string& s, std::uint64_t code) {
  if (code == kUuid)
    s += uuid().to_string();
  else
    s += text(code);
}

void ModelReader::string(std::string& s) {
  const std::uint64_t code = number();
  if (code == kKnownWords) {
    const std::uint64_t known = number();
    if (known >= in_words_.size()) wrong();
    s = in_words_[known];
  } else if (code == kWords) {
    s.clear();
    for (std::uint64_t n = count(); n > 0; --n) append(s, number());
    in_words_.push_back(s);
  } else {
    s.clear();
    append(s, code);
  }
}

void ModelReader::logical_flow(ovn::LogicalFlow& f) {
  const std::uint64_t is = number();
  f.ingress = (is & kIngress) != 0;
  get(f.datapath), get(f.table), get(f.stage), get(f.priority), get(f.match), get(f.actions);
  get(f.uuid), get(f.from);
  if ((is & kAsInUuid) != 0)
    f.uuid_prefix = prefix_in(f.uuid);
  else
    get(f.uuid_prefix);
  if ((is & kHasOrigin) != 0) get(f.origin.emplace());
}

const std::vector<std::string_view>& ModelReader::keys() {
  const std::uint64_t code = number();
  if (code == kNewKeys) {
    std::vector<std::string_view>& keys = keys_.emplace_back();
    for (std::uint64_t n = count(); n > 0; --n) keys.push_back(text());
  }
  const std::uint64_t place = code == kNewKeys ? keys_.size() - 1 : code - kKnownKeys;
  if (place >= keys_.size()) wrong();
  return keys_[place];
}

void ModelReader::text_map(TextMap& m) {
  for (const std::string_view key : keys()) string(m.emplace_hint(m.end(), key, std::string())->second);
}

void ModelReader::columns(ovn::Columns& all) {
  std::vector<std::pair<std::string_view, std::string>> read;
  for (const std::string_view key : keys()) string(read.emplace_back(key, std::string()).second);
  all = ovn::Columns(std::move(read));
}

void ModelReader::rows(ovn::Rows& all) {
  for (std::uint64_t n = count(); n > 0; --n) {
    const std::string_view database = text(), name = text();
    ovn::Rows::Table& table = all.table(database, name);
    row_list(table.rows(),
             [database = table.database(), name = table.name()](ovn::Row& row) { row.database = database, row.table = name; });
  }
}

ovn::Uuid ModelReader::uuid() {
  const std::uint64_t code = number();
  if (code >= kKnownUuid) {
    if (code - kKnownUuid >= uuids_.size()) wrong();
    return uuids_[code - kKnownUuid];
  }
  if (code != kNewUuid) {
    const auto id = ovn::Uuid::parse(in_dump(code == kUuidNear, kUuidText));
    if (!id) wrong();
    return uuids_.emplace_back(*id);
  }
  ovn::Uuid id;
  std::memcpy(&id.high, taken(sizeof id.high).data(), sizeof id.high);
  std::memcpy(&id.low, taken(sizeof id.low).data(), sizeof id.low);
  return uuids_.emplace_back(id);
}

Provenance ModelReader::provenance() {
  const std::uint64_t code = number();
  if (code % 2 == 0) {
    last_.line += static_cast<std::uint32_t>(unzigzag(code / 2));
    return last_;
  }
  if (code % 4 == 1) {
    if (code / 4 > known_) wrong();
    last_ = {static_cast<SourceId>(code / 4), static_cast<std::uint32_t>(number())};
    return last_;
  }
  last_number_ += static_cast<std::uint64_t>(unzigzag(code / 4));
  last_.source = source_with(last_number_);
  last_.line += static_cast<std::uint32_t>(unzigzag(number()));
  return last_;
}

SourceId ModelReader::source_with(std::uint64_t number) const {
  if (number >= added_->count) wrong();
  const auto behind = std::upper_bound(added_->all.begin(), added_->all.end(), number,
                                       [](std::uint64_t wanted, const Added& a) { return wanted < a.number; });
  return std::prev(behind)->first + static_cast<SourceId>(number - std::prev(behind)->number);
}

}  // namespace egt::parsers
