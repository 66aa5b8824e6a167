#include "egtrace/parsers/expectations.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <stdexcept>

#include "egtrace/base/nearest.h"
#include "egtrace/base/text.h"

namespace egt::parsers {
namespace {

using expect::EndPattern;
using expect::Expectation;
using YAML::Node;

// YAML aliases can multiply without end; no file that people write comes near.
constexpr std::size_t kMostScalars = 100'000;
constexpr std::size_t kMostExpectations = 20'000;

// Line and message; the path is put before it where it is caught.
class Refused : public std::runtime_error {
 public:
  Refused(std::uint32_t line, const std::string& what) : std::runtime_error(what), line_(line) {}
  std::uint32_t line() const { return line_; }

 private:
  std::uint32_t line_;
};

std::uint32_t line_of(const Node& node) { return node.Mark().line < 0 ? 1 : static_cast<std::uint32_t>(node.Mark().line) + 1; }

[[noreturn]] void refuse(const Node& node, const std::string& what) { throw Refused(line_of(node), what); }

// "did you mean `to`?", or all that there are.
template <class Words>
std::string suggestion(const std::string& word, const Words& known) {
  const std::vector<std::string> near = nearest(word, {std::begin(known), std::end(known)});
  return near.empty() ? fmt::format("known are {}", fmt::join(known, ", "))
                      : fmt::format("did you mean `{}`?", fmt::join(near, "` or `"));
}

constexpr Verdict kVerdicts[] = {Verdict::delivered, Verdict::dropped, Verdict::rejected, Verdict::inconclusive};
constexpr Outcome kOutcomes[] = {Outcome::answered, Outcome::refused, Outcome::unanswered, Outcome::mixed, Outcome::undecided};
constexpr std::string_view kProtocols[] = {"tcp", "udp", "sctp", "icmp", "icmp6"};

class ExpectationReader {
 public:
  std::vector<Expectation> read(const Node& root) {
    if (!root.IsMap()) refuse(root, "expected a map with `version: 1` and `expect:`");
    check_keys(root, {"version", "expect"});
    if (const Node version = root["version"]; version && scalar(version, "version") != "1")
      refuse(version, fmt::format("version {} is not known; this program reads version 1", version.Scalar()));
    const Node list = root["expect"];
    if (!list || !list.IsSequence()) refuse(list ? list : root, "`expect` must be a list of expectations");
    if (list.size() > kMostExpectations) refuse(list, fmt::format("more than {} expectations", kMostExpectations));
    std::vector<Expectation> all;
    for (const Node& item : list) all.push_back(expectation(item));
    return all;
  }

 private:
  void check_keys(const Node& map, std::initializer_list<std::string_view> known) {
    for (const auto& entry : map) {
      const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : "?";
      if (std::find(known.begin(), known.end(), key) == known.end())
        refuse(entry.first, fmt::format("unknown key `{}`; {}", key, suggestion(key, known)));
    }
  }

  std::string scalar(const Node& node, std::string_view key) {
    if (++scalars_ > kMostScalars) refuse(node, "too many values; split the file");
    if (!node.IsScalar()) refuse(node, fmt::format("`{}` must be one value", key));
    return node.Scalar();
  }

  // A single value counts as a list of one.
  std::vector<std::string> strings(const Node& map, const char* key) {
    std::vector<std::string> all;
    const Node value = map[key];
    if (!value) return all;
    if (!value.IsSequence()) return {scalar(value, key)};
    for (const Node& item : value) all.push_back(scalar(item, key));
    if (all.empty()) refuse(value, fmt::format("`{}` is an empty list; leave it away or name what is expected", key));
    return all;
  }

  std::optional<std::uint64_t> number(const Node& map, const char* key, std::uint64_t most) {
    const Node value = map[key];
    if (!value) return std::nullopt;
    const auto n = parse_u64(scalar(value, key));
    if (!n || *n > most) refuse(value, fmt::format("`{}` must be a number from 0 to {}", key, most));
    return n;
  }

  bool flag(const Node& map, const char* key, bool otherwise) {
    const Node value = map[key];
    if (!value) return otherwise;
    const std::string text = scalar(value, key);
    if (text == "true" || text == "false") return text == "true";
    refuse(value, fmt::format("`{}` is true or false", key));
  }

  cluster::LabelSelector labels(const Node& map, const char* key) {
    cluster::LabelSelector selector;
    const Node value = map[key];
    if (!value) return selector;
    if (!value.IsMap()) refuse(value, fmt::format("`{}` is a map of labels and their values", key));
    selector.present = true;
    for (const auto& entry : value) selector.match_labels[scalar(entry.first, key)] = scalar(entry.second, key);
    return selector;
  }

  EndPattern end(const Node& node, const char* key) {
    EndPattern pattern;
    if (node.IsScalar()) {
      pattern.text = scalar(node, key);
    } else if (node.IsMap()) {
      check_keys(node, {"pod", "namespace", "labels", "namespaceLabels", "port"});
      const std::string name_space = node["namespace"] ? scalar(node["namespace"], "namespace") : "*";
      const std::string pod = node["pod"] ? scalar(node["pod"], "pod") : "*";
      pattern.text = pod.find('/') == std::string::npos ? name_space + "/" + pod : pod;
      if (const auto port = number(node, "port", 65535)) pattern.text += fmt::format(":{}", *port);
      pattern.pods = labels(node, "labels");
      pattern.namespaces = labels(node, "namespaceLabels");
    } else {
      refuse(node, fmt::format("`{}` must be a place, or a map with pod, namespace, labels, namespaceLabels", key));
    }
    if (pattern.text.empty()) refuse(node, fmt::format("`{}` is empty", key));
    return pattern;
  }

  std::vector<EndPattern> ends(const Node& map, const char* key) {
    const Node value = map[key];
    if (!value) refuse(map, fmt::format("`{}` is missing", key));
    if (!value.IsSequence()) return {end(value, key)};
    std::vector<EndPattern> all;
    for (const Node& item : value) all.push_back(end(item, key));
    if (all.empty()) refuse(value, fmt::format("`{}` is an empty list", key));
    return all;
  }

  template <class Words>
  void check_word(const Node& node, const char* key, const std::string& word, const Words& known) {
    if (std::find(std::begin(known), std::end(known), word) == std::end(known))
      refuse(node, fmt::format("`{}: {}` is unknown; {}", key, word, suggestion(word, known)));
  }

  // What is named in the list of `key`, out of `known`.
  template <class Named, std::size_t count>
  std::vector<Named> named(const Node& map, const char* key, const Named (&known)[count]) {
    std::array<std::string_view, count> names;
    std::transform(std::begin(known), std::end(known), names.begin(), [](Named one) { return name_of(one); });
    std::vector<Named> all;
    for (const std::string& word : strings(map, key)) {
      check_word(map[key], key, word, names);
      all.push_back(known[std::find(names.begin(), names.end(), word) - names.begin()]);
    }
    return all;
  }

  // `reply: true` stands for an answer that arrives.
  std::vector<Verdict> reply(const Node& map) {
    const Node value = map["reply"];
    if (value && value.IsScalar() && value.Scalar() == "true") return {Verdict::delivered};
    if (value && value.IsScalar() && value.Scalar() == "false") return {};
    return named(map, "reply", kVerdicts);
  }

  void path(const Node& item, Expectation& e) {
    e.contains = strings(item, "contains");
    e.avoids = strings(item, "avoids");
    const Node nested = item["path"];
    if (!nested) return;
    if (!nested.IsMap()) refuse(nested, "`path` is a map with contains and avoids");
    check_keys(nested, {"contains", "avoids"});
    for (std::string& s : strings(nested, "contains")) e.contains.push_back(std::move(s));
    for (std::string& s : strings(nested, "avoids")) e.avoids.push_back(std::move(s));
  }

  void packet(const Node& item, Expectation& e) {
    if (item["proto"]) {
      e.proto = lower(scalar(item["proto"], "proto"));
      check_word(item["proto"], "proto", e.proto, kProtocols);
    }
    if (const auto n = number(item, "sport", 65535)) e.sport = static_cast<std::uint16_t>(*n);
    if (const auto n = number(item, "dport", 65535)) e.dport = static_cast<std::uint16_t>(*n);
    if (const auto n = number(item, "ttl", 255)) e.ttl = static_cast<std::uint8_t>(*n);
    if (const auto n = number(item, "dscp", 63)) e.dscp = static_cast<std::uint8_t>(*n);
    if (const auto n = number(item, "icmp-type", 255)) e.icmp_type = static_cast<std::uint8_t>(*n);
    if (const auto n = number(item, "icmp-code", 255)) e.icmp_code = static_cast<std::uint8_t>(*n);
    if (const auto n = number(item, "mark", 0xffffffff)) e.mark = static_cast<std::uint32_t>(*n);
    if (item["arrive-at"]) e.arrive_at = scalar(item["arrive-at"], "arrive-at");
    if (item["in-dev"]) e.in_dev = scalar(item["in-dev"], "in-dev");
    if (const auto n = number(item, "size", 65535)) e.size = static_cast<std::uint32_t>(*n);
    e.dont_fragment = flag(item, "df", false);
    e.established = flag(item, "established", false);
    e.use_conntrack = !flag(item, "no-conntrack", false);
  }

  Expectation expectation(const Node& item) {
    if (!item.IsMap()) refuse(item, "an expectation is a map with from, to and what is expected");
    check_keys(item, {"name",      "from",      "to",   "outcome",   "verdict", "snat",        "dnat",         "node", "device",
                      "contains",  "avoids",    "path", "reply",     "proto",   "sport",       "dport",        "ttl",  "dscp",
                      "icmp-type", "icmp-code", "mark", "arrive-at", "in-dev",  "established", "no-conntrack", "size", "df"});
    Expectation e;
    e.line = line_of(item);
    e.from = ends(item, "from");
    e.to = ends(item, "to");
    e.name = item["name"] ? scalar(item["name"], "name") : fmt::format("{} to {}", e.from.front().text, e.to.front().text);
    e.outcomes = named(item, "outcome", kOutcomes);
    e.verdicts = named(item, "verdict", kVerdicts);
    e.snat = strings(item, "snat");
    e.dnat = strings(item, "dnat");
    e.nodes = strings(item, "node");
    e.devices = strings(item, "device");
    e.reply = reply(item);
    path(item, e);
    packet(item, e);
    return e;
  }

  std::size_t scalars_ = 0;
};

}  // namespace

Result<std::vector<Expectation>> parse_expectations(std::string_view text, const std::string& path) {
  try {
    return ExpectationReader().read(YAML::Load(std::string(text)));
  } catch (const Refused& e) {
    return Error{fmt::format("{}:{}: {}", path, e.line(), e.what())};
  } catch (const YAML::Exception& e) {
    const int line = e.mark.line < 0 ? 1 : e.mark.line + 1;
    return Error{fmt::format("{}:{}: not readable as YAML: {}; see `egtrace check --help` for an example", path, line, e.msg)};
  }
}

}  // namespace egt::parsers
