#include "snapshot/mask.h"

#include <new>
#include <optional>
#include <string>
#include <utility>

#include "egtrace/base/parallel.h"
#include "egtrace/parsers/out_of_memory.h"
#include "egtrace/parsers/secrets.h"
#include "kube/documents.h"
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

// JSON in one line: wherever an object of it is evidence, all are shown.
bool is_one_line(std::string_view text) {
  constexpr std::size_t kLong = 256;
  return kube::looks_like_json(text) && text.substr(0, kLong).find_first_of("\r\n") == std::string_view::npos;
}

void mask(FoundFile& file, Masking how) {
  if (file.left_out || file.compiled || looks_binary(file.content.text)) return;
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

}  // namespace egt::parsers
