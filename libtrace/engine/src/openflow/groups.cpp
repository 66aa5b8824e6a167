// Groups and their buckets.
#include <algorithm>
#include <limits>

#include "egtrace/base/text.h"
#include "hash.h"
#include "xlate.h"

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

std::uint32_t Xlate::bucket_id(const Group& g, std::size_t index) const {
  return g.buckets[index].id.value_or(static_cast<std::uint32_t>(index));
}

bool Xlate::bucket_alive(const Group& g, const Bucket& b, int depth) {
  if (depth >= kMaxLiveness) {
    error_report(Remark::bucket_chain, kMaxLiveness);
    return false;
  }
  if (g.type == Group::Type::select && weight_of(b) == 0) return false;
  const bool watches_port = b.watch_port && b.watch_port->number != port::none;
  if (!watches_port && !b.watch_group) return true;
  if (watches_port && (!b.watch_port->name.empty() || b.watch_port->number != port::controller)) {
    const auto number = port_number(*b.watch_port);
    const SwitchPort* p = number ? bridge_->port(*number) : nullptr;
    if (p && p->may_enable()) return true;
  }
  if (!b.watch_group) return false;
  const Group* other = bridge().groups.find(*b.watch_group);
  return other != nullptr && first_live_bucket(*other, depth + 1).has_value();
}

std::optional<std::size_t> Xlate::first_live_bucket(const Group& g, int depth) {
  for (std::size_t i = 0; i < g.buckets.size(); ++i) {
    if (bucket_alive(g, g.buckets[i], depth)) return i;
    Note n;
    n.what = Remark::bucket_not_live;
    n.a = bucket_id(g, i);
    if (g.buckets[i].watch_port)
      n.text =
          g.buckets[i].watch_port->name.empty() ? std::to_string(g.buckets[i].watch_port->number) : g.buckets[i].watch_port->name;
    if (g.buckets[i].watch_group) n.more = std::to_string(*g.buckets[i].watch_group);
    report(NodeKind::detail, std::move(n));
  }
  return std::nullopt;
}

std::optional<std::size_t> Xlate::best_live_bucket(const Group& g, std::uint32_t basis) {
  std::optional<std::size_t> best;
  std::uint32_t best_score = 0;
  for (std::size_t i = 0; i < g.buckets.size(); ++i) {
    const Bucket& b = g.buckets[i];
    if (!bucket_alive(g, b, 0)) {
      Note n;
      n.what = Remark::bucket_not_live;
      n.a = bucket_id(g, i);
      if (b.watch_port) n.text = b.watch_port->name.empty() ? std::to_string(b.watch_port->number) : b.watch_port->name;
      if (b.watch_group) n.more = std::to_string(*b.watch_group);
      report(NodeKind::detail, std::move(n));
      continue;
    }
    const std::uint32_t score = (hash_int(bucket_id(g, i), basis) & 0xffff) * weight_of(b);
    if (score >= best_score) {
      best = i;
      best_score = score;
    }
    report(NodeKind::detail, Remark::bucket_score, bucket_id(g, i), score);
  }
  return best;
}

std::optional<std::size_t> Xlate::pick_by_fields(const Group& g) {
  std::uint32_t basis = hash_uint64(g.selection_param.value_or(0));
  std::vector<std::pair<const Field*, U128>> fields;  // with their masks
  for (const std::string_view text : names_in(g.fields))
    if (const Field* f = find_field(text.substr(0, text.find('=')))) fields.emplace_back(f, mask_of(text, *f));
  std::sort(fields.begin(), fields.end(), [](const auto& a, const auto& b) { return a.first->id < b.first->id; });
  for (const auto& [f, mask] : fields) {
    if (!prerequisites_met(f->id, flow_, &wc())) continue;
    const U128 value = flow_.get(f->id) & mask;
    const unsigned bytes = (f->bits + 7u) / 8;
    std::uint8_t data[16];
    for (unsigned i = 0; i < bytes; ++i) data[i] = static_cast<std::uint8_t>(value >> (8 * (bytes - 1 - i)));
    basis = hash_bytes(data, bytes, basis);
    unwildcard(wc(), f->id, mask);
  }
  return best_live_bucket(g, basis);
}

std::optional<std::size_t> Xlate::pick_by_dp_hash(const Group& g, const std::vector<std::size_t>& map) {
  const auto hash = static_cast<std::uint32_t>(get(flow_, F::dp_hash));
  if (hash == 0) {
    trigger_freeze();
    recirculate_hash_ = true;
    constexpr std::uint64_t kSymmetric = 1;
    hash_symmetric_l4_ = g.selection_method.empty() || g.selection_param.value_or(0) >> 32 == kSymmetric;
    hash_basis_ = g.selection_method.empty() ? 0 : static_cast<std::uint32_t>(g.selection_param.value_or(0));
    return std::nullopt;
  }
  const auto mask = static_cast<std::uint32_t>(map.size() - 1);
  mask_bits(wc(), F::dp_hash, mask);
  if (policy_.chooses()) return choose_bucket(g);
  for (std::uint32_t i = 0; i <= mask; ++i) {
    const std::size_t bucket = map[(hash + i) & mask];
    if (bucket_alive(g, g.buckets[bucket], 0)) return bucket;
  }
  return std::nullopt;
}

std::optional<std::size_t> Xlate::choose_bucket(const Group& g) {
  std::vector<std::size_t> live;
  for (std::size_t i = 0; i < g.buckets.size(); ++i)
    if (bucket_alive(g, g.buckets[i], 0)) live.push_back(i);
  return live.empty() ? std::nullopt : std::optional(live[policy_.bucket(g, live)]);
}

std::optional<std::size_t> Xlate::pick_bucket(const Group& g) {
  if (was_mpls_) {
    trigger_freeze();
    return std::nullopt;
  }
  constexpr OvsVersion kFourABucket{3, 5, 0};
  if (g.selection_method.empty() || g.selection_method == "dp_hash") {
    const auto map = hash_map_of(g, g.selection_method.empty() ? kMaxHashValues : 0, fixed_in(kFourABucket));
    if (!map.empty()) return pick_by_dp_hash(g, map);
  }
  if (policy_.chooses()) return choose_bucket(g);
  if (g.selection_method == "hash" && !g.fields.empty()) return pick_by_fields(g);
  mask_hash_fields(flow_, wc(), HashFields::symmetric_l4);
  return best_live_bucket(g, flow_hash_symmetric_l4(flow_, 0));
}

void Xlate::run_bucket(const Group& g, std::size_t index, bool is_last) {
  const auto level = level_;
  enter(NodeKind::bucket, BucketLine{bucket_id(g, index), &g, index});
  const FlowKey old_flow = flow_;
  const bool old_was_mpls = was_mpls_;
  const Ofpacts list = in_action_set_order(tables_.actions->of_bucket(g.buckets[index].actions, bridge()));
  ++depth_;
  ++nesting_;
  do_actions(list, is_last, true);
  --nesting_;
  --depth_;
  if (freezing_) finish_freezing_here();
  flow_ = old_flow;
  was_mpls_ = old_was_mpls;
  exit_ = false;
  if (error_ == XlateError::too_many_mpls_labels || error_ == XlateError::unsupported_packet_type) error_ = XlateError::ok;
  level_ = level;
}

bool Xlate::group(std::uint32_t id, bool is_last) {
  if (!resources_left()) return false;
  const Group* found = bridge().groups.find(id);
  if (found == nullptr) {
    if (!bridge().has_groups) gap(Input::groups, {bridge().name});
    report(NodeKind::warning, Remark::no_such_group, id);
    return true;
  }
  const Group& g = *found;
  if (g.type == Group::Type::all || g.type == Group::Type::indirect) {
    for (std::size_t i = 0; i < g.buckets.size(); ++i) run_bucket(g, i, is_last && i + 1 == g.buckets.size());
    return false;
  }
  const auto bucket = g.type == Group::Type::select ? pick_bucket(g) : first_live_bucket(g, 0);
  if (bucket) {
    report(NodeKind::detail, Remark::using_bucket, bucket_id(g, *bucket));
    run_bucket(g, *bucket, is_last);
    return false;
  }
  const OvsVersion& v = version();
  const bool shows_hash = v >= OvsVersion{3, 6, 2} || (v.minor == 5 && v.patch >= 3) || (v.minor == 4 && v.patch >= 5) ||
                          (v.minor == 3 && v.patch >= 8);
  if (shows_hash && freezing_) {
    if (recirculate_hash_) report(NodeKind::detail, Remark::dp_hash);
  } else {
    report(NodeKind::detail, Remark::no_live_bucket);
  }
  return false;
}

}  // namespace egt::engine::ofproto
