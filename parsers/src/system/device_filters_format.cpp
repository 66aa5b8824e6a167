// tc qdisc show, tc filter show (tc(8)) and bpftool net (bpftool-net(8)): filters and programs on devices. Printed back as they stand.
#include <algorithm>
#include <vector>

#include "egtrace/base/text.h"
#include "system/formats.h"

namespace egt::parsers::system {
namespace {

using Json = nlohmann::ordered_json;
using host::DeviceFilter;
using Hook = DeviceFilter::Hook;
using Words = std::vector<std::string_view>;

std::string_view behind(const Words& words, std::string_view key) {
  const auto at = std::find(words.begin(), words.end(), key);
  return at == words.end() || at + 1 == words.end() ? std::string_view() : *(at + 1);
}

bool has(const Words& words, std::string_view word) { return std::find(words.begin(), words.end(), word) != words.end(); }

// The content of one line.
struct Parsed {
  enum class Kind : std::uint8_t { blank, entry, detail, unknown } kind = Kind::unknown;
  std::optional<DeviceFilter> filter = {};
};

// "qdisc clsact ffff: dev eth0 parent ffff:fff1"; what is indented are statistics.
class Qdiscs {
 public:
  explicit Qdiscs(const Dump& dump) : device_(behind(words_behind(dump, "tc"), "dev")) {}
  static constexpr const char* kVerb = "tc qdisc show";

  Parsed operator()(std::string_view line) const {
    const Words all = words(line);
    if (all.empty()) return {Parsed::Kind::blank};
    if (line.starts_with(' ') || line.starts_with('\t')) return {Parsed::Kind::detail};
    if (all.size() < 3 || all[0] != "qdisc") return {};
    if (all[1] != "clsact" && all[1] != "ingress") return {Parsed::Kind::entry};
    const std::string_view device = has(all, "dev") ? behind(all, "dev") : std::string_view(device_);
    if (device.empty()) return {};
    return {Parsed::Kind::entry,
            DeviceFilter{std::string(device), all[1] == "ingress" ? Hook::ingress : Hook::both, std::string(all[1]), {}}};
  }
  std::vector<DeviceFilter> of_blank() const { return {}; }

 private:
  std::string device_;
};

// "filter protocol ip pref 1 flower chain 0 handle 0x1", of the device that the command names; "filter dev eth0 ingress …".
class Filters {
 public:
  explicit Filters(const Dump& dump) {
    const Words command = words_behind(dump, "tc");
    device_ = std::string(behind(command, "dev"));
    hook_ = hook_in(command).value_or(Hook::both);
  }
  static constexpr const char* kVerb = "tc filter show";

  Parsed operator()(std::string_view line) const {
    const Words all = words(line);
    if (all.empty()) return {Parsed::Kind::blank};
    if (line.starts_with(' ') || line.starts_with('\t')) return {Parsed::Kind::detail};
    if (all[0] != "filter") return {};
    const std::string_view device = has(all, "dev") ? behind(all, "dev") : std::string_view(device_);
    const auto pref = std::find(all.begin(), all.end(), "pref");
    if (device.empty() || all.end() - pref < 3) return {};
    return {Parsed::Kind::entry, DeviceFilter{std::string(device), hook_in(all).value_or(hook_), std::string(*(pref + 2)), {}}};
  }
  // An empty listing shows that there are none.
  std::vector<DeviceFilter> of_blank() const {
    return device_.empty() ? std::vector<DeviceFilter>{} : std::vector<DeviceFilter>{{device_, hook_, {}, {}}};
  }

 private:
  static std::optional<Hook> hook_in(const Words& all) {
    if (has(all, "ingress")) return Hook::ingress;
    if (has(all, "egress")) return Hook::egress;
    return std::nullopt;
  }

  std::string device_;
  Hook hook_ = Hook::both;
};

// "eth0(2) clsact/ingress prog.o:[cls] id 42", "eth0(2) driver id 12" below "xdp:"
class Programs {
 public:
  explicit Programs(const Dump&) {}
  static constexpr const char* kVerb = "bpftool net";

  Parsed operator()(std::string_view line) {
    const Words all = words(line);
    if (all.empty()) return {Parsed::Kind::blank};
    if (all.size() == 1 && all[0].ends_with(':')) {
      section_ = all[0];
      return {Parsed::Kind::detail};
    }
    if (section_.empty()) return {};
    if (section_ != "xdp:" && section_ != "tc:") return {Parsed::Kind::detail};  // flow dissectors look, netfilter's are rules
    const std::size_t index = all[0].find('(');
    if (index == std::string_view::npos || index == 0 || all.size() < 3) return {};
    const Hook hook = section_ == "xdp:" || all[1].ends_with("ingress") ? Hook::ingress
                      : all[1].ends_with("egress")                      ? Hook::egress
                                                                        : Hook::both;
    return {Parsed::Kind::entry,
            DeviceFilter{std::string(all[0].substr(0, index)), hook, section_ == "xdp:" ? "xdp" : "bpf", {}}};
  }
  std::vector<DeviceFilter> of_blank() const { return {}; }

 private:
  std::string_view section_;
};

template <class Parser>
std::vector<DeviceFilter> read(const Dump& dump, Report& report) {
  Parser parse(dump);
  std::vector<DeviceFilter> all;
  if (is_blank_dump(dump)) all = parse.of_blank();
  for (DeviceFilter& one : all) one.from = {dump.source, dump.first_line};
  LineReport counts(dump, report);
  LineReader lines(dump);
  for (Line line; lines.next(line);) {
    Parsed parsed = parse(line.text);
    switch (parsed.kind) {
      case Parsed::Kind::blank: counts.ignored(); break;
      case Parsed::Kind::unknown: counts.not_understood(line, 1, "no filter of a device that is named"); break;
      case Parsed::Kind::entry:
      case Parsed::Kind::detail: counts.understood(); break;
    }
    if (!parsed.filter) continue;
    parsed.filter->from = {dump.source, line.number};
    all.push_back(std::move(*parsed.filter));
  }
  return all;
}

// Several dumps mention several devices: none supersedes another.
template <class Parser>
Recognition recognise(const Dump& dump) {
  const bool named = command_has(dump, Parser::kVerb) || command_has(dump, std::string("tc -s ") + (Parser::kVerb + 3));
  const bool by_content = dump.text.starts_with("qdisc ") || dump.text.starts_with("filter protocol ") ||
                          dump.text.starts_with("filter parent ") || dump.text.starts_with("xdp:\n");
  if (!named && !by_content) return {};
  const std::string topic = topic_of(dump, Parser::kVerb, true);
  if (named && is_blank_dump(dump)) return {80, topic, 10};
  Report report;
  read<Parser>(dump, report);
  if (report.understood == 0 || report.not_understood.size() > report.understood) return {};
  return {named ? 90 : 75, topic, dump.partial ? 1 : 10};
}

template <class Parser>
void reprint(const Dump& dump, std::string& out, Report& report) {
  read<Parser>(dump, report);
  out += dump.text;
}

template <class Parser>
void to_json(const Dump& dump, std::string& out, Report& report) {
  static constexpr const char* kHooks[] = {"ingress", "egress", "both"};
  Json all = Json::array();
  for (const DeviceFilter& f : read<Parser>(dump, report))
    all.push_back(
        Json{{"line", f.from.line}, {"device", f.device}, {"hook", kHooks[static_cast<std::size_t>(f.hook)]}, {"kind", f.kind}});
  append_json(Json{{"filters", std::move(all)}}, out);
}

template <class Parser>
void load(const Dump& dump, cluster::Cluster&, cluster::Node& node, Report& report) {
  if (is_other_namespace(dump)) return;
  for (DeviceFilter& one : read<Parser>(dump, report)) node.host.device_filters.push_back(std::move(one));
}

template <class Parser>
Format format_of(const char* command) {
  return {Parser::kVerb, command, recognise<Parser>, reprint<Parser>, to_json<Parser>, load<Parser>};
}

}  // namespace

const Format& qdisc_format() {
  static const Format format = format_of<Qdiscs>("tc qdisc show");
  return format;
}

const Format& filter_format() {
  static const Format format = format_of<Filters>("tc filter show dev DEVICE ingress");
  return format;
}

const Format& bpf_programs_format() {
  static const Format format = format_of<Programs>("bpftool net");
  return format;
}

}  // namespace egt::parsers::system
