#include "system/formats.h"

#include <fmt/format.h>

#include <array>

#include "egtrace/base/text.h"

namespace egt::parsers {
namespace system {
namespace {

// Words of a shell line, or of a file name in which blanks became underscores.
std::vector<std::string_view> words_of_command(std::string_view command) {
  if (command.find(' ') != std::string_view::npos) return words(command);
  std::vector<std::string_view> all = split(command, '_');
  std::erase(all, std::string_view());
  return all;
}

}  // namespace

std::vector<std::string_view> words_behind(const Dump& dump, std::string_view verb) {
  const std::vector<std::string_view> all = words_of_command(dump.command);
  std::vector<std::string_view> behind;
  std::size_t i = 0;
  while (i < all.size() && !all[i].ends_with(verb)) ++i;
  for (++i; i < all.size(); ++i) {
    const std::string_view word = all[i];
    if (word == ">" || word == ">>" || word == "2>" || word == "2>&1" || word == ";" || word == "&&" || word == "||") break;
    behind.push_back(word);
    if (word == "|") break;
  }
  return behind;
}

bool is_other_namespace(const Dump& dump) { return command_has(dump, "ip netns exec"); }

bool is_blank_dump(const Dump& dump) { return dump.text.size() < 4096 && trim(dump.text).empty(); }

std::string topic_of(const Dump& dump, std::string_view topic, bool own) {
  return own ? fmt::format("{} {}:{}", topic, dump.path, dump.first_line) : std::string(topic);
}

void append_json(const nlohmann::ordered_json& document, std::string& out) {
  out += document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  out += '\n';
}

}  // namespace system

std::span<const Format> system_formats() {
  static const std::array<Format, 20> formats = {system::sysctl_format(),       system::hostname_format(),
                                                 system::conntrack_format(),    system::dpctl_conntrack_format(),
                                                 system::ipset_save_format(),   system::ipset_list_format(),
                                                 system::sockets_format(),      system::hosts_format(),
                                                 system::nstat_format(),        system::netstat_counters_format(),
                                                 system::proc_net_format(),     system::ethtool_format(),
                                                 system::metrics_format(),      system::ipsec_policy_format(),
                                                 system::ipsec_state_format(),  system::ipsec_status_format(),
                                                 system::qdisc_format(),        system::filter_format(),
                                                 system::bpf_programs_format(), system::ipsec_certificates_format()};
  return formats;
}

}  // namespace egt::parsers
