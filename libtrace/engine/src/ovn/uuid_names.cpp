#include "ovn/uuid_names.h"

namespace egt::engine {
namespace {

constexpr std::size_t kUuidLength = 36;
constexpr std::size_t kShownOfUuid = 6;

}  // namespace

std::string shortened(const std::string& name) {
  if (name.size() < kUuidLength || !ovn::Uuid::parse(std::string_view(name).substr(name.size() - kUuidLength))) return name;
  return name.substr(0, name.size() - (kUuidLength - kShownOfUuid));
}

unsigned partial_match(const ovn::Uuid& uuid, std::string_view text) {
  const std::string full = uuid.to_string();
  if (text.size() > full.size()) return 0;
  unsigned digits = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i] >= 'A' && text[i] <= 'F' ? static_cast<char>(text[i] | 0x20) : text[i];
    if (c != full[i]) return 0;
    digits += c != '-';
  }
  return digits;
}

}  // namespace egt::engine
