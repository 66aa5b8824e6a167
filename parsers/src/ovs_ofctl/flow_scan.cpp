#include "ovs_ofctl/flow_scan.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "egtrace/base/text.h"
#include "ovs_ofctl/actions.h"
#include "ovs_ofctl/flow_line.h"
#include "ovs_ofctl/quick_terms.h"
#include "support/quick_hash.h"

namespace egt::parsers::ofctl {
namespace {

using openflow::FlowRef;
using openflow::MaskWord;

// No word has the end of a line in it.
template <std::size_t n>
bool begins(const char* at, const char (&word)[n]) {
  return std::memcmp(at, word, n - 1) == 0;
}

bool is_conjunctive(const openflow::ActionList& list) {
  return std::any_of(list.begin(), list.end(),
                     [](const openflow::Action& a) { return std::holds_alternative<openflow::Conjunction>(a.kind); });
}

}  // namespace

// --- actions -----------------------------------------------------------------------------------------------------------

ActionVerdict ActionMemo::look_at(std::string_view actions) {
  const std::uint64_t hash = quick_hash(actions);
  if (check_ == ActionCheck::understood) {
    if (const auto known = lists_.find(hash)) return *known;
    const ActionVerdict v = understand(actions);
    if (v.good) lists_.put(hash, v.conjunctive);
    return v;
  }
  if (const ActionVerdict* known = texts_.find(actions, hash)) return *known;
  const ActionVerdict v{prints_as_itself(actions), actions.find("conjunction(") != std::string_view::npos};
  texts_.put(actions, hash, v);
  return v;
}

ActionVerdict ActionMemo::understand(std::string_view actions) {
  const std::uint64_t form = form_of(actions);
  if (const auto known = forms_.find(form); known != forms_.end()) return known->second;
  std::vector<TextError> errors;
  const openflow::ActionList list = parse_actions(actions, errors);
  const ActionVerdict v{errors.empty(), is_conjunctive(list)};
  if (v.good) forms_.emplace(form, v);
  return v;
}

// A list prints as its actions do, with commas between them; so single actions are remembered, too.
bool ActionMemo::prints_as_itself(std::string_view actions) {
  const auto prints = [](std::string_view text) {
    std::vector<TextError> errors;
    const openflow::ActionList list = parse_actions(text, errors);
    if (!errors.empty()) return false;
    std::string printed;
    write_actions(list, printed);
    return printed == text;
  };
  std::size_t depth = 0, from = 0;
  for (std::size_t i = 0; i <= actions.size(); ++i) {
    const char c = i < actions.size() ? actions[i] : ',';
    if (c == '(') ++depth;
    if (c == ')') {
      if (depth == 0) return prints(actions);
      --depth;
    }
    if (c != ',' || (depth > 0 && i < actions.size())) continue;
    const std::string_view one = actions.substr(from, i - from);
    if (one.empty() || depth > 0) return prints(actions);
    const std::uint64_t hash = quick_hash(one);
    const bool* known = single_.find(one, hash);
    const bool good = known ? *known : prints(one) && one != "drop" && parse_actions(one).size() == 1;
    if (!known) single_.put(one, hash, good);
    if (!good) return prints(actions);
    from = i + 1;
  }
  return true;
}

// --- shapes ------------------------------------------------------------------------------------------------------------

std::uint32_t ShapeSet::intern(const MaskWord* words, std::size_t n) {
  const auto same = [&](std::uint32_t id) {
    return id < shapes_.size() && std::equal(shapes_[id].begin(), shapes_[id].end(), words, words + n);
  };
  openflow::MatchHash h;
  for (std::size_t i = 0; i < n; ++i) {
    h.add(words[i].word);
    h.add(words[i].mask);
  }
  std::uint32_t& recent = recent_[h.state % recent_.size()];
  if (same(recent)) return recent;
  std::vector<std::uint32_t>& ids = by_hash_[h.state];
  for (const std::uint32_t id : ids)
    if (same(id)) return recent = id;
  recent = static_cast<std::uint32_t>(shapes_.size());
  ids.push_back(recent);
  shapes_.emplace_back(words, words + n);
  return recent;
}

// --- lines -------------------------------------------------------------------------------------------------------------

bool FlowScanner::require(std::uint8_t word, std::uint64_t value, std::uint64_t mask) {
  if (mask_[word] & mask) return false;
  if (mask == 0) return true;
  used_[word >> 6] |= std::uint64_t{1} << (word & 63);
  mask_[word] |= mask;
  value_[word] |= value & mask;
  return true;
}

const char* FlowScanner::remembered_term(const char* at, const char* end) {
  const char* behind = at;
  while (behind != end && *behind != ',' && *behind != ' ') {
    if (*behind == '"' || *behind == '(' || *behind == '\t') return nullptr;
    ++behind;
  }
  if (behind == end) return nullptr;
  const std::string_view text(at, static_cast<std::size_t>(behind - at));
  const std::uint64_t hash = quick_hash(text);
  Term fresh;
  const Term* known = terms_.find(text, hash);
  if (!known) {
    QuickTerm read;
    if (read_term(text, read) && read.words.size() <= fresh.words.size()) {
      fresh.good = true;
      fresh.n = static_cast<std::uint8_t>(read.words.size());
      std::copy(read.words.begin(), read.words.end(), fresh.words.begin());
    }
    terms_.put(text, hash, fresh);
    known = &fresh;
  }
  if (!known->good) return nullptr;
  for (std::size_t i = 0; i < known->n; ++i)
    if (!require(known->words[i].word, known->words[i].value, known->words[i].mask)) return nullptr;
  return behind;
}

const char* FlowScanner::term(const char* at, const char* end) {
  const std::size_t length = name_length(at);
  if (length > kLongestQuickName) return remembered_term(at, end);
  const QuickField* f = quick_field(at, length);
  if (!f) return remembered_term(at, end);
  const char* behind = at + length;
  if (f->form == QuickField::Form::protocol) {
    if (*behind == '=') return nullptr;
    for (std::size_t i = 0; i < f->words; ++i)
      if (!require(f->word[i], f->value[i], f->mask[i])) return nullptr;
    return behind;
  }
  if (*behind != '=') return nullptr;
  QuickValue v;
  if (!quick_value(*f, behind + 1, end, v)) return remembered_term(at, end);
  return require(f->word[0], v.value << f->shift, v.mask << f->shift) ? v.behind : nullptr;
}

template <class Do>
void FlowScanner::each_used_word(Do what) {
  for (std::size_t half = 0; half < used_.size(); ++half)
    for (std::uint64_t left = used_[half]; left != 0; left &= left - 1)
      what(static_cast<std::uint8_t>(half * 64 + static_cast<std::size_t>(std::countr_zero(left))));
}

void FlowScanner::finish_match(FlowRef& out) {
  std::array<MaskWord, kFlowKeyWords> shape;
  std::size_t n = 0;
  openflow::MatchHash hash;
  out.pipeline_hash = 0;
  each_used_word([&](std::uint8_t word) {
    shape[n++] = {word, mask_[word]};
    hash.add(value_[word]);
    if (word < openflow::kHeaderWords) out.pipeline_hash = hash.get();
  });
  out.hash = hash.get();
  out.shape = shapes_.intern(shape.data(), n) & (openflow::kMaxShapes - 1);
}

void FlowScanner::collect_prefixes(const FlowRef& flow) {
  while (prefix_places_.size() < shapes_.all().size()) {
    std::vector<openflow::MatchWord> match;
    for (const MaskWord& w : shapes_.all()[prefix_places_.size()]) match.push_back({w.word, 0, w.mask});
    std::vector<PrefixPlace>& places = prefix_places_.emplace_back();
    for (const openflow::PrefixMask& mask : openflow::prefix_masks(match)) {
      const Field& f = field(openflow::field_of(mask.field));
      places.push_back({mask, f.word, f.shift});
    }
  }
  for (const PrefixPlace& place : prefix_places_[flow.shape]) {
    const bool wide = openflow::bits_of(place.mask.field) > 64;
    const U128 address = wide ? make_u128(value_[place.word], value_[place.word + std::size_t{1}])
                              : U128{value_[place.word] >> place.shift & 0xffffffff};
    prefixes_.add(static_cast<std::uint8_t>(flow.table), place.mask, address);
  }
}

void FlowScanner::forget_match() {
  each_used_word([this](std::uint8_t word) { value_[word] = mask_[word] = 0; });
  used_ = {};
}

// Statistics as only a switch prints them: flows without are typed, and checked as ovs-ofctl does (is_typed()).
static bool has_statistics(std::string_view statistics) {
  return statistics.find("duration=") != std::string_view::npos || statistics.find("n_packets=") != std::string_view::npos;
}

// All before the actions.
const char* FlowScanner::head(const char* at, const char* end, FlowRef& out) {
  const bool indented = at != end && *at == ' ';
  while (at != end && *at == ' ') ++at;
  std::uint64_t table = 0;
  const char* const terms = at;
  at = quick_statistics(at, table);
  if (at && !indented && !has_statistics({terms, at})) return nullptr;
  if (table > 0xff) return nullptr;
  out.table = table & 0xff;
  bool something = false;
  if (at && begins(at, "priority=")) {
    const QuickNumber n = quick_decimal(at + 9, end);
    at = n.behind && n.value <= 0xffff && (*n.behind == ',' || *n.behind == ' ') ? n.behind : nullptr;
    out.priority = n.value & 0xffff;
    something = true;
    if (at && *at == ',' && ++at == end) at = nullptr;
  }
  while (at && at != end && *at != ' ') {
    if (begins(at, "actions=")) break;
    at = term(at, end);
    something = true;
    if (at && at != end && *at == ',' && ++at == end) at = nullptr;
  }
  if (at && something && at != end && *at == ' ' && at[-1] != ',') ++at;
  return at && begins(at, "actions=") ? at : nullptr;
}

bool FlowScanner::scan(const char* begin, const char* end, FlowRef& out) {
  out = {};
  if (static_cast<std::size_t>(end - begin) > kLongestFlow) return false;
  const char* at = head(begin, end, out);
  if (at) {
    const std::string_view actions(at + 8, static_cast<std::size_t>(end - at) - 8);
    const ActionVerdict v = actions.empty() || actions.back() <= ' ' ? ActionVerdict{} : actions_.look_at(actions);
    out.conjunctive = v.conjunctive;
    if (!v.good) at = nullptr;
  }
  if (at) {
    finish_match(out);
    if (collects_) collect_prefixes(out);
  }
  forget_match();
  return at != nullptr;
}

bool FlowScanner::match(const char* begin, const char* end, std::vector<openflow::MatchWord>& out) {
  FlowRef flow;
  const bool read = head(begin, end, flow) != nullptr;
  out.clear();
  if (read) each_used_word([&](std::uint8_t word) { out.push_back({word, value_[word], mask_[word]}); });
  forget_match();
  return read;
}

}  // namespace egt::parsers::ofctl
