#include "snapshot/mask.h"

#include <algorithm>
#include <iterator>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "egtrace/base/parallel.h"
#include "egtrace/parsers/out_of_memory.h"
#include "egtrace/parsers/secrets.h"
#include "egtrace/parsers/snapshot.h"
#include "kube/documents.h"
#include "snapshot/packing.h"
#include "snapshot/prompt.h"

namespace egt::parsers {
namespace {

void replace(FoundFile& file, std::optional<std::string> text) {
  if (!text) return;
  Content masked = owned_content(std::move(*text));
  masked.cut = file.content.cut;
  masked.cut_why = file.content.cut_why;
  file.content = std::move(masked);
  file.masked = true;
}

// JSON in one line: wherever an object of it is evidence, all are shown.
bool is_one_line(std::string_view text) {
  constexpr std::size_t kLong = 256;
  return kube::looks_like_json(text) && text.substr(0, kLong).find_first_of("\r\n") == std::string_view::npos;
}

// Databases and the output of tools that print one dump of one node. Objects are read at once. Rules of netfilter are compared
// between nodes, of which one may be read and the other not: as long as they are small they are masked at once, too.
bool may_wait(const FoundFile& file) {
  constexpr std::size_t kLarge = std::size_t{1} << 16;
  if (file.content.text.starts_with("OVSDB ")) return true;
  const std::string command = command_of_path(file.path);
  const auto begins_with = [&](std::string_view tool) { return command.starts_with(tool); };
  static constexpr std::string_view kTools[] = {"ovs-", "ovn-", "ip_", "ip ", "conntrack"},
                                    kToolsOfLarge[] = {"ip", "nft_", "nft "};
  const bool waits =
      std::any_of(std::begin(kTools), std::end(kTools), begins_with) ||
      (file.content.text.size() >= kLarge && std::any_of(std::begin(kToolsOfLarge), std::end(kToolsOfLarge), begins_with));
  return waits && begins_with_tool(command);
}

void mask(FoundFile& file, Masking how) {
  if (file.left_out || file.compiled || file.masked_before || looks_binary(file.content.text)) return;
  file.to_mask = how == Masking::secrets && may_wait(file);
  if (file.to_mask) return;
  replace(file, mask_secrets(file.content.text));
  if (how == Masking::to_hand_on || is_one_line(file.content.text)) replace(file, mask_environment(file.content.text));
}

}  // namespace

void mask_files(std::vector<FoundFile>& files, Masking how, unsigned jobs) {
  for_each_index(files.size(), jobs, 8, [&](std::size_t i) {
    FoundFile& file = files[i];
    try {
      mask(file, how);
    } catch (const std::bad_alloc&) {
      throw OutOfMemory(file.shown);
    }
  });
}

std::optional<Content> mask_dump(std::string_view text) {
  std::optional<std::string> masked = mask_secrets(text);
  if (is_one_line(masked ? std::string_view(*masked) : text))
    if (auto further = mask_environment(masked ? std::string_view(*masked) : text)) masked = std::move(further);
  if (!masked) return std::nullopt;
  return owned_content(std::move(*masked));
}

}  // namespace egt::parsers
