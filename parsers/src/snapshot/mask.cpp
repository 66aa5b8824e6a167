#include "snapshot/mask.h"

#include <optional>
#include <string>
#include <utility>

#include "egtrace/base/parallel.h"
#include "egtrace/parsers/secrets.h"
#include "snapshot/packing.h"

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

}  // namespace

void mask_files(std::vector<FoundFile>& files, Masking how, unsigned jobs) {
  for_each_index(files.size(), jobs, 8, [&](std::size_t i) {
    FoundFile& file = files[i];
    if (file.left_out || file.compiled || looks_binary(file.content.text)) return;
    replace(file, mask_secrets(file.content.text));
    if (how == Masking::to_hand_on) replace(file, mask_environment(file.content.text));
  });
}

}  // namespace egt::parsers
