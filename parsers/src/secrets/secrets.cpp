#include "egtrace/parsers/secrets.h"

#include <algorithm>

#include "egtrace/base/find_words.h"
#include "egtrace/base/text.h"
#include "kube/documents.h"
#include "secrets/passages.h"

namespace egt::parsers {
namespace secrets {

bool has(std::string_view text, std::string_view word) { return find_word(text, word) != std::string_view::npos; }

std::string masked(std::string_view text, Passages found) {
  std::sort(found.begin(), found.end(), [](const Passage& a, const Passage& b) { return a.begin < b.begin; });
  std::string out;
  std::size_t done = 0;
  for (const Passage& p : found) {
    if (p.end <= done) continue;
    const std::size_t begin = std::max(p.begin, done);
    out += text.substr(done, begin - done);
    if (p.begin >= done) out += kMasked;
    const std::string_view hidden = text.substr(begin, p.end - begin);
    out.append(static_cast<std::size_t>(std::count(hidden.begin(), hidden.end(), '\n')), '\n');
    done = p.end;
  }
  out += text.substr(done);
  return out;
}

namespace {

// Words of which one stands in every text that has a secret.
bool may_have_secrets(std::string_view text) {
  static constexpr std::string_view kWords[] = {"PRIVATE KEY",   "assword", "Secret", "key-string", "authentication",
                                                "psk",           "token",   "-key",   "_key",       "stable_secret",
                                                "client-secret", "users",   ":$"};
  return has_any_word(text, kWords);
}

void find_in_lines(std::string_view text, Passages& found) {
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t at = text.size() - rest.size();
    find_in_line(next_line(rest), at, found);
  }
}

constexpr std::size_t kLargeDump = std::size_t{1} << 20, kLooked = 4096;

bool may_have_environment(std::string_view text) {
  static constexpr std::string_view kWords[] = {"env", "args", "command", "httpHeaders"};
  return has_any_word(text, kWords);
}

// A million flows or groups stay mapped, and none has a secret.
bool is_large_flow_dump(std::string_view text) {
  if (text.size() < kLargeDump) return false;
  const std::string_view head = text.substr(0, kLooked), tail = text.substr(text.size() - kLooked);
  return has(tail, "actions=") && (has(head, " cookie=0x") || has(head, "group_id="));
}

// The records of a database file have checksums.
bool is_checksummed(std::string_view text) { return text.starts_with("OVSDB "); }

bool may_be_kubeconfig(std::string_view text) { return text.size() < kLargeDump && has(text, "users") && has(text, "Config"); }

void find_in_objects(std::string_view text, Of what, Passages& found) {
  if (kube::looks_like_json(text)) find_in_json(text, what, found);
  find_in_yaml(text, what, found);  // "{kind: Secret}" is YAML, too
}

std::optional<std::string> masked_if_any(std::string_view text, Passages found) {
  if (found.empty()) return std::nullopt;
  return masked(text, std::move(found));
}

}  // namespace
}  // namespace secrets

std::optional<std::string> mask_secrets(std::string_view text) {
  using namespace secrets;
  if (is_checksummed(text)) return masked_database(text);
  if (is_large_flow_dump(text) || !may_have_secrets(text)) return std::nullopt;
  Passages found;
  find_private_keys(text, found);
  find_shared_keys(text, found);
  find_in_lines(text, found);
  if (has(text, "Secret") || may_be_kubeconfig(text)) find_in_objects(text, Of::secrets, found);
  return masked_if_any(text, std::move(found));
}

std::optional<std::string> mask_environment(std::string_view text) {
  using namespace secrets;
  if (is_checksummed(text) || is_large_flow_dump(text) || !may_have_environment(text)) return std::nullopt;
  Passages found;
  find_in_objects(text, Of::environment, found);
  return masked_if_any(text, std::move(found));
}

}  // namespace egt::parsers
