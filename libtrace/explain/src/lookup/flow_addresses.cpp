#include "lookup/flow_addresses.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "egtrace/base/find_words.h"
#include "egtrace/base/text.h"
#include "in_pieces.h"

namespace egt::explain {
namespace {

using openflow::FlowIndex;

// Where an address stands in a match, and where its port does; ARP and neighbour discovery know no ports.
struct AddressField {
  FieldId address;
  std::optional<FieldId> port;
};

std::vector<AddressField> address_fields(const IpAddr& a) {
  if (a.is_v4())
    return {
        {FieldId::ip_src, FieldId::tp_src}, {FieldId::ip_dst, FieldId::tp_dst}, {FieldId::arp_spa, {}}, {FieldId::arp_tpa, {}}};
  return {{FieldId::ipv6_src, FieldId::tp_src}, {FieldId::ipv6_dst, FieldId::tp_dst}, {FieldId::nd_target, {}}};
}

U128 all_ones(const IpAddr& a) { return a.is_v4() ? U128{0xffffffff} : ~U128{0}; }

bool asks_for(const openflow::MatchView& match, FieldId field, U128 mask, U128 value) {
  return openflow::mask_of(match, field) == mask && openflow::value_of(match, field) == value;
}

// As ct() and set_field have it, and as load: has it.
std::vector<std::string> forms_in_actions(const IpAddr& a) {
  if (a.is_v4()) return {a.to_string(), fmt::format("{:#x}", static_cast<std::uint32_t>(a.value))};
  return {a.to_string(),
          fmt::format("{:#x}{:016x}", static_cast<std::uint64_t>(a.value >> 64), static_cast<std::uint64_t>(a.value))};
}

// Whole, in "load:0xa000001->…", "set_field:10.0.0.1->…", "nat(dst=10.0.0.1:80)".
bool has_value(std::string_view actions, std::string_view value) {
  const auto goes_on = [](char c) { return is_hex_digit(c) || c == '.' || c == 'x'; };
  for (std::size_t at = find_word(actions, value); at != std::string_view::npos; at = find_word(actions, value, at + 1)) {
    const std::size_t end = at + value.size();
    if ((at == 0 || !goes_on(actions[at - 1])) && (end == actions.size() || !goes_on(actions[end]))) return true;
  }
  return false;
}

// What of a flow is asked for.
class AskedAddress {
 public:
  explicit AskedAddress(const LookupTerm& term)
      : fields_(address_fields(*term.address)),
        ones_(all_ones(*term.address)),
        value_(term.address->value),
        port_(term.port),
        is_v4_(term.address->is_v4()),
        in_actions_(forms_in_actions(*term.address)),
        words_(in_actions_.begin(), in_actions_.end()) {}

  // Of the flows from `begin` on and before `end` those that may match on it or name it. `otherwise`: shapes_without_word() of them.
  std::vector<FlowIndex> candidates(const openflow::FlowTables& flows, FlowIndex begin, FlowIndex end,
                                    const std::vector<bool>& otherwise) const {
    std::vector<FlowIndex> all;
    flows.find_words(begin, end, words_, all);
    const auto named = static_cast<std::ptrdiff_t>(all.size());
    for (FlowIndex i = begin; i < end; ++i)
      if (otherwise[flows.shape_of(i)]) all.push_back(i);
    std::inplace_merge(all.begin(), all.begin() + named, all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }
  // Flows of which shapes may match on it though their line does not name it: by a prefix, and an IPv6 address has several forms.
  std::vector<bool> shapes_without_word(const openflow::FlowTables& flows) const {
    return shapes_for_which(flows, [&](openflow::MatchView match) {
      return std::any_of(fields_.begin(), fields_.end(), [&](const AddressField& f) {
        const U128 mask = openflow::mask_of(match, f.address);
        return mask != U128{} && (!is_v4_ || mask != ones_);
      });
    });
  }

  // Of one thread.
  class Search {
   public:
    Search(const AskedAddress& asked, const openflow::FlowTables& flows) : asked_(asked), flows_(flows) {}
    void add(FlowIndex i, AddressFlows& found);

   private:
    const AskedAddress& asked_;
    const openflow::FlowTables& flows_;
    std::vector<openflow::MatchWord> words_;
    std::string line_;
  };

 private:
  bool is_looked_at(const openflow::FlowTables& flows, FlowIndex i) const {
    const openflow::MatchShape& shape = flows.shapes()[flows.shape_of(i)];
    return std::any_of(fields_.begin(), fields_.end(), [&](const AddressField& f) { return looks_at(shape, f.address); });
  }
  bool matches(const openflow::MatchView& match) const {
    return std::any_of(fields_.begin(), fields_.end(), [&](const AddressField& f) {
      return asks_for(match, f.address, ones_, value_) && (!port_ || (f.port && asks_for(match, *f.port, 0xffff, *port_)));
    });
  }
  bool matches_prefix(const openflow::MatchView& match) const {
    return std::any_of(fields_.begin(), fields_.end(), [&](const AddressField& f) {
      const U128 mask = openflow::mask_of(match, f.address);
      return mask != U128{} && mask != ones_ && asks_for(match, f.address, mask, value_ & mask);
    });
  }
  bool is_named_in(std::string_view text) const {
    return std::any_of(in_actions_.begin(), in_actions_.end(), [&](const std::string& form) { return has_value(text, form); });
  }

  std::vector<AddressField> fields_;
  U128 ones_, value_;
  std::optional<std::uint16_t> port_;
  bool is_v4_;
  std::vector<std::string> in_actions_;
  std::vector<std::string_view> words_;  // the same
};

void AskedAddress::Search::add(FlowIndex i, AddressFlows& found) {
  const std::string_view line = flows_.line_of(i, line_);
  if (asked_.is_looked_at(flows_, i)) {
    flows_.read_match(i, words_);
    const openflow::MatchView match = words_;
    if (asked_.matches(match)) found.matching.push_back(i);
    if (!asked_.port_ && asked_.matches_prefix(match)) found.matching_prefix.push_back(i);
  }
  if (!asked_.port_ && asked_.is_named_in(line) && asked_.is_named_in(openflow::actions_text(flows_.flow(i))))
    found.naming.push_back(i);
}

}  // namespace

AddressFlows flows_with_address_of(const LookupTerm& term, const openflow::FlowTables& flows) {
  const AskedAddress asked(term);
  const std::vector<bool> without_word = asked.shapes_without_word(flows);
  const auto pieces = in_pieces<AddressFlows>(flows, [&](FlowIndex begin, FlowIndex end, AddressFlows& found) {
    AskedAddress::Search search(asked, flows);
    for (const FlowIndex i : asked.candidates(flows, begin, end, without_word)) search.add(i, found);
  });
  AddressFlows all;
  const auto append = [](std::vector<FlowIndex>& to, const std::vector<FlowIndex>& more) {
    to.insert(to.end(), more.begin(), more.end());
  };
  for (const AddressFlows& one : pieces) {
    append(all.matching, one.matching);
    append(all.matching_prefix, one.matching_prefix);
    append(all.naming, one.naming);
  }
  return all;
}

}  // namespace egt::explain
