#include "wildcards.h"

#include <algorithm>
#include <bit>
#include <map>
#include <variant>

#include "packet_fields.h"

namespace egt::engine::ofproto {
namespace {

using openflow::AddressField;
using openflow::FlowIndex;
using openflow::MatchWord;

constexpr unsigned kStages = 4;  // metadata, Ethernet, network, transport
constexpr std::size_t kWordOfPorts = 64, kWordOfCt = 45, kWordOfCtPorts = 46;

// Bits of a word of the key that belong to a stage (struct flow of include/openvswitch/flow.h).
std::uint64_t stage_bits(std::size_t word, unsigned stage) {
  constexpr std::uint64_t kProtocol = 0xffff, kLow = 0xffffffff;
  const auto all_in = [&](unsigned s) { return stage == s ? ~std::uint64_t{0} : 0; };
  if (word == kWordOfCt) return all_in(0);
  if (word == kWordOfCtPorts) return stage == 0 ? kLow : stage == 3 ? ~kLow : 0;
  if (word <= 48) return all_in(0);
  if (word <= 53) return all_in(2);  // the original tuple's addresses
  if (word <= 57) return all_in(1);
  if (word <= 63) return all_in(2);
  if (word == kWordOfPorts) return stage == 2 ? kProtocol : stage == 3 ? ~kProtocol : 0;
  if (word <= 74) return all_in(3);
  if (word <= 76) return all_in(1);
  return all_in(0);
}

std::uint64_t mix(std::uint64_t h, std::uint64_t v) {
  h ^= v + 0x9e3779b97f4a7c15ULL + (h << 6) + (h >> 2);
  h *= 0xd6e8feb86659fd93ULL;
  return h ^ (h >> 29);
}

constexpr std::uint16_t ethertype_of(AddressField f) { return openflow::bits_of(f) == 32 ? ethertype::ipv4 : ethertype::ipv6; }

U128 prefix_mask(unsigned length, unsigned bits) { return length == 0 ? U128{0} : ones(length) << (bits - length); }

std::uint32_t ports_of(const FlowKey& k) { return static_cast<std::uint32_t>(get(k, F::tp_src) << 16 | get(k, F::tp_dst)); }

FlowKey value_of(const std::vector<MatchWord>& match) {
  FlowKey value;
  for (const MatchWord& w : match) value.set_word(w.word, w.value);
  return value;
}

}  // namespace

// --- subtables -----------------------------------------------------------------------------------------------------

struct TableWildcards::Subtable {
  struct IndexedWord {
    std::uint8_t word;
    std::uint8_t at;  // its place in the mask, and so in a flow's match
    std::uint64_t mask;
  };
  const openflow::SubtableView* view = nullptr;
  std::vector<std::vector<IndexedWord>> indexes;  // by stage, only those that the mask has bits in; the last decides
  // Whether the first of them is what openflow::Subtables calls the pipeline.
  bool begins_with_pipeline = false;
  std::size_t pipeline = 0;                                     // equal numbers: the same mask of it
  std::array<std::uint8_t, openflow::kAddressFields> prefix{};  // lengths; 0: none
  std::size_t network_index = ~std::size_t{0};                  // which of `indexes` is the network stage
  unsigned ports_length = 0;
  std::uint32_t ports_mask = 0;

  Subtable(const openflow::SubtableView& v, std::size_t tries) : view(&v) {
    std::vector<MatchWord> match;
    FlowKey mask;
    for (const openflow::MaskWord& w : *v.mask) {
      match.push_back({w.word, 0, w.mask});
      mask.set_word(w.word, w.mask);
    }
    for (unsigned stage = 0; stage < kStages; ++stage) add_index(stage);
    if (indexes.empty()) indexes.emplace_back();
    for (const openflow::PrefixMask& p : openflow::prefix_masks(match))
      if (const auto trie = static_cast<std::size_t>(p.field); trie < tries) prefix[trie] = p.length;
    ports_mask = ports_of(mask);
    if (ports_mask != 0) ports_length = 32 - static_cast<unsigned>(std::countr_zero(ports_mask));
    begins_with_pipeline = is_pipeline();
  }

  std::uint64_t hash(std::size_t index, const FlowKey& key, std::uint64_t so_far) const {
    for (const IndexedWord& w : indexes[index]) so_far = mix(so_far, key.word(w.word) & w.mask);
    return so_far;
  }
  std::uint64_t hash(std::size_t index, const std::vector<MatchWord>& match, std::uint64_t so_far) const {
    for (const IndexedWord& w : indexes[index]) so_far = mix(so_far, match[w.at].value & w.mask);
    return so_far;
  }
  // Nothing of it is left to be looked at.
  bool covered(const FlowKey& wc) const {
    return std::all_of(view->mask->begin(), view->mask->end(),
                       [&](const openflow::MaskWord& w) { return (wc.word(w.word) & w.mask) == w.mask; });
  }
  void fold(std::size_t stages, FlowKey& wc) const {
    for (std::size_t x = 0; x < stages; ++x)
      for (const IndexedWord& w : indexes[x]) wc.set_word(w.word, wc.word(w.word) | w.mask);
  }
  void fold_metadata(FlowKey& wc) const {
    for (const openflow::MaskWord& w : *view->mask) wc.set_word(w.word, wc.word(w.word) | (w.mask & stage_bits(w.word, 0)));
  }

 private:
  void add_index(unsigned stage) {
    std::vector<IndexedWord> words;
    for (std::size_t i = 0; i < view->mask->size(); ++i) {
      const openflow::MaskWord& w = (*view->mask)[i];
      if (const auto bits = w.mask & stage_bits(w.word, stage)) words.push_back({w.word, static_cast<std::uint8_t>(i), bits});
    }
    if (words.empty()) return;
    if (stage == 2) network_index = indexes.size();
    indexes.push_back(std::move(words));
  }
  bool is_pipeline() const {
    if (view->pipeline_words == 0 || indexes.front().size() != view->pipeline_words) return false;
    for (std::size_t i = 0; i < view->pipeline_words; ++i) {
      const openflow::MaskWord& w = (*view->mask)[i];
      if (indexes.front()[i].word != w.word || indexes.front()[i].mask != w.mask) return false;
    }
    return true;
  }
};

// Hashes of flows up to each index of their subtable but the last.
struct TableWildcards::Seen {
  std::vector<FlowIndex> flows;
  std::size_t read = 0;
  std::vector<std::unordered_set<std::uint64_t>> hashes;
};

// One packet on its path through the subtables.
struct TableWildcards::Lookup {
  const FlowKey& key;
  FlowKey& wc;
  const std::vector<char>& agreeing;
  std::array<std::optional<openflow::PrefixAnswer>, openflow::kAddressFields> tries;
  std::vector<char>& folded;  // by Subtable::pipeline: whether `wc` has that mask
};

TableWildcards::~TableWildcards() = default;

TableWildcards::TableWildcards(const openflow::FlowTables& flows, openflow::FlowLookup& lookup, std::uint8_t table,
                               std::size_t tries)
    : flows_(flows), lookup_(lookup), table_(table), in_(flows.subtables(table)) {
  std::map<std::vector<std::pair<std::uint8_t, std::uint64_t>>, std::size_t> numbers;
  for (const openflow::SubtableView& view : in_.all()) {
    Subtable& s = subtables_.emplace_back(view, tries);
    std::vector<std::pair<std::uint8_t, std::uint64_t>> mask;
    for (const Subtable::IndexedWord& w : s.indexes.front()) mask.emplace_back(w.word, w.mask);
    s.pipeline = numbers.try_emplace(std::move(mask), numbers.size()).first->second;
  }
  pipelines_ = numbers.size();
}

// Whether some flow of the subtable has the packet's values up to an index, which is not the last.
bool TableWildcards::agrees(const Subtable& s, std::size_t index, std::uint64_t hash, const FlowKey& key) {
  const std::uint64_t which = mix(s.begins_with_pipeline ? s.hash(0, key, 0) : 0, s.view->number);
  const auto [at, fresh] = seen_.try_emplace(which);
  Seen& seen = at->second;
  if (fresh) {
    seen.flows = s.begins_with_pipeline ? in_.alike_in_pipeline(*s.view, key) : in_.flows(*s.view);
    seen.hashes.resize(s.indexes.size() - 1);
  }
  while (!seen.hashes[index].contains(hash)) {
    if (seen.read == seen.flows.size()) return false;
    in_.read_match(seen.flows[seen.read++], match_);
    if (match_.size() != s.view->mask->size()) continue;  // a damaged file
    std::uint64_t h = 0;
    for (std::size_t x = 0; x + 1 < s.indexes.size(); ++x) seen.hashes[x].insert(h = s.hash(x, match_, h));
  }
  return true;
}

// check_tries(): whether an address's prefix alone shows that no flow can match.
bool TableWildcards::tries_fail(const Subtable& s, Lookup& lookup) const {
  for (std::size_t t = 0; t < s.prefix.size(); ++t) {
    if (s.prefix[t] == 0) continue;
    const auto field = static_cast<AddressField>(t);
    const F id = openflow::field_of(field);
    std::optional<openflow::PrefixAnswer>& found = lookup.tries[t];
    if (!found) {
      found.emplace();
      if (dl_type(lookup.key) == ethertype_of(field)) {
        found = flows_.look_up_prefix(table_, field, lookup.key.get(id));
      } else {
        found->lengths.set();
      }
    }
    if (found->lengths[s.prefix[t] - std::size_t{1}]) continue;
    const U128 bits = prefix_mask(found->looked_at, openflow::bits_of(field));
    if (found->looked_at <= s.prefix[t]) {
      lookup.wc.set(id, lookup.wc.get(id) | bits);
      return true;
    }
    if ((lookup.wc.get(id) & bits) == bits) return true;
  }
  return false;
}

// How many bits of the packet's ports show it from those of all flows of the subtable: they are a trie's prefixes, all
// of one length.
unsigned TableWildcards::port_bits(const Subtable& s, std::uint32_t ports) {
  const auto [at, fresh] = ports_.try_emplace(s.view->number);
  std::vector<std::uint32_t>& all = at->second;
  if (fresh) {
    for (const FlowIndex flow : in_.flows(*s.view)) {
      in_.read_match(flow, match_);
      all.push_back(ports_of(value_of(match_)));
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
  }
  const auto behind = std::lower_bound(all.begin(), all.end(), ports);
  unsigned most = 0;
  const auto see = [&](std::uint32_t other) {
    most = std::max(most, std::min(static_cast<unsigned>(std::countl_zero(other ^ ports)), s.ports_length));
  };
  if (behind != all.end()) see(*behind);
  if (behind != all.begin()) see(*std::prev(behind));
  return most < s.ports_length ? most + 1 : most;
}

void TableWildcards::miss_ports(const Subtable& s, Lookup& lookup) {
  FlowKey& wc = lookup.wc;
  const std::size_t last = s.indexes.size() - 1;
  if (s.ports_length == 0) return s.fold(last + 1, wc);
  const unsigned bits = port_bits(s, ports_of(lookup.key) & s.ports_mask);
  const auto looked_at = static_cast<std::uint32_t>(s.ports_mask & low64(prefix_mask(bits, 32)));
  const U128 source = wc.get(F::tp_src), destination = wc.get(F::tp_dst);
  s.fold(last + 1, wc);  // the rest of their stage, too: CVE-2023-5366, whose fix distributions carried back
  wc.set(F::tp_src, source | (looked_at >> 16));
  wc.set(F::tp_dst, destination | (looked_at & 0xffff));
}

TableWildcards::Hit TableWildcards::hit(FlowIndex flow) const {
  const openflow::FlowEntry& entry = flows_.flow(flow);
  const openflow::ActionList& actions = flows_.actions(entry);
  return {flow, entry.priority, !actions.empty() && std::holds_alternative<openflow::Conjunction>(actions.front().kind)};
}

TableWildcards::Hit TableWildcards::look_up(const Subtable& s, Lookup& lookup) {
  if (get(lookup.key, F::packet_type) != packet_type::ethernet && openflow::implies_ethernet(*s.view->mask)) {
    s.fold_metadata(lookup.wc);  // the first stage, in which the packet's type lies
    return {};
  }
  const bool agreeing = lookup.agreeing[s.view->number] != 0;
  if (s.begins_with_pipeline && !agreeing) {
    // Whether or not all of it was looked at before: nothing is found, and this much is looked at now.
    if (lookup.folded[s.pipeline] == 0) s.fold(1, lookup.wc);
    lookup.folded[s.pipeline] = 1;
    return {};
  }
  if (s.covered(lookup.wc)) {
    if (s.view->pipeline_words != 0 && !agreeing) return {};
    const FlowIndex found = in_.best(*s.view, lookup.key);
    return found == openflow::kNoFlow ? Hit{} : hit(found);
  }
  const std::size_t last = s.indexes.size() - 1;
  std::uint64_t hash = 0;
  for (std::size_t x = 0; x <= last; ++x) {
    if (x == s.network_index && tries_fail(s, lookup)) {
      s.fold(x, lookup.wc);
      return {};
    }
    if (x == last) break;
    hash = s.hash(x, lookup.key, hash);
    const bool pipeline = x == 0 && s.begins_with_pipeline;
    if (!pipeline && !agrees(s, x, hash, lookup.key)) {
      s.fold(x + 1, lookup.wc);
      return {};
    }
  }
  const FlowIndex found = in_.best(*s.view, lookup.key);
  if (found == openflow::kNoFlow) {
    miss_ports(s, lookup);
    return {};
  }
  s.fold(last + 1, lookup.wc);
  return hit(found);
}

// Every conjunction whose clauses are all met is looked up by its identifier, those of higher priority first, until one
// is there. `hard`: the ordinary flow that was found.
void TableWildcards::search_conjunctions(std::vector<Hit> hits, Hit hard, const FlowKey& key, FlowKey& wc) {
  std::stable_sort(hits.begin(), hits.end(), [](const Hit& a, const Hit& b) { return a.priority > b.priority; });
  for (std::size_t begin = 0, end = 0; begin < hits.size(); begin = end) {
    if (hard.flow != openflow::kNoFlow && hits[begin].priority <= hard.priority) return;
    while (end < hits.size() && hits[end].priority == hits[begin].priority) ++end;
    if (conjunction_holds(std::span(hits).subspan(begin, end - begin), key, wc)) return;
  }
}

// `hits`: of one priority.
bool TableWildcards::conjunction_holds(std::span<const Hit> hits, const FlowKey& key, FlowKey& wc) {
  met_.clear();
  for (const Hit& h : hits)
    for (const openflow::Clause& c : flows_.clauses(flows_.flow(h.flow))) {
      if (c.n_clauses > hits.size() || !met_.meet(c)) continue;
      FlowKey again = key;
      again.set(F::conj_id, c.conj_id);
      search(again, wc, false);
      if (lookup_.lookup(table_, again).hit != openflow::kNoFlow) return true;
    }
  return false;
}

void TableWildcards::search(const FlowKey& key, FlowKey& wc, bool with_conjunctions) {
  folded_.assign(pipelines_, 0);
  Lookup lookup{key, wc, in_.agreeing_in_pipeline(key), {}, folded_};
  Hit hard;
  std::vector<Hit> soft;
  for (const Subtable& s : subtables_) {
    if (hard.flow != openflow::kNoFlow && s.view->max_priority <= hard.priority) break;
    const Hit hit = look_up(s, lookup);
    if (hit.flow == openflow::kNoFlow || (hard.flow != openflow::kNoFlow && hit.priority <= hard.priority)) continue;
    if (!hit.conjunctive) {
      hard = hit;
    } else if (with_conjunctions) {
      soft.push_back(hit);
    }
  }
  if (!soft.empty()) search_conjunctions(std::move(soft), hard, key, wc);
}

void TableWildcards::add(const FlowKey& key, FlowKey& wc) { search(key, wc, true); }

}  // namespace egt::engine::ofproto
