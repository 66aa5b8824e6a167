#include "nft/reader.h"

#include "egtrace/base/text.h"
#include "nft/chain_reader.h"
#include "nft/set_reader.h"

namespace egt::parsers::nft {
namespace {

constexpr std::string_view kIptablesNote = "is managed by iptables-nft";

class ListingReader {
 public:
  ListingReader(std::string_view text, std::uint32_t first_line, std::size_t most_trees = SIZE_MAX)
      : lines_(text, first_line), chains_(lines_, most_trees) {}

  Reading run() {
    bool empty_line = false;
    bool warned = false;
    while (lines_.next()) {
      if (lines_.line().text.empty()) {
        lines_.ignore();
        if (empty_line) document_.items.emplace_back(lines_.opaque());
        empty_line = true;
        continue;
      }
      if (lines_.line().text.front() == '#') {
        lines_.ignore();
        if (!warned && lines_.line().text.find(kIptablesNote) != std::string_view::npos) {
          pending_warning_ = lines_.line();
          warned = true;
        } else {
          flush_warning(warned);
          document_.items.emplace_back(lines_.opaque());
        }
        continue;
      }
      const auto opening = opening_of(lines_.line().text);
      if (opening && opening->words.size() == 3 && opening->words[0] == "table") {
        read_table(*opening, empty_line, warned);
      } else if (opening && begins_item(*opening)) {
        flush_warning(warned);
        read_headless(empty_line);
      } else if (lines_.is_cut_mark()) {
        if (empty_line) document_.items.emplace_back(OpaqueLine{"", lines_.line().number});
        flush_warning(warned);
        lines_.ignore();
        document_.items.emplace_back(lines_.opaque());
      } else {
        if (empty_line) document_.items.emplace_back(OpaqueLine{"", lines_.line().number});
        flush_warning(warned);
        lines_.misread(1, "expected \"table FAMILY NAME {\"");
        document_.items.emplace_back(lines_.opaque());
      }
      empty_line = warned = false;
    }
    flush_warning(warned);
    Reading reading = lines_.take();
    reading.document = std::move(document_);
    return reading;
  }

 private:
  void flush_warning(bool& warned) {
    if (warned) document_.items.emplace_back(OpaqueLine{std::string(pending_warning_.raw), pending_warning_.number});
    warned = false;
  }

  void read_table(const Opening& o, bool empty_line, bool warned) {
    Table t;
    t.family = std::string(o.words[1]);
    t.name = std::string(o.words[2]);
    t.handle = o.handle;
    t.program = std::string(o.program);
    t.iptables_warning = warned;
    t.line = lines_.line().number;
    t.empty_line_before = empty_line;
    read_items(t);
    if (!t.closed) lines_.truncated("table " + t.family + " " + t.name, t.line);
    document_.items.emplace_back(std::move(t));
  }

  // Chains and sets that were cut out of a table: `nft list ruleset | grep -A 5 …`, `nft list chain` without its head.
  void read_headless(bool empty_line) {
    Table t;
    t.headless = true;
    t.family = "inet";
    t.line = lines_.line().number;
    t.empty_line_before = empty_line;
    lines_.back();
    read_items(t);
    document_.items.emplace_back(std::move(t));
  }

  void read_items(Table& t) {
    bool gap = false;
    while (lines_.next()) {
      if (lines_.line().text.empty()) {
        lines_.ignore();
        gap = true;
        continue;
      }
      if (lines_.line().text == "}" && !t.headless) {
        t.closed = true;
        break;
      }
      if (lines_.starts_table()) {  // the end of this one is missing
        lines_.back();
        break;
      }
      read_table_line(t, gap);
      gap = false;
    }
  }

  static void add(Table& t, TableItem item) { t.items.push_back(std::move(item)); }

  void read_table_line(Table& t, bool gap) {
    const auto o = opening_of(lines_.line().text);
    if (o && o->words.size() == 2 && o->words[0] == "chain") return add(t, chains_.read(*o, gap));
    if (o && o->words.size() == 2 && (o->words[0] == "set" || o->words[0] == "map")) return add(t, read_set(lines_, *o, gap));
    if (o && o->words.size() == 2 && (o->words[0] == "meter")) return add(t, read_set(lines_, *o, gap));
    if (o && o->words.size() == 2 && is_object_kind(o->words[0])) return add(t, read_object(lines_, *o, gap));
    if (o && o->words.size() == 3 && o->words[0] == "ct") return add(t, read_object(lines_, *o, gap));
    if (t.items.empty() && (lines_.begins_with("flags") || lines_.begins_with("comment"))) {
      t.properties.emplace_back(lines_.line().text);
      return;
    }
    if (lines_.line().text.front() == '#' || lines_.is_cut_mark()) {
      lines_.ignore();
    } else {
      lines_.misread(1, "expected a chain, a set, a map or an object");
      // A block of an unknown kind is kept as a whole, so that its brace does not end the table.
      if (o && o->words.size() >= 2) return add(t, read_object(lines_, *o, gap));
    }
    if (gap) t.items.emplace_back(OpaqueLine{"", lines_.line().number});
    t.items.emplace_back(lines_.opaque());
  }

  ListingLines lines_;
  ChainReader chains_;
  ListingLines::Line pending_warning_;
  Document document_;
};

}  // namespace

Reading read_listing(std::string_view text, std::uint32_t first_line) { return ListingReader(text, first_line).run(); }

Reading read_to_lower(std::string_view text, std::uint32_t first_line) {
  constexpr std::size_t kMostTrees = 4096;
  return ListingReader(text, first_line, kMostTrees).run();
}

}  // namespace egt::parsers::nft
