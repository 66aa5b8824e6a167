#include "snapshot/manifest.h"

#include <nlohmann/json.hpp>

#include "egtrace/base/text.h"
#include "snapshot/layout.h"

namespace egt::parsers {
namespace {

constexpr std::string_view kManifestName = "sos_reports/manifest.json";
constexpr std::string_view kCollectLogName = "egtrace-collect.tsv";

using Json = nlohmann::json;

std::string text_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::int64_t seconds_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return 0;
  const double seconds = found->get<double>();
  return seconds > 0 && seconds < 1e11 ? static_cast<std::int64_t>(seconds) : 0;
}

std::string without_folder(std::string command) {
  const std::size_t blank = command.find(' ');
  const std::size_t slash = command.rfind('/', blank);
  return slash == std::string::npos ? command : command.substr(slash + 1);
}

void read_command(const Json& item, Manifest& out) {
  if (!item.is_object()) return;
  std::string path = text_at(item, "filepath");
  if (path.empty()) return;
  RanCommand ran;
  ran.command = without_folder(text_at(item, "exec").empty() ? text_at(item, "command") : text_at(item, "exec"));
  if (const auto cut = item.find("truncated"); cut != item.end() && cut->is_boolean()) ran.truncated = cut->get<bool>();
  if (const auto status = item.find("return_code"); status != item.end() && status->is_number_integer()) {
    ran.status = status->get<int>();
  }
  ran.timed_out = ran.status == 124;
  ran.time = seconds_at(item, "end_time") != 0 ? seconds_at(item, "end_time") : seconds_at(item, "start_time");
  out.by_file[std::move(path)] = std::move(ran);
}

}  // namespace

Result<Manifest> parse_manifest(std::string_view text) {
  const Json root = Json::parse(text, nullptr, false);
  if (root.is_discarded()) return Error{"is no whole JSON text"};
  Manifest out;
  const Json::json_pointer plugins("/components/report/plugins");
  if (!root.is_object() || !root.contains(plugins)) return out;
  const Json& all = root.at(plugins);
  if (!all.is_object()) return out;
  for (const auto& [name, plugin] : all.items()) {
    if (!plugin.is_object()) continue;
    const auto commands = plugin.find("commands");
    if (commands == plugin.end() || !commands->is_array()) continue;
    for (const Json& item : *commands) read_command(item, out);
  }
  return out;
}

Manifest parse_collect_log(std::string_view text) {
  Manifest out;
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    const std::vector<std::string_view> fields = split(line, '\t');
    if (line.starts_with('#') || fields.size() < 6 || fields[4].empty()) continue;
    RanCommand ran;
    ran.command = std::string(fields[5]);
    ran.truncated = fields[3] == "1";
    ran.status = static_cast<int>(parse_decimal(fields[1]).value_or(1) & 0xff);
    ran.timed_out = ran.status == 124;
    ran.time = static_cast<std::int64_t>(parse_decimal(fields[0]).value_or(0) & 0xffffffffff);
    ran.keeps_head = ran.errors_apart = true;
    out.by_file[std::string(fields[4])] = std::move(ran);
  }
  return out;
}

Manifests::Manifests(const std::vector<FoundFile>& files) {
  const auto folder = [](const FoundFile& file, std::string_view name) {
    return file.path.substr(0, file.path.size() - name.size());
  };
  for (const FoundFile& file : files) {
    if (file.path.ends_with(kCollectLogName)) by_folder_[folder(file, kCollectLogName)] = parse_collect_log(file.content.text);
    if (!file.path.ends_with(kManifestName)) continue;
    Result<Manifest> manifest = parse_manifest(file.content.text);
    if (manifest) by_folder_[folder(file, kManifestName)] = std::move(*manifest);
  }
}

const RanCommand* Manifests::run_of(const std::string& path) const {
  const Root root = sos_root(path);
  const std::string in_node = path_in_node(path);
  const std::string folder = root.found ? root.folder : in_node.substr(0, in_node.rfind('/') + 1);
  const auto manifest = by_folder_.find(folder);
  if (manifest == by_folder_.end()) return nullptr;
  const auto ran = manifest->second.by_file.find(path.substr(folder.size()));
  return ran == manifest->second.by_file.end() ? nullptr : &ran->second;
}

}  // namespace egt::parsers
