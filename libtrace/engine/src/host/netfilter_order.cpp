#include "netfilter_order.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

namespace egt::engine {
namespace {

using netfilter::Chain;
using netfilter::ChainType;
using netfilter::Hook;
using netfilter::Ruleset;
using netfilter::Table;
using netfilter::TableFamily;

constexpr int kConntrackPriority = -200;
constexpr long kUnlisted = 1'000'000'000;  // further back than any position in a listing

bool sees(TableFamily table, Family packet) {
  switch (table) {
    case TableFamily::ip: return packet == Family::v4;
    case TableFamily::ip6: return packet == Family::v6;
    case TableFamily::inet: return true;
    case TableFamily::netdev: return true;
    case TableFamily::arp:
    case TableFamily::bridge: return false;
  }
  return false;
}

// NAT happens at one priority of a hook, whatever its chains name; none in forward.
std::optional<int> nat_priority(Hook hook) {
  switch (hook) {
    case Hook::prerouting:
    case Hook::output: return -100;
    case Hook::input:
    case Hook::postrouting: return 100;
    default: return std::nullopt;
  }
}

const host::Part<Ruleset>& iptables_part(const host::Host& host, Family family) {
  return family == Family::v4 ? host.iptables_v4 : host.iptables_v6;
}
const host::Part<Ruleset>& legacy_part(const host::Host& host, Family family) {
  return family == Family::v4 ? host.iptables_legacy_v4 : host.iptables_legacy_v6;
}

// As lines: `multiport --ports` is two rules of the model, and one of a listing.
std::size_t listed_rules(const Chain& c) {
  std::size_t lines = 0;
  for (std::size_t i = 0; i < c.rules.size(); ++i) lines += i == 0 || c.rules[i].from != c.rules[i - 1].from ? 1 : 0;
  return lines;
}

std::size_t rules_in(const Table& table, const std::string& chain) {
  const auto found = std::find_if(table.chains.begin(), table.chains.end(), [&](const Chain& c) { return c.name == chain; });
  return found == table.chains.end() ? 0 : listed_rules(*found);
}

bool drops_by_policy(const Table& table, const std::string& chain) {
  return std::any_of(table.chains.begin(), table.chains.end(),
                     [&](const Chain& c) { return c.name == chain && c.drop_by_default; });
}

// A chain that has not the same number of rules in both, or another policy. iptables-save shows chains that do not exist, with ACCEPT.
std::optional<std::string> differing_chain(const Table& a, const Table& b) {
  for (const auto& [one, other] : {std::pair(&a, &b), std::pair(&b, &a)})
    for (const Chain& c : one->chains)
      if (listed_rules(c) != rules_in(*other, c.name) || (c.drop_by_default && !drops_by_policy(*other, c.name))) return c.name;
  return std::nullopt;
}

const Table* table_named(const Ruleset& rules, const std::string& name) {
  const auto found = std::find_if(rules.tables.begin(), rules.tables.end(), [&](const Table& t) { return t.name == name; });
  return found == rules.tables.end() ? nullptr : &*found;
}

// A table of iptables-nft in the listing of nft, where that is whole.
const Table* repetition_of(const Table& table, const host::Host& host, TableFamily family) {
  if (!host.nft.present || host.nft.partial) return nullptr;
  const auto& all = host.nft.value.tables;
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const Table& t) { return t.from_iptables && t.family == family && t.name == table.name; });
  return found == all.end() ? nullptr : &*found;
}

// Whether a part of iptables' rules lacks some of this table, which nft lists whole.
bool lacks_rules(const host::Part<Ruleset>& part, const Table& table, const host::Host& host, Family family) {
  const Table* listed =
      part.partial ? repetition_of(table, host, family == Family::v4 ? TableFamily::ip : TableFamily::ip6) : nullptr;
  return listed != nullptr && differing_chain(table, *listed);
}

// Whether an nft table repeats what iptables-save shows.
bool is_repetition(const Table& t, const host::Host& host) {
  if (!t.from_iptables || (t.family != TableFamily::ip && t.family != TableFamily::ip6)) return false;
  const Family family = t.family == TableFamily::ip ? Family::v4 : Family::v6;
  const auto& part = iptables_part(host, family);
  if (!part.present || !part.partial) return part.present;
  const Table* own = table_named(part.value, t.name);
  return own != nullptr && !lacks_rules(part, *own, host, family);
}

// iptables-nft's rules stand in both listings, one for one. Where they differ, one is of another moment or node, or
// iptables-save is that of iptables-legacy and both sets of rules hold.
std::optional<MissingInput> inconsistency(const host::Host& host, Family family, const std::string& node) {
  const auto& iptables = iptables_part(host, family);
  if (!host.nft.present || host.nft.partial) return std::nullopt;
  for (const Table& t : host.nft.value.tables) {
    if (!is_repetition(t, host) || !sees(t.family, family)) continue;
    for (const Table& own : iptables.value.tables) {
      if (own.name != t.name) continue;
      if (const auto chain = differing_chain(own, t))
        return MissingInput{node, Input::one_ruleset, {*chain, t.name, std::uint64_t{family == Family::v6}}};
    }
  }
  return std::nullopt;
}

class Placer {
 public:
  Placer(const host::Host& host, Family family) : host_(host), family_(family) {}

  std::vector<PlacedChain> run() {
    const std::string tool = family_ == Family::v4 ? "iptables" : "ip6tables";
    add_iptables(legacy_part(host_, family_), tool, -2 * kUnlisted);
    add_iptables(iptables_part(host_, family_), tool, -kUnlisted);
    add_nft();
    set_stages();
    std::stable_sort(placed_.begin(), placed_.end(), runs_before);
    return std::move(placed_);
  }

 private:
  static bool runs_before(const PlacedChain& a, const PlacedChain& b) {
    if (a.chain->hook != b.chain->hook) return *a.chain->hook < *b.chain->hook;
    if (a.stage != b.stage) return a.stage < b.stage;
    if (a.priority != b.priority) return a.priority < b.priority;
    return a.registered > b.registered;
  }

  void add(const Table& t, const Chain& c, std::string front_end, long registered, int priority) {
    PlacedChain p;
    p.table = &t;
    p.chain = &c;
    p.front_end = std::move(front_end);
    p.priority = priority;
    p.registered = registered;
    const bool from_iptables = p.front_end != "nft" || t.from_iptables;
    p.reroutes = *c.hook == Hook::output && (c.type == ChainType::route || (from_iptables && t.name == "mangle"));
    p.lossy = p.front_end == "nft" && t.from_iptables;
    placed_.push_back(std::move(p));
  }

  void add_iptables(const host::Part<Ruleset>& part, const std::string& tool, long base) {
    for (const Table& t : part.value.tables) {
      const bool stands_in_nft = base >= -kUnlisted && lacks_rules(part, t, host_, family_);
      for (const Chain& c : t.chains) {
        ++base;
        if (!c.hook || t.dormant || stands_in_nft) continue;
        const std::optional<Listed> listed = base > -kUnlisted ? in_nft(t, c) : std::nullopt;
        add(t, c, tool, listed ? listed->position : base, listed ? listed->priority : c.priority);
      }
    }
  }
  // iptables-nft's own chains stand in the nft listing too, which shows when they were registered and where: that of
  // the table security is at 150, not at the 50 of iptables-legacy.
  struct Listed {
    long position;
    int priority;
  };
  std::optional<Listed> in_nft(const Table& table, const Chain& chain) const {
    long position = 0;
    const TableFamily family = family_ == Family::v4 ? TableFamily::ip : TableFamily::ip6;
    for (const Table& t : host_.nft.value.tables) {
      for (const Chain& c : t.chains) {
        ++position;
        if (t.from_iptables && t.family == family && t.name == table.name && c.name == chain.name)
          return Listed{position, c.priority};
      }
    }
    return std::nullopt;
  }
  void add_nft() {
    long position = 0;
    for (const Table& t : host_.nft.value.tables) {
      const bool counts = sees(t.family, family_) && !t.dormant && !is_repetition(t, host_);
      for (const Chain& c : t.chains) {
        ++position;
        if (counts && c.hook) add(t, c, "nft", position, c.priority);
      }
    }
  }

  void set_stages() {
    for (PlacedChain& p : placed_) p.stage = stage_of(p);
  }
  NetfilterStage stage_of(const PlacedChain& p) const {
    const Hook hook = *p.chain->hook;
    const auto nat = nat_priority(hook);
    if (p.chain->type == ChainType::nat && nat) return NetfilterStage::nat;
    if ((hook == Hook::prerouting || hook == Hook::output) && p.priority < kConntrackPriority) {
      return NetfilterStage::before_conntrack;
    }
    if (!nat || p.priority < *nat) return NetfilterStage::before_nat;
    if (p.priority > *nat) return NetfilterStage::after_nat;
    return p.registered > first_nat_registration(hook) ? NetfilterStage::before_nat : NetfilterStage::after_nat;
  }
  long first_nat_registration(Hook hook) const {
    long first = std::numeric_limits<long>::max();
    for (const PlacedChain& p : placed_) {
      if (*p.chain->hook == hook && p.chain->type == ChainType::nat) first = std::min(first, p.registered);
    }
    return first == std::numeric_limits<long>::max() ? std::numeric_limits<long>::min() : first;
  }

  const host::Host& host_;
  Family family_;
  std::vector<PlacedChain> placed_;
};

}  // namespace

std::vector<PlacedChain> place_chains(const host::Host& host, Family family) { return Placer(host, family).run(); }

std::vector<PlacedChain> place_arp_chains(const host::Host& host, Hook hook) {
  std::vector<PlacedChain> placed;
  long position = 0;
  for (const Table& t : host.nft.value.tables)
    for (const Chain& c : t.chains) {
      ++position;
      if (t.family != TableFamily::arp || t.dormant || c.hook != hook) continue;
      PlacedChain& p = placed.emplace_back();
      p.table = &t;
      p.chain = &c;
      p.front_end = "nft";
      p.priority = c.priority;
      p.registered = position;
    }
  std::stable_sort(placed.begin(), placed.end(), [](const PlacedChain& a, const PlacedChain& b) {
    return a.priority != b.priority ? a.priority < b.priority : a.registered > b.registered;
  });
  return placed;
}

std::vector<MissingInput> missing_rules(const host::Host& host, Family family, const std::string& node) {
  std::vector<MissingInput> gaps;
  if (!host.nft.present || host.nft.partial) gaps.push_back({node, Input::nft_rules});
  const auto& iptables = iptables_part(host, family);
  const TableFamily own = family == Family::v4 ? TableFamily::ip : TableFamily::ip6;
  // Where nft shows tables of iptables-nft, those are iptables' rules.
  const auto& tables = host.nft.value.tables;
  const bool nft_lists = host.nft.present && !host.nft.partial && std::any_of(tables.begin(), tables.end(), [&](const Table& t) {
                           return t.from_iptables && t.family == own;
                         });
  const bool legacy_lists = legacy_part(host, family).present && !legacy_part(host, family).partial;
  if ((iptables.present ? iptables.partial : !legacy_lists) && !nft_lists)
    gaps.push_back({node, Input::iptables_rules, {std::uint64_t{family == Family::v6}}});
  if (auto differing = inconsistency(host, family, node)) gaps.push_back(std::move(*differing));
  return gaps;
}

}  // namespace egt::engine
