// Secrets that a line shows by itself: vtysh(1) "show running-config", sysctl(8), ovs-vsctl(8), kubeconfigs.
#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <vector>

#include "egtrace/base/text.h"
#include "egtrace/parsers/secrets.h"
#include "secrets/passages.h"

namespace egt::parsers::secrets {
namespace {

constexpr std::size_t kLongestLine = 64 << 10;  // of a configuration; what is longer is data

struct Words {
  std::vector<std::string_view> all;
  bool begin_with(std::initializer_list<std::string_view> words) const {
    return all.size() >= words.size() && std::equal(words.begin(), words.end(), all.begin());
  }
};

Words words_of(std::string_view line) {
  Words words;
  for (const std::string_view word : split(line, ' '))
    if (!word.empty()) words.all.push_back(word);
  return words;
}

// FRR: the word behind which the secret stands, in commands that have one (bgpd, ospfd, isisd, ripd, nhrpd, lib/keychain.c,
// lib/command.c). "8" and the like show how a password is encrypted.
std::size_t behind_frr_keyword(const Words& words) {
  static constexpr std::string_view kKeywords[] = {"password", "key-string", "authentication-key", "area-password",
                                                   "domain-password"};
  const auto& all = words.all;
  const std::string_view first = all.front();
  const auto known = [&](std::string_view w) {
    return std::find(std::begin(kKeywords), std::end(kKeywords), w) != std::end(kKeywords);
  };
  const bool speaks = first == "neighbor" || first == "enable" || first == "username" || first == "ip" || first == "ipv6" ||
                      first == "isis" || first == "area" || first == "mpls" || known(first);
  if (!speaks) return 0;
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    if (known(all[i]) || (i > 0 && all[i - 1] == "message-digest-key" && i + 2 < all.size() && all[i + 1] == "md5"))
      return i + (known(all[i]) ? 1 : 2);
    if (all[i] == "authentication" && (first == "ip" || first == "ipv6") && all[1] != "ospf")
      return all[1] == "nhrp" ? i + 1 : all[i + 1] == "string" ? i + 2 : 0;
    if (all[i] == "key" && all[0] == "ipv6" && all[1] == "ospf6") return i + 1;
  }
  return 0;
}

std::size_t skip_encoding(const Words& words, std::size_t i) {
  while (i + 1 < words.all.size() &&
         (words.all[i] == "clear" || words.all[i] == "md5" || words.all[i] == "8" || words.all[i] == "7"))
    ++i;
  return i;
}

void find_configured(std::string_view line, std::size_t at, Passages& found) {
  const Words words = words_of(line);
  if (words.all.size() < 2 || words.all.front() == "no" || words.all.front().starts_with('!')) return;
  const std::size_t i = behind_frr_keyword(words);
  if (i == 0 || i >= words.all.size()) return;
  const std::string_view secret = words.all[skip_encoding(words, i)];
  const std::string_view end = trim_right(line);
  found.push_back({at + static_cast<std::size_t>(secret.data() - line.data()), at + end.size()});
}

// "net.ipv4.tcp_fastopen_key = …", "net.ipv6.conf.eth0.stable_secret = …"
void find_kernel_key(std::string_view line, std::size_t at, Passages& found) {
  const std::size_t equals = line.find(" = ");
  if (equals == std::string_view::npos) return;
  const std::string_view name = line.substr(0, equals);
  if (name.ends_with(".tcp_fastopen_key") || name.ends_with(".stable_secret"))
    found.push_back({at + equals + 3, at + trim_right(line).size()});
}

// "options: {psk=\"…\", remote_ip=\"…\"}": the key of a tunnel by IPsec.
void find_shared_key(std::string_view line, std::size_t at, Passages& found) {
  for (std::size_t i = line.find("psk="); i != std::string_view::npos; i = line.find("psk=", i + 4)) {
    if (i > 0 && (std::isalnum(static_cast<unsigned char>(line[i - 1])) != 0 || line[i - 1] == '_')) continue;
    const bool quoted = line.substr(i + 4).starts_with('"');
    const std::size_t begin = i + 4 + (quoted ? 1 : 0);
    const std::size_t end = std::min(line.find_first_of(quoted ? "\"" : ",} ", begin), line.size());
    found.push_back({at + begin, at + end});
  }
}

// "auth-trunc hmac(sha256) 0x… 128", "enc cbc(aes) 0x…", "aead rfc4106(gcm(aes)) 0x… 128": keys of security associations (ip-xfrm(8)).
void find_association_key(std::string_view line, std::size_t at, Passages& found) {
  const std::string_view text = trim_left(line);
  if (!text.starts_with("auth ") && !text.starts_with("auth-trunc ") && !text.starts_with("enc ") && !text.starts_with("aead "))
    return;
  const std::size_t begin = line.find(" 0x");
  if (begin == std::string_view::npos) return;
  found.push_back({at + begin + 3, at + std::min(line.find_first_of(" \t\\", begin + 1), line.size())});
}

// "root:$6$…:19000:…": shadow(5), as it stands in pasted text.
void find_hashed_password(std::string_view line, std::size_t at, Passages& found) {
  for (std::size_t i = line.find(":$"); i != std::string_view::npos; i = line.find(":$", i + 2)) {
    const std::size_t method = std::min(line.find('$', i + 2), line.size());
    if (method == line.size() || method - i > 12) continue;
    found.push_back({at + i + 1, at + std::min(line.find(':', method), line.size())});
  }
}

// "token: …" of a kubeconfig, as YAML or as JSON.
void find_credential(std::string_view line, std::size_t at, Passages& found) {
  static constexpr std::string_view kKeys[] = {"client-key-data", "token",    "id-token",     "refresh-token",
                                               "access-token",    "password", "client-secret"};
  std::string_view key = trim_left(line);
  while (key.starts_with("- ")) key = trim_left(key.substr(2));
  const bool quoted = key.starts_with('"');
  if (quoted) key.remove_prefix(1);
  for (const std::string_view known : kKeys) {
    if (!key.starts_with(known)) continue;
    const std::string_view behind = key.substr(known.size()), colon = quoted ? "\": \"" : ": ";
    if (!behind.starts_with(colon)) continue;
    const std::string_view value = behind.substr(colon.size());
    const std::size_t begin = static_cast<std::size_t>(value.data() - line.data());
    const std::size_t end = quoted ? value.find('"') : trim_right(value).size();
    found.push_back({at + begin, at + begin + std::min(end, value.size())});
  }
}

}  // namespace

void find_in_line(std::string_view line, std::size_t at, Passages& found) {
  if (line.size() > kLongestLine) line = line.substr(0, kLongestLine);
  find_configured(line, at, found);
  find_kernel_key(line, at, found);
  find_shared_key(line, at, found);
  find_association_key(line, at, found);
  find_hashed_password(line, at, found);
  find_credential(line, at, found);
}

void find_shared_keys(std::string_view text, Passages& found) {
  constexpr std::string_view kKey = "psk\"";
  for (std::size_t at = text.find(kKey); at != std::string_view::npos; at = text.find(kKey, at + kKey.size())) {
    const std::size_t value = text.find_first_not_of(" \t\r\n,:", at + kKey.size());
    if (at == 0 || text[at - 1] != '"' || value == std::string_view::npos || text[value] != '"') continue;
    std::size_t end = value + 1;
    while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
    found.push_back({value + 1, std::min(end, text.size())});
  }
}

void find_private_keys(std::string_view text, Passages& found) {
  constexpr std::string_view kKind = "PRIVATE KEY-----", kEnd = "-----END";
  for (std::size_t at = text.find(kKind); at != std::string_view::npos; at = text.find(kKind, at + kKind.size())) {
    const std::size_t line = text.rfind('\n', at) + 1;  // 0 where it is the first
    if (text.substr(line, at - line).find("-----BEGIN") == std::string_view::npos) continue;
    const std::size_t end = std::min(text.find(kEnd, at), text.size());
    found.push_back({at + kKind.size(), end});
    at = end;
  }
}

}  // namespace egt::parsers::secrets
