// Secrets in dumps: passwords of FRR, private keys, Secrets of Kubernetes, tokens, pre-shared keys. No question about a
// packet needs them, so they are masked before anything is read, printed or packed. Lines keep their numbers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace egt::parsers {

constexpr std::string_view kMasked = "(masked)";  // stands where a secret stood

// The text without its secrets; none where it has none.
std::optional<std::string> mask_secrets(std::string_view text);

// Values of environment variables, in objects of Kubernetes: no secrets by themselves, but where secrets often are. For
// what is handed on.
std::optional<std::string> mask_environment(std::string_view text);

}  // namespace egt::parsers
