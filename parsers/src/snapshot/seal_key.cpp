#include "snapshot/seal_key.h"

#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "egtrace/base/sha256.h"
#include "egtrace/parsers/content.h"
#include "egtrace/parsers/output_file.h"

namespace egt::parsers {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kDigits = 64;

std::string key_path() {
  const char *state = std::getenv("XDG_STATE_HOME"), *home = std::getenv("HOME");
  if (state != nullptr && *state == '/') return std::string(state) + "/egtrace/key";
  return home != nullptr && *home == '/' ? std::string(home) + "/.local/state/egtrace/key" : std::string();
}

// A key that other users may read or that was cut is none.
std::string read_key(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0 || (info.st_mode & 077) != 0) return {};
  const auto content = read_packed(path);
  return content && content->text.size() == kDigits ? std::string(content->text) : std::string();
}

std::string new_key() {
  unsigned char random[kDigits / 2];
  if (::getrandom(random, sizeof random, 0) != sizeof random) return {};
  std::string key;
  for (const unsigned char byte : random) key += fmt::format("{:02x}", byte);
  return key;
}

void write_key(const std::string& path, const std::string& key) {
  std::error_code failed;
  fs::create_directories(fs::path(path).parent_path(), failed);
  auto file = OutputFile::create(path, Readers::owner_alone);
  if (!file) return;
  file->write(key);
  static_cast<void>(file->finish());  // whether it is there is seen when it is read again
}

}  // namespace

std::string seal_key(Missing missing) {
  const std::string path = key_path();
  if (path.empty()) return {};
  std::string key = read_key(path);
  if (!key.empty() || missing == Missing::leave) return key;
  if (const std::string made = new_key(); !made.empty()) write_key(path, made);
  return read_key(path);
}

std::string seal_of(std::string_view key, std::string_view message) {
  constexpr std::size_t kBlock = 64;
  std::string inner(kBlock, '\x36'), outer(kBlock, '\x5c');
  for (std::size_t i = 0; i < key.size() && i < kBlock; ++i) {
    inner[i] = static_cast<char>(inner[i] ^ key[i]);
    outer[i] = static_cast<char>(outer[i] ^ key[i]);
  }
  return sha256(outer + sha256(inner.append(message)));
}

}  // namespace egt::parsers
