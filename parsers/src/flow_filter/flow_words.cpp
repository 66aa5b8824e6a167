#include <algorithm>

#include "egtrace/base/text.h"
#include "egtrace/parsers/flows.h"

namespace egt::parsers {
namespace {

using openflow::FlowWord;
using openflow::FlowWords;
using Section = FlowWord::Section;

constexpr std::string_view kActions = "actions=", kDatapathActions = "actions:", kStatistics = ", packets:";
// What stands before the match; ovs-ofctl puts the priority there only where no match follows, and flags behind it.
constexpr std::string_view kInfo[] = {"cookie",   "duration", "table", "n_packets", "n_bytes",      "idle_age",     "hard_age",
                                      "priority", "used",     "ufid",  "recirc_id", "idle_timeout", "hard_timeout", "importance",
                                      "packets",  "bytes",    "flags", "dp",        "offloaded",    "send_flow_rem"};

bool is_info(std::string_view key) { return std::find(std::begin(kInfo), std::end(kInfo), key) != std::end(kInfo); }

// Of the part before the actions.
bool is_statistic(std::string_view part) {
  const std::string_view key = part.substr(0, part.find_first_of("=,"));
  return key != "priority" && key != "recirc_id" && is_info(key);
}

bool opens(char c) { return c == '(' || c == '{' || c == '['; }
bool closes(char c) { return c == ')' || c == '}' || c == ']'; }

// The end of the word that begins at `at`: a comma outside of brackets and quotes.
std::size_t end_of_word(std::string_view text, std::size_t at) {
  int depth = 0;
  bool quoted = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (opens(c)) ++depth;
    if (closes(c) && depth > 0) --depth;
    if (c == ',' && depth == 0) return at;
  }
  return at;
}

// "key=value", "key:value", "key(value)", "key".
FlowWord word_of(std::string_view text, Section section) {
  FlowWord word{section, text, {}, false};
  const std::size_t cut = text.find_first_of("=:(");
  if (cut == text.npos) return word;
  word.key = text.substr(0, cut);
  word.value = text.substr(cut + 1);
  word.has_value = true;
  if (text[cut] == '(' && word.value.ends_with(')')) word.value.remove_suffix(1);
  // "ct_state(0x21/0x21)" and "recirc_id(0x5)" of the datapath; "load:0x1->reg0" keeps its arrow.
  return word;
}

}  // namespace

std::vector<FlowWord> read_word_list(std::string_view list, Section section) {
  std::vector<FlowWord> words;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = end_of_word(list, at);
    if (const std::string_view text = trim(list.substr(at, end - at)); !text.empty()) words.push_back(word_of(text, section));
    at = end + 1;
  }
  return words;
}

bool read_flow_words(std::string_view line, FlowWords& out) {
  out = {};
  line = trim(line);
  std::size_t actions = line.find(kActions);
  const bool datapath = actions == line.npos;
  if (datapath) actions = line.find(kDatapathActions);
  if (actions == line.npos) return false;
  std::string_view head = line.substr(0, actions);
  while (!head.empty() && (head.back() == ' ' || head.back() == ',')) head.remove_suffix(1);
  out.actions = line.substr(actions + kActions.size());
  // ovs-ofctl separates statistics by ", " and matches by ","; the match is the last part without a blank, where that is no statistic: a
  // flow of the default priority that matches every packet has none.
  const std::size_t blank = head.rfind(' ');
  out.match = datapath ? head.substr(0, head.find(kStatistics)) : blank == head.npos ? head : head.substr(blank + 1);
  if (!datapath && is_statistic(out.match)) out.match = {};
  for (FlowWord& w : read_word_list(head, Section::match)) {
    if (is_info(w.key)) w.section = Section::info;
    out.words.push_back(w);
  }
  for (FlowWord& w : read_word_list(out.actions, Section::actions)) out.words.push_back(w);
  return !out.words.empty();
}

}  // namespace egt::parsers
