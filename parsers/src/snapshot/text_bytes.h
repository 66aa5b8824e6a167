// Numbers, texts and UUIDs in the bytes of a compiled snapshot (model_bytes.h): each text stands once.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "egtrace/ovn/ovn.h"
#include "egtrace/ovn/southbound.h"
#include "snapshot/compiled.h"
#include "snapshot/word_places.h"

namespace egt::parsers {

namespace model_bytes {

// How a text is written: one of these, or the number of a text that stood before. A UUID likewise, and the keys of a map of
// texts. A place in a dump is counted from the end of the one before it in this dump: of the same dump as the last one
// (kNear), or of another (kInDump); there it may stand with escapes. Only what is read as a text of its own may be a UUID or made of
// words.
enum TextCode : std::uint64_t {
  kNewText,
  kEmptyText,
  kInDump,
  kNear,
  kEscapedInDump,
  kEscapedNear,
  kUuid,
  kWords,
  kKnownWords,
  kKnownText
};
enum UuidCode : std::uint64_t { kNewUuid, kUuidInDump, kUuidNear, kKnownUuid };
enum KeysCode : std::uint64_t { kNewKeys, kKnownKeys };

using TextMap = std::map<std::string, std::string>;

constexpr std::size_t kUuidText = 36;

}  // namespace model_bytes

class TextWriter {
 public:
  // `dumps`: texts that views may lie in, `words` what is in them.
  TextWriter(std::vector<std::string_view> dumps, std::shared_ptr<const WordPlaces> words);
  // For what is to be read without what was written before it: nothing is known, but the dumps, and the words if `with_words`.
  TextWriter part(bool with_words) const;

  void number(std::uint64_t n);
  void signed_number(std::int64_t n) { number((static_cast<std::uint64_t>(n) << 1) ^ static_cast<std::uint64_t>(n >> 63)); }
  void raw(const void* from, std::size_t size) { out_.append(static_cast<const char*>(from), size); }
  void byte(std::uint8_t b) { out_.push_back(static_cast<char>(b)); }
  // A text that may be viewed where it stands, one of its own, and a view of a dump.
  void text(std::string_view s);
  void string(const std::string& s);
  void view(std::string_view s);
  void uuid(const ovn::Uuid& id);
  template <class Map>
  void text_map(const Map& m);

  std::string& bytes() { return out_; }

 private:
  struct Dump {
    std::string_view text;
    std::uint64_t number = 0;
  };
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  TextWriter() = default;
  bool put_known(std::string_view s);
  void new_text(std::string_view s);
  void place(const WordPlaces::Place& where, std::uint64_t near, std::uint64_t elsewhere);

  std::shared_ptr<const std::vector<Dump>> dumps_;  // by address
  std::shared_ptr<const WordPlaces> words_;
  DumpCursors cursors_;
  std::string out_;
  std::uint64_t texts_so_far_ = 0;
  std::unordered_map<std::string, std::uint64_t, Hash, std::equal_to<>> texts_;
  std::map<std::pair<const char*, std::size_t>, std::uint64_t> views_;  // into dumps: texts, too
  std::unordered_map<std::string, std::uint64_t> in_words_;
  std::map<ovn::Uuid, std::uint64_t> uuids_;
  std::unordered_map<std::string, std::uint64_t> keys_;  // of maps
};

// Throws std::runtime_error where the bytes say what no writer wrote.
class TextReader {
 public:
  // As of ModelReader.
  TextReader(std::string_view bytes, std::vector<std::string_view> dumps, std::shared_ptr<const void> keep,
             std::vector<std::shared_ptr<const CompiledDump>> unchecked);
  // It owns texts of its own, as another thread may read another part.
  TextReader(const TextReader& whole, std::string_view part);

  std::uint8_t byte();
  std::uint64_t number();
  std::int64_t signed_number() {
    const std::uint64_t n = number();
    return static_cast<std::int64_t>((n >> 1) ^ (~(n & 1) + 1));
  }
  // Of things that take a byte at least.
  std::uint64_t count();
  std::string_view taken(std::uint64_t size);
  std::string_view text() { return text(number()); }
  void string(std::string& s);
  ovn::Uuid uuid();
  void text_map(model_bytes::TextMap& m);
  void columns(ovn::Columns& all);

  // What owns texts: `keep`, and those that are not written anywhere as they are.
  std::shared_ptr<const void> keep() const { return keep_; }
  std::size_t size() const { return bytes_.size(); }
  bool at_end() const { return at_ == bytes_.size(); }
  void start();    // from the beginning, also where reading was broken off
  void restart();  // what follows was written without what stands before it
  void forget();   // all but what may be viewed
  [[noreturn]] static void wrong();

 private:
  struct Texts {
    std::shared_ptr<const void> keep;
    std::vector<std::string> made;  // several in each, which does not move any more
  };

  std::string_view text(std::uint64_t code);
  std::string_view in_dump(bool near, std::optional<std::uint64_t> size);
  std::string_view unescaped(std::string_view escaped);
  void append_string(std::string& s);
  void append(std::string& s, std::uint64_t code);
  const std::vector<std::string_view>& keys();

  std::string_view bytes_;
  std::size_t at_ = 0;
  std::shared_ptr<const std::vector<std::string_view>> dumps_;
  std::shared_ptr<const std::vector<std::shared_ptr<const CompiledDump>>> unchecked_;
  std::shared_ptr<Texts> keep_;
  DumpCursors cursors_;
  std::vector<std::string_view> texts_;
  std::vector<std::string> in_words_;
  std::vector<ovn::Uuid> uuids_;
  std::vector<std::vector<std::string_view>> keys_;
  ovn::Columns::Packer packer_;  // empty between rows
};

}  // namespace egt::parsers
