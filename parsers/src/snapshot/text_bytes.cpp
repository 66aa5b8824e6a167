#include "snapshot/text_bytes.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <stdexcept>

namespace egt::parsers {

using namespace model_bytes;

namespace {

constexpr std::size_t kShortView = 24;  // of a view: what many lines have in common is not many places
constexpr std::size_t kFewWords = 12;

// As Uuid::to_string() prints it.
std::optional<ovn::Uuid> uuid_in(std::string_view s) {
  if (s.size() != kUuidText || s[8] != '-') return std::nullopt;
  const std::optional<ovn::Uuid> id = ovn::Uuid::parse(s);
  return id && id->to_string() == s ? id : std::nullopt;
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

TextWriter::TextWriter(std::vector<std::string_view> dumps, std::shared_ptr<const WordPlaces> words) : words_(std::move(words)) {
  cursors_.ends.resize(dumps.size());
  std::vector<Dump> sorted;
  for (std::size_t i = 0; i < dumps.size(); ++i)
    if (!dumps[i].empty()) sorted.push_back({dumps[i], i});
  std::sort(sorted.begin(), sorted.end(),
            [](const Dump& a, const Dump& b) { return std::less<const char*>()(a.text.data(), b.text.data()); });
  dumps_ = std::make_shared<const std::vector<Dump>>(std::move(sorted));
}

TextWriter TextWriter::part(bool with_words) const {
  TextWriter own;
  own.dumps_ = dumps_;
  if (with_words) own.words_ = words_;
  own.cursors_.ends.resize(cursors_.ends.size());
  return own;
}

void TextWriter::number(std::uint64_t n) {
  for (; n >= 0x80; n >>= 7) out_.push_back(static_cast<char>(n | 0x80));
  out_.push_back(static_cast<char>(n));
}

void TextWriter::place(const WordPlaces::Place& where, std::uint64_t near, std::uint64_t elsewhere) {
  const bool is_near = cursors_.last == where.dump;
  number(is_near ? near : elsewhere);
  if (!is_near) number(where.dump);
  std::uint64_t& end = cursors_.ends[where.dump];
  signed_number(static_cast<std::int64_t>(where.at - end));
  end = where.at + where.size;
  cursors_.last = where.dump;
}

bool TextWriter::put_known(std::string_view s) {
  if (s.empty()) return number(kEmptyText), true;
  const auto known = texts_.find(s);
  if (known != texts_.end()) number(kKnownText + known->second);
  return known != texts_.end();
}

void TextWriter::text(std::string_view s) {
  if (!put_known(s)) new_text(s);
}

void TextWriter::new_text(std::string_view s) {
  texts_.emplace(s, texts_so_far_++);
  if (const auto where = words_ ? words_->find(s) : std::nullopt) {
    place(*where, where->is_escaped ? kEscapedNear : kNear, where->is_escaped ? kEscapedInDump : kInDump);
    return number(where->size);
  }
  number(kNewText);
  number(s.size());
  out_ += s;
}

void TextWriter::string(const std::string& s) {
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

void TextWriter::view(std::string_view s) {
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

template <class Map>
void TextWriter::text_map(const Map& m) {
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

template void TextWriter::text_map(const TextMap& m);
template void TextWriter::text_map(const ovn::Columns& m);

void TextWriter::uuid(const ovn::Uuid& id) {
  const auto [known, fresh] = uuids_.try_emplace(id, uuids_.size());
  if (!fresh) return number(kKnownUuid + known->second);
  if (const auto where = words_ ? words_->find(id.to_string()) : std::nullopt) return place(*where, kUuidNear, kUuidInDump);
  number(kNewUuid);
  raw(&id.high, sizeof id.high);
  raw(&id.low, sizeof id.low);
}

TextReader::TextReader(std::string_view bytes, std::vector<std::string_view> dumps, std::shared_ptr<const void> keep,
                       std::vector<std::shared_ptr<const CompiledDump>> unchecked)
    : bytes_(bytes),
      dumps_(std::make_shared<const std::vector<std::string_view>>(std::move(dumps))),
      unchecked_(std::make_shared<const std::vector<std::shared_ptr<const CompiledDump>>>(std::move(unchecked))),
      keep_(std::make_shared<Texts>(Texts{std::move(keep), {}})) {
  cursors_.ends.resize(dumps_->size());
}

TextReader::TextReader(const TextReader& whole, std::string_view part)
    : bytes_(part), dumps_(whole.dumps_), unchecked_(whole.unchecked_), keep_(std::make_shared<Texts>(Texts{whole.keep_, {}})) {}

void TextReader::start() {
  at_ = 0;
  packer_ = {};
  restart();
}

void TextReader::restart() {
  forget();
  cursors_ = {std::vector<std::uint64_t>(dumps_->size()), UINT64_MAX};
}

void TextReader::forget() {
  cursors_ = {};
  texts_ = {};
  in_words_ = {};
  uuids_ = {};
  keys_ = {};
}

void TextReader::wrong() { throw std::runtime_error("the compiled snapshot is damaged; compile it again"); }

std::uint8_t TextReader::byte() {
  if (at_ == bytes_.size()) wrong();
  return static_cast<std::uint8_t>(bytes_[at_++]);
}

std::uint64_t TextReader::number() {
  std::uint64_t n = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const std::uint8_t next = byte();
    n |= std::uint64_t{next & 0x7fU} << shift;
    if ((next & 0x80) == 0) return n;
  }
  wrong();
}

std::uint64_t TextReader::count() {
  const std::uint64_t n = number();
  if (n > bytes_.size() - at_) wrong();
  return n;
}

std::string_view TextReader::taken(std::uint64_t size) {
  if (size > bytes_.size() - at_) wrong();
  at_ += size;
  return bytes_.substr(at_ - size, size);
}

std::string_view TextReader::in_dump(bool near, std::optional<std::uint64_t> size) {
  const std::uint64_t dump = near ? cursors_.last : number();
  if (dump >= dumps_->size()) wrong();
  const std::uint64_t at = cursors_.ends[dump] + static_cast<std::uint64_t>(signed_number());
  if (!size) size = number();
  const std::string_view all = (*dumps_)[dump];
  if (at > all.size() || *size > all.size() - at) wrong();
  cursors_.ends[dump] = at + *size;
  cursors_.last = dump;
  if (dump < unchecked_->size() && (*unchecked_)[dump] != nullptr) (*unchecked_)[dump]->check(all.data() + at, *size);
  return all.substr(at, *size);
}

std::string_view TextReader::text(std::uint64_t code) {
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

std::string_view TextReader::unescaped(std::string_view escaped) {
  constexpr std::size_t kTogether = std::size_t{1} << 15;
  std::vector<std::string>& made = keep_->made;
  if (made.empty() || made.back().capacity() - made.back().size() < escaped.size())
    made.emplace_back().reserve(std::max(kTogether, escaped.size()));
  const std::size_t begin = made.back().size();
  append_unescaped(made.back(), escaped);
  return std::string_view(made.back()).substr(begin);
}

void TextReader::append(std::string& s, std::uint64_t code) {
  if (code == kUuid)
    s += uuid().to_string();
  else
    s += text(code);
}

void TextReader::string(std::string& s) {
  s.clear();
  append_string(s);
}

void TextReader::append_string(std::string& s) {
  const std::uint64_t code = number();
  if (code == kKnownWords) {
    const std::uint64_t known = number();
    if (known >= in_words_.size()) wrong();
    s += in_words_[known];
  } else if (code == kWords) {
    const std::size_t begin = s.size();
    for (std::uint64_t n = count(); n > 0; --n) append(s, number());
    in_words_.emplace_back(s, begin);
  } else {
    append(s, code);
  }
}

const std::vector<std::string_view>& TextReader::keys() {
  const std::uint64_t code = number();
  if (code == kNewKeys) {
    std::vector<std::string_view>& keys = keys_.emplace_back();
    for (std::uint64_t n = count(); n > 0; --n) keys.push_back(text());
  }
  const std::uint64_t place = code == kNewKeys ? keys_.size() - 1 : code - kKnownKeys;
  if (place >= keys_.size()) wrong();
  return keys_[place];
}

void TextReader::text_map(TextMap& m) {
  for (const std::string_view key : keys()) string(m.emplace_hint(m.end(), key, std::string())->second);
}

void TextReader::columns(ovn::Columns& all) {
  for (const std::string_view key : keys()) {
    std::string* const value = packer_.begin(key);
    if (value == nullptr) wrong();
    append_string(*value);
  }
  all = packer_.take();
}

ovn::Uuid TextReader::uuid() {
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

}  // namespace egt::parsers
