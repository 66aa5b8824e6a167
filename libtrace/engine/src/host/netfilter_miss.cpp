#include "netfilter_miss.h"

#include <algorithm>

namespace egt::engine {
namespace {

// Tests that say which packets a rule is about, rather than what kind of packet it takes.
bool is_selective(const netfilter::ExprPtr& e) {
  using netfilter::Key;
  const auto* masked = e ? std::get_if<netfilter::Masked>(&e->node) : nullptr;
  const auto* read =
      e ? std::get_if<netfilter::Read>(masked != nullptr && masked->operand ? &masked->operand->node : &e->node) : nullptr;
  if (read == nullptr) return false;
  switch (read->key) {
    case Key::ip_saddr:
    case Key::ip_daddr:
    case Key::ip6_saddr:
    case Key::ip6_daddr:
    case Key::sport:
    case Key::dport:
    case Key::ether_saddr:
    case Key::arp_saddr_ip:
    case Key::arp_daddr_ip:
    case Key::ct_original_saddr:
    case Key::ct_original_daddr: return true;
    case Key::mark:
    case Key::ct_mark: return true;
    default: return false;
  }
}
bool is_selective(const netfilter::Test& t) {
  if (const auto* c = std::get_if<netfilter::Compare>(&t)) return c->op == netfilter::Op::eq && is_selective(c->left);
  if (const auto* set = std::get_if<netfilter::InIpset>(&t)) return !set->negate;
  const auto* in = std::get_if<netfilter::InSet>(&t);
  return in != nullptr && !in->negate &&
         std::any_of(in->left.begin(), in->left.end(), [](const auto& e) { return is_selective(e); });
}

bool has_effect(const netfilter::Statement& s) {
  return !std::holds_alternative<netfilter::Test>(s) && !std::holds_alternative<netfilter::SetUpdate>(s) &&
         !std::holds_alternative<netfilter::Annotation>(s);
}

}  // namespace

void note_miss(const RulePosition& at, std::size_t failed, const std::string& node, Record& record) {
  const netfilter::Rule& rule = *at.rule();
  bool selective = false, effect = false;
  for (std::size_t i = 0; i < rule.statements.size(); ++i) {
    const auto* t = std::get_if<netfilter::Test>(&rule.statements[i]);
    effect = effect || has_effect(rule.statements[i]);
    if (t == nullptr || i == failed) continue;
    if (i > failed && test(*t, at.reading()).truth != Truth::yes) return;
    selective = selective || is_selective(*t);
  }
  if (!selective || !effect) return;
  const auto& t = std::get<netfilter::Test>(rule.statements[failed]);
  record.misses.push_back(
      {node, at.as_hit(netfilter::Verdict::Kind::continue_), &t, left_values(t, at.reading()), record.steps.size()});
}

}  // namespace egt::engine
