#include "wildcards.h"

#include <algorithm>
#include <map>
#include <unordered_set>

#include "hash.h"
#include "packet_fields.h"

namespace egt::engine::ofproto {
namespace {

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

struct TrieField {
  F field;
  unsigned bits;
  std::uint16_t ethertype;
};
constexpr TrieField kTrieFields[] = {{F::ip_dst, 32, ethertype::ipv4},
                                     {F::ip_src, 32, ethertype::ipv4},
                                     {F::ipv6_dst, 128, ethertype::ipv6},
                                     {F::ipv6_src, 128, ethertype::ipv6}};

// Length of a mask that is a prefix; 0 when it is none.
unsigned prefix_length(U128 mask, unsigned bits) {
  unsigned n = 0;
  while (n < bits && (mask >> (bits - 1 - n)) & 1) ++n;
  return mask == (ones(n) << (bits - n)) || n == bits ? n : 0;
}

U128 prefix_mask(unsigned length, unsigned bits) { return length == 0 ? U128{0} : ones(length) << (bits - length); }

}  // namespace

// --- tries ---------------------------------------------------------------------------------------------------------

struct PrefixTrie::Node {
  U128 prefix = 0;  // `length` bits, right-aligned
  unsigned length = 0;
  bool has_rules = false;
  std::unique_ptr<Node> edge[2];
};

PrefixTrie::PrefixTrie() = default;
PrefixTrie::~PrefixTrie() = default;
PrefixTrie::PrefixTrie(PrefixTrie&&) noexcept = default;
PrefixTrie& PrefixTrie::operator=(PrefixTrie&&) noexcept = default;

void PrefixTrie::insert(U128 value, unsigned length, unsigned bits) {
  const auto bits_at = [&](unsigned from, unsigned n) -> U128 {
    return n == 0 ? U128{0} : (value >> (bits - from - n)) & ones(n);
  };
  std::unique_ptr<Node>* at = &root_;
  unsigned done = 0;
  while (*at) {
    Node& node = **at;
    unsigned equal = 0;
    while (equal < node.length && done + equal < length &&
           ((node.prefix >> (node.length - 1 - equal)) & 1) == (bits_at(done + equal, 1) & 1))
      ++equal;
    done += equal;
    if (equal < node.length) {
      // Split: what agrees becomes a node of its own.
      auto upper = std::make_unique<Node>();
      upper->prefix = node.prefix >> (node.length - equal);
      upper->length = equal;
      const unsigned side = static_cast<unsigned>((node.prefix >> (node.length - 1 - equal)) & 1);
      node.length -= equal;
      node.prefix &= ones(node.length);
      upper->edge[side] = std::move(*at);
      *at = std::move(upper);
      if (done == length) {
        (*at)->has_rules = true;
        return;
      }
      at = &(*at)->edge[static_cast<unsigned>(bits_at(done, 1))];
      break;
    }
    if (done == length) {
      node.has_rules = true;
      return;
    }
    at = &node.edge[static_cast<unsigned>(bits_at(done, 1))];
  }
  auto leaf = std::make_unique<Node>();
  leaf->length = length - done;
  leaf->prefix = bits_at(done, length - done);
  leaf->has_rules = true;
  *at = std::move(leaf);
}

PrefixTrie::Found PrefixTrie::look_up(U128 value, unsigned bits) const {
  Found found;
  found.lengths.assign(bits, false);
  unsigned matched = 0;
  const Node* previous = nullptr;
  const auto bit = [&](unsigned i) { return static_cast<unsigned>((value >> (bits - 1 - i)) & 1); };
  for (const Node* node = root_.get(); node;) {
    unsigned equal = 0;
    while (equal < node->length && matched + equal < bits &&
           ((node->prefix >> (node->length - 1 - equal)) & 1) == bit(matched + equal))
      ++equal;
    matched += equal;
    if (equal < node->length) {
      found.mask_bits = matched + 1;
      return found;
    }
    if (node->has_rules && matched > 0) found.lengths[matched - 1] = true;
    if (matched >= bits) {
      found.mask_bits = bits;
      return found;
    }
    previous = node;
    node = node->edge[bit(matched)].get();
  }
  const bool leaf = !previous || (!previous->edge[0] && !previous->edge[1]);
  found.mask_bits = leaf ? matched : matched + 1;
  return found;
}

// --- subtables -----------------------------------------------------------------------------------------------------

struct TableWildcards::Subtable {
  struct Part {
    std::uint8_t word;
    std::uint64_t mask;
  };
  std::vector<Part> mask;                  // all of it
  std::vector<std::vector<Part>> indexes;  // by stage, only those that the mask has bits in; the last decides
  std::vector<std::unordered_set<std::uint64_t>> seen;              // hashes of the flows up to an index
  std::unordered_map<std::uint64_t, std::vector<FlowIndex>> rules;  // by descending priority
  std::uint16_t max_priority = 0;
  unsigned prefix[4] = {0, 0, 0, 0};
  std::size_t network_index = ~std::size_t{0};  // which of `indexes` is the network stage
  PrefixTrie ports;
  unsigned ports_length = 0;
  std::uint32_t ports_mask = 0;
};

struct TableWildcards::TrieState {
  bool done = false;
  PrefixTrie::Found found;
};

namespace {

std::uint32_t ports_of(const FlowKey& k) {
  return static_cast<std::uint32_t>(get(k, F::tp_src) << 16 | get(k, F::tp_dst));
}

}  // namespace

TableWildcards::~TableWildcards() = default;

TableWildcards::TableWildcards(const openflow::FlowTables& flows, std::uint8_t table, Release release)
    : flows_(flows), n_tries_(release.ipv6_prefixes ? 4 : 2), release_(release) {
  std::map<std::vector<std::pair<std::uint8_t, std::uint64_t>>, Subtable*> by_mask;
  std::vector<FlowIndex> in_order = flows.in_table(table);
  std::sort(in_order.begin(), in_order.end());
  for (const FlowIndex i : in_order) {
    const openflow::FlowEntry& f = flows.flow(i);
    std::vector<std::pair<std::uint8_t, std::uint64_t>> shape;
    FlowKey value;
    for (const MatchWord& w : flows.match(f)) {
      shape.emplace_back(w.word, w.mask);
      value.set_word(w.word, w.value);
    }
    Subtable*& s = by_mask[shape];
    if (!s) {
      subtables_.push_back(std::make_unique<Subtable>());
      s = subtables_.back().get();
      FlowKey mask;
      for (const auto& [word, bits] : shape) {
        s->mask.push_back({word, bits});
        mask.set_word(word, bits);
      }
      for (unsigned stage = 0; stage < kStages; ++stage) {
        std::vector<Subtable::Part> parts;
        for (const auto& [word, bits] : shape)
          if (const auto b = bits & stage_bits(word, stage)) parts.push_back({word, b});
        if (parts.empty()) continue;
        if (stage == 2) s->network_index = s->indexes.size();
        s->indexes.push_back(std::move(parts));
      }
      if (s->indexes.empty()) s->indexes.emplace_back();
      s->seen.resize(s->indexes.size());
      for (std::size_t t = 0; t < n_tries_; ++t)
        s->prefix[t] = prefix_length(mask.get(kTrieFields[t].field), kTrieFields[t].bits);
      s->ports_mask = ports_of(mask);
      if (s->ports_mask != 0) s->ports_length = 32 - static_cast<unsigned>(__builtin_ctz(s->ports_mask));
      s->max_priority = f.priority;
    }
    s->max_priority = std::max(s->max_priority, f.priority);
    std::uint64_t h = 0;
    for (std::size_t x = 0; x < s->indexes.size(); ++x) {
      for (const Subtable::Part& p : s->indexes[x]) h = mix(h, value.word(p.word) & p.mask);
      if (x + 1 < s->indexes.size()) s->seen[x].insert(h);
    }
    auto& same = s->rules[h];
    if (same.empty()) {
      for (std::size_t t = 0; t < n_tries_; ++t)
        if (s->prefix[t] != 0) tries_[t].insert(value.get(kTrieFields[t].field), s->prefix[t], kTrieFields[t].bits);
      if (s->ports_length != 0) s->ports.insert(ports_of(value), s->ports_length, 32);
    }
    same.push_back(i);
  }
  for (auto& s : subtables_)
    for (auto& [h, rules] : s->rules)
      std::stable_sort(rules.begin(), rules.end(),
                       [&](FlowIndex a, FlowIndex b) { return flows.flow(a).priority > flows.flow(b).priority; });
  std::stable_sort(subtables_.begin(), subtables_.end(),
                   [](const auto& a, const auto& b) { return a->max_priority > b->max_priority; });
}

TableWildcards::Hit TableWildcards::look_up(const Subtable& s, const FlowKey& key, std::array<TrieState, 4>& tries,
                                            FlowKey& wc) const {
  const auto fold = [&](std::size_t stages) {
    for (std::size_t x = 0; x < stages; ++x)
      for (const Subtable::Part& p : s.indexes[x]) wc.set_word(p.word, wc.word(p.word) | p.mask);
  };
  // check_tries: whether an address's prefix alone shows that no flow can match.
  const auto tries_fail = [&](std::size_t index) {
    if (index != s.network_index) return false;
    for (std::size_t t = 0; t < n_tries_; ++t) {
      if (s.prefix[t] == 0) continue;
      const TrieField& field = kTrieFields[t];
      TrieState& state = tries[t];
      if (!state.done) {
        state.done = true;
        if (dl_type(key) == field.ethertype) {
          state.found = tries_[t].look_up(key.get(field.field), field.bits);
        } else {
          state.found.mask_bits = 0;
          state.found.lengths.assign(field.bits, true);
        }
      }
      if (state.found.lengths[s.prefix[t] - 1]) continue;
      const U128 bits = prefix_mask(state.found.mask_bits, field.bits);
      if (state.found.mask_bits <= s.prefix[t]) {
        wc.set(field.field, wc.get(field.field) | bits);
        return true;
      }
      if ((wc.get(field.field) & bits) == bits) return true;
    }
    return false;
  };
  std::uint64_t h = 0;
  const std::size_t last = s.indexes.size() - 1;
  for (std::size_t x = 0; x < last; ++x) {
    if (tries_fail(x)) {
      fold(x);
      return {};
    }
    for (const Subtable::Part& p : s.indexes[x]) h = mix(h, key.word(p.word) & p.mask);
    if (!s.seen[x].contains(h)) {
      fold(x + 1);
      return {};
    }
  }
  if (tries_fail(last)) {
    fold(last);
    return {};
  }
  for (const Subtable::Part& p : s.indexes[last]) h = mix(h, key.word(p.word) & p.mask);
  const auto found = s.rules.find(h);
  if (found == s.rules.end()) {
    if (s.ports_length == 0) {
      fold(last + 1);
      return {};
    }
    const std::uint32_t value = ports_of(key) & s.ports_mask;
    const unsigned bits = s.ports.look_up(value, 32).mask_bits;
    const auto looked_at = static_cast<std::uint32_t>(s.ports_mask & low64(prefix_mask(bits, 32)));
    const U128 source = wc.get(F::tp_src), destination = wc.get(F::tp_dst);
    fold(release_.whole_port_stage ? last + 1 : last);
    wc.set(F::tp_src, source | (looked_at >> 16));
    wc.set(F::tp_dst, destination | (looked_at & 0xffff));
    return {};
  }
  fold(last + 1);
  Hit hit;
  hit.found = true;
  hit.flow = found->second.front();
  hit.priority = flows_.flow(hit.flow).priority;
  const openflow::ActionList& actions = flows_.actions(flows_.flow(hit.flow));
  hit.conjunctive = !actions.empty() && std::holds_alternative<openflow::Conjunction>(actions.front().kind);
  return hit;
}

void TableWildcards::search(const FlowKey& key, FlowKey& wc, bool with_conjunctions) const {
  std::array<TrieState, 4> tries;
  std::optional<std::uint16_t> hard;
  std::vector<Hit> soft;
  for (const auto& s : subtables_) {
    if (hard && s->max_priority <= *hard) break;
    const Hit hit = look_up(*s, key, tries, wc);
    if (!hit.found || (hard && hit.priority <= *hard)) continue;
    if (!hit.conjunctive) {
      hard = hit.priority;
    } else if (with_conjunctions) {
      soft.push_back(hit);
    }
  }
  if (!with_conjunctions) return;
  // Every conjunction whose clauses are all met is looked up by its identifier, highest priority first.
  std::erase_if(soft, [&](const Hit& h) { return hard && h.priority <= *hard; });
  std::stable_sort(soft.begin(), soft.end(), [](const Hit& a, const Hit& b) { return a.priority > b.priority; });
  for (std::size_t begin = 0; begin < soft.size();) {
    std::size_t end = begin;
    std::map<std::uint32_t, std::pair<std::uint64_t, unsigned>> clauses;
    while (end < soft.size() && soft[end].priority == soft[begin].priority) ++end;
    for (std::size_t i = begin; i < end; ++i)
      for (const openflow::Action& a : flows_.actions(flows_.flow(soft[i].flow)))
        if (const auto* c = std::get_if<openflow::Conjunction>(&a.kind)) {
          auto& [met, n] = clauses[c->id];
          n = c->n_clauses;
          met |= std::uint64_t{1} << ((c->clause - 1) & 63);
          if (met != low64(ones(n))) continue;
          FlowKey again = key;
          again.set(F::conj_id, c->id);
          search(again, wc, false);
          if (flows_.lookup(flows_.flow(soft[i].flow).table, again).hit != openflow::kNoFlow) return;
        }
    begin = end;
  }
}

void TableWildcards::add(const FlowKey& key, FlowKey& wc) const { search(key, wc, true); }

}  // namespace egt::engine::ofproto
