// The places of secrets in a text. Each finder adds what it knows; one function replaces them all.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace egt::parsers::secrets {

struct Passage {
  std::size_t begin = 0, end = 0;  // bytes of the text, without the newline of their line
};
using Passages = std::vector<Passage>;

// Quick where texts have hundreds of megabytes and hardly one has the word.
bool has(std::string_view text, std::string_view word);

// One line: FRR's passwords, keys of sysctl, options of Open vSwitch, tokens of kubeconfigs, hashes of passwords. `at`: where it begins in the text.
void find_in_line(std::string_view line, std::size_t at, Passages& found);
// "psk" of Open vSwitch's options in JSON: ["psk","…"], {"psk": "…"}.
void find_shared_keys(std::string_view text, Passages& found);
// Blocks "-----BEGIN … PRIVATE KEY-----", over lines or in one string.
void find_private_keys(std::string_view text, Passages& found);

enum class Of {
  secrets,
  environment
};  // data of Secrets, users of kubeconfigs; values of environment variables and HTTP headers
void find_in_yaml(std::string_view text, Of what, Passages& found);
void find_in_json(std::string_view text, Of what, Passages& found);

// The records of a database file; those that change get the length and hash of what they are now.
std::optional<std::string> masked_database(std::string_view text);

// Masks; what spans several lines leaves blank lines behind, so that those below keep their numbers.
std::string masked(std::string_view text, Passages found);

}  // namespace egt::parsers::secrets
