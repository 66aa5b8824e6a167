#include "buckets.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "egtrace/base/text.h"
#include "hash.h"
#include "packet_fields.h"

namespace egt::engine::ofproto {
namespace {

using namespace openflow;

constexpr int kMaxLiveness = 128;
constexpr std::size_t kMaxHashValues = 256;

std::uint16_t weight_of(const Bucket& b) { return b.weight.value_or(1); }

// group_setup_dp_hash_table: buckets over the values of a hash, by Webster's method. Empty when it does not fit.
std::vector<std::size_t> hash_map_of(const Group& g, std::size_t max_hash, bool four_a_bucket) {
  std::uint64_t total = 0;
  std::uint16_t smallest = std::numeric_limits<std::uint16_t>::max();
  for (const Bucket& b : g.buckets) {
    const auto w = weight_of(b);
    if (w > 0) smallest = std::min(smallest, w);
    total += w;
  }
  if (total == 0) return {};
  std::uint64_t slots = (total + smallest - 1) / smallest;
  if (four_a_bucket) slots = std::max<std::uint64_t>(slots, std::min<std::uint64_t>(g.buckets.size() * 4, kMaxHashValues));
  std::uint64_t n = 16;
  while (n < slots) n *= 2;
  if (n > kMaxHashValues || (max_hash != 0 && n > max_hash)) return {};
  struct Share {
    double value;
    unsigned divisor;
  };
  std::vector<Share> shares;
  for (const Bucket& b : g.buckets) shares.push_back({static_cast<double>(weight_of(b)), 1});
  std::vector<std::size_t> map(n);
  for (std::size_t& winner : map) {
    for (std::size_t i = 1; i < shares.size(); ++i)
      if (shares[i].value > shares[winner].value) winner = i;
    shares[winner].divisor += 2;
    shares[winner].value = static_cast<double>(weight_of(g.buckets[winner])) / shares[winner].divisor;
  }
  return map;
}

std::vector<std::string_view> names_in(std::string_view list) {
  if (list.starts_with("=")) list.remove_prefix(1);
  if (list.starts_with("(")) list = list.substr(1, list.size() < 2 ? 0 : list.size() - 2);
  return list.empty() ? std::vector<std::string_view>() : split(list, ',');
}

// "ip_dst=255.255.0.0": the mask behind the name; all of the field where there is none.
U128 mask_of(std::string_view text, const Field& f) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return ones(f.bits);
  text.remove_prefix(equals + 1);
  if (const auto mac = MacAddr::parse(text)) return mac->value;
  if (const auto address = IpAddr::parse(text)) return address->value;
  return parse_u128(text).value_or(0) & ones(f.bits);
}

}  // namespace

std::uint32_t bucket_id(const Group& g, std::size_t index) {
  return g.buckets[index].id.value_or(static_cast<std::uint32_t>(index));
}

BucketChoice BucketChooser::choose(const Group& g) {
  if (g.type == Group::Type::select) return select(g);
  return {first_live(g, 0), false, std::nullopt};
}

bool BucketChooser::watched_port_is_alive(const Bucket& b) const {
  if (b.watch_port->name.empty() && b.watch_port->number == port::controller) return false;
  const auto number = bridge_.number_of(*b.watch_port);
  const SwitchPort* p = number ? bridge_.port(*number) : nullptr;
  return p != nullptr && p->may_enable();
}

bool BucketChooser::is_alive(const Group& g, const Bucket& b, int depth) {
  if (depth >= kMaxLiveness) {
    report_.error(Remark::bucket_chain, kMaxLiveness);
    return false;
  }
  if (g.type == Group::Type::select && weight_of(b) == 0) return false;
  const bool watches_port = b.watch_port && b.watch_port->number != port::none;
  if (!watches_port && !b.watch_group) return true;
  if (watches_port && watched_port_is_alive(b)) return true;
  if (!b.watch_group) return false;
  const Group* other = bridge_.bridge->groups.find(*b.watch_group);
  return other != nullptr && first_live(*other, depth + 1).has_value();
}

void BucketChooser::report_not_live(const Group& g, std::size_t index) const {
  const Bucket& b = g.buckets[index];
  Note n;
  n.what = Remark::bucket_not_live;
  n.a = bucket_id(g, index);
  if (b.watch_port) n.text = b.watch_port->name.empty() ? std::to_string(b.watch_port->number) : b.watch_port->name;
  if (b.watch_group) n.more = std::to_string(*b.watch_group);
  report_.line(NodeKind::detail, std::move(n));
}

std::optional<std::size_t> BucketChooser::first_live(const Group& g, int depth) {
  for (std::size_t i = 0; i < g.buckets.size(); ++i) {
    if (is_alive(g, g.buckets[i], depth)) return i;
    report_not_live(g, i);
  }
  return std::nullopt;
}

std::optional<std::size_t> BucketChooser::best_live(const Group& g, std::uint32_t basis) {
  std::optional<std::size_t> best;
  std::uint32_t best_score = 0;
  for (std::size_t i = 0; i < g.buckets.size(); ++i) {
    if (!is_alive(g, g.buckets[i], 0)) {
      report_not_live(g, i);
      continue;
    }
    const std::uint32_t score = (hash_int(bucket_id(g, i), basis) & 0xffff) * weight_of(g.buckets[i]);
    if (score >= best_score) {
      best = i;
      best_score = score;
    }
    report_.note(NodeKind::detail, Remark::bucket_score, bucket_id(g, i), score);
  }
  return best;
}

std::optional<std::size_t> BucketChooser::by_fields(const Group& g) {
  std::uint32_t basis = hash_uint64(g.selection_param.value_or(0));
  std::vector<std::pair<const Field*, U128>> fields;  // with their masks
  for (const std::string_view text : names_in(g.fields))
    if (const Field* f = find_field(text.substr(0, text.find('=')))) fields.emplace_back(f, mask_of(text, *f));
  std::sort(fields.begin(), fields.end(), [](const auto& a, const auto& b) { return a.first->id < b.first->id; });
  for (const auto& [f, mask] : fields) {
    if (!prerequisites_met(f->id, packet_.flow, packet_.wc)) continue;
    const U128 value = packet_.flow.get(f->id) & mask;
    const unsigned bytes = (f->bits + 7u) / 8;
    std::uint8_t data[16];
    for (unsigned i = 0; i < bytes; ++i) data[i] = static_cast<std::uint8_t>(value >> (8 * (bytes - 1 - i)));
    basis = hash_bytes(data, bytes, basis);
    unwildcard(*packet_.wc, f->id, mask);
  }
  return best_live(g, basis);
}

BucketChoice BucketChooser::by_dp_hash(const Group& g, const std::vector<std::size_t>& map) {
  const auto hash = static_cast<std::uint32_t>(get(packet_.flow, F::dp_hash));
  if (hash == 0) {
    constexpr std::uint64_t kSymmetric = 1;
    const std::uint64_t parameter = g.selection_param.value_or(0);
    if (g.selection_method.empty()) return {std::nullopt, true, HashWanted{true, 0}};
    return {std::nullopt, true, HashWanted{parameter >> 32 == kSymmetric, static_cast<std::uint32_t>(parameter)}};
  }
  const auto mask = static_cast<std::uint32_t>(map.size() - 1);
  mask_bits(*packet_.wc, F::dp_hash, mask);
  if (policy_.chooses()) return {ask_policy(g), false, std::nullopt};
  for (std::uint32_t i = 0; i <= mask; ++i) {
    const std::size_t bucket = map[(hash + i) & mask];
    if (is_alive(g, g.buckets[bucket], 0)) return {bucket, false, std::nullopt};
  }
  return {};
}

std::optional<std::size_t> BucketChooser::ask_policy(const Group& g) {
  std::vector<std::size_t> live;
  for (std::size_t i = 0; i < g.buckets.size(); ++i)
    if (is_alive(g, g.buckets[i], 0)) live.push_back(i);
  return live.empty() ? std::nullopt : std::optional(live[policy_.bucket(g, live)]);
}

BucketChoice BucketChooser::select(const Group& g) {
  if (packet_.was_mpls) return {std::nullopt, true, std::nullopt};
  if (g.selection_method.empty() || g.selection_method == "dp_hash") {
    const auto map = hash_map_of(g, g.selection_method.empty() ? kMaxHashValues : 0, four_a_bucket_);
    if (!map.empty()) return by_dp_hash(g, map);
  }
  if (policy_.chooses()) return {ask_policy(g), false, std::nullopt};
  if (g.selection_method == "hash" && !g.fields.empty()) return {by_fields(g), false, std::nullopt};
  mask_hash_fields(packet_.flow, *packet_.wc, HashFields::symmetric_l4);
  return {best_live(g, flow_hash_symmetric_l4(packet_.flow, 0)), false, std::nullopt};
}

}  // namespace egt::engine::ofproto
