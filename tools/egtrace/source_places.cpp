#include "source_places.h"

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>

namespace egt::cli {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> below(const fs::path& root, const fs::path& path) {
  std::error_code failed;
  const fs::path from = fs::weakly_canonical(root, failed), to = failed ? fs::path() : fs::weakly_canonical(path, failed);
  if (failed) return std::nullopt;
  const fs::path relative = to.lexically_relative(from);
  if (relative.empty() || *relative.begin() == "..") return std::nullopt;
  return relative;
}

std::optional<fs::path> below_root(const fs::path& path) {
  for (const char* variable : {"GITHUB_WORKSPACE", "CI_PROJECT_DIR"})
    if (const char* root = std::getenv(variable); root != nullptr && *root != '\0')
      if (auto found = below(root, path)) return found;
  std::error_code failed;
  return below(fs::current_path(failed), path);
}

// canonical() leaves no slash behind a folder's name but that of "a/", which has an empty last part.
std::string shown(const fs::path& path) { return (path.has_filename() ? path : path.parent_path()).generic_string(); }

}  // namespace

render::SourcePlaces source_places(const std::string& expectations, const SnapshotOptions* snapshot) {
  render::SourcePlaces places;
  if (!expectations.empty() && expectations != "-") places.expectations = shown(below_root(expectations).value_or(expectations));
  const fs::path path = snapshot == nullptr ? fs::path() : fs::path(snapshot_path(*snapshot));
  std::error_code failed;
  if (path.empty() || path == "-") return places;
  if (fs::is_directory(path, failed))
    if (const auto found = below_root(path)) places.snapshot = shown(*found);
  places.snapshot_name = shown(path.has_filename() ? path.filename() : path.parent_path().filename());
  return places;
}

}  // namespace egt::cli
