// Pasted files, prompts, settings, manifests and paths, from arbitrary bytes.
#include <cstdint>
#include <string>
#include <string_view>

#include "egtrace/parsers/snapshot.h"
#include "snapshot/layout.h"
#include "snapshot/manifest.h"
#include "snapshot/segment.h"
#include "snapshot/session_text.h"
#include "snapshot/settings.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace egt::parsers;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  split_pasted(text);
  (void)parse_settings(text.substr(0, 4096));
  (void)parse_dump_argument(text.substr(0, text.find('\0')).substr(0, 200));
  glob_matches(text.substr(0, size / 2).substr(0, 500), text.substr(size / 2).substr(0, 500));
  without_session_text(text);
  (void)parse_manifest(text);
  read_place(text.substr(0, 500));
  return 0;
}
