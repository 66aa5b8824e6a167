// A format of lines that each stand for themselves, below a title that shows what they are.
//
// `Lines` has: `Entry`, the tree of a line; `read(text, entry)`; `is_title(text)`: lines that carry no fact; `print(entry, out)`;
// `json(entry)`; `put(entry, from, datapath)`; `kTopic`; `kCommands`, the ways in which the command is written; `kTitled`: a
// dump begins with its title; `looked_at(datapath)`: notes that a whole dump is there.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "egtrace/parsers/format.h"
#include "ovs_ofctl/line_format.h"
#include "support/lines.h"

namespace egt::parsers::appctl {

using Json = nlohmann::ordered_json;

template <class Lines>
class LineDump {
 public:
  static Recognition recognise(const Dump& dump) {
    Recognition how;
    how.topic = Lines::kTopic;
    how.quality = dump.partial ? -50 : 10 + Lines::quality(dump.text);
    unsigned titles = 0, entries = 0, others = 0;
    read_lines(dump, kLinesLookedAt, [&](const Line&, Kind kind, const Entry&) {
      titles += kind == Kind::title;
      entries += kind == Kind::entry;
      others += kind == Kind::other;
    });
    const bool by_content = Lines::kTitled ? titles > 0 && entries >= others : entries > others;
    how.confidence = by_content ? 95 : is_by_name(dump) && titles + entries > others ? 60 : 0;
    return how;
  }

  static void reprint(const Dump& dump, std::string& out, Report& report) {
    ofctl::reprint_lines(dump, out, report, [](std::string_view text, std::string& printed) {
      Entry entry;
      switch (kind_of(text, entry)) {
        case Kind::title: printed = text; return ofctl::LineResult::ignored;
        case Kind::entry: Lines::print(entry, printed); return ofctl::LineResult::understood;
        case Kind::other: break;
      }
      return ofctl::LineResult::no;
    });
  }

  static void to_json(const Dump& dump, std::string& out, Report& report) {
    Json list = Json::array();
    read_all(dump, report, [&](const Line& line, const Entry& entry) {
      Json j{{"line", line.number}};
      j.update(Lines::json(entry));
      list.push_back(std::move(j));
    });
    out += Json{{"entries", std::move(list)}}.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  }

  static void load(const Dump& dump, cluster::Cluster&, cluster::Node& node, Report& report) {
    read_all(dump, report, [&](const Line& line, const Entry& entry) {
      Lines::put(entry, {dump.source, line.number}, node.datapath);
    });
    if (!dump.partial) Lines::looked_at(node.datapath);
  }

 private:
  using Entry = typename Lines::Entry;
  enum class Kind : std::uint8_t { title, entry, other };
  static constexpr unsigned kLinesLookedAt = 40;

  static Kind kind_of(std::string_view text, Entry& entry) {
    if (Lines::is_title(text)) return Kind::title;
    return Lines::read(text, entry) ? Kind::entry : Kind::other;
  }

  static bool is_by_name(const Dump& dump) {
    return std::any_of(std::begin(Lines::kCommands), std::end(Lines::kCommands),
                       [&](std::string_view command) { return command_has(dump, command); });
  }

  // Lines that are not empty, nor what the shell adds.
  template <class Take>
  static void read_lines(const Dump& dump, unsigned most, Take take) {
    LineReader lines(dump);
    std::string buffer;
    Line line;
    for (unsigned n = 0; n < most && lines.next(line); ++n) {
      const std::string_view text = without_colour(line.text, buffer);
      if (ofctl::is_filler(text)) continue;
      Entry entry;
      const Kind kind = kind_of(text, entry);
      take(line, kind, entry);
    }
  }

  template <class Take>
  static void read_all(const Dump& dump, Report& report, Take take) {
    LineReport counts(dump, report);
    LineReader lines(dump);
    std::string buffer;
    for (Line line; lines.next(line);) {
      // Entries point into the dump, which a line with colours does not.
      const std::string_view text = without_colour(line.text, buffer);
      Entry entry;
      const Kind kind = ofctl::is_filler(text) ? Kind::title : kind_of(text, entry);
      if (kind == Kind::title)
        counts.ignored();
      else if (kind == Kind::other || text.data() != line.text.data())
        counts.not_understood(line, 1, "line not understood");
      else
        counts.understood(), take(line, entry);
    }
  }
};

template <class Lines>
Format line_format(std::string_view kind, std::string_view command) {
  using L = LineDump<Lines>;
  return {kind, command, L::recognise, L::reprint, L::to_json, L::load};
}

}  // namespace egt::parsers::appctl
