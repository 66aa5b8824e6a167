// The YAML that kubectl(1) and Kubernetes' API print, read without the generality of YAML.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace egt::parsers::kube {

// A plain scalar by the core schema of YAML 1.2, as far as Kubernetes uses it.
nlohmann::json plain_scalar(std::string_view text);

// A document of block mappings, block sequences and scalars of one line or of `|`, as sigs.k8s.io/yaml writes them: the same value
// as yaml-cpp has of it. None for everything else (flow collections with something in them, anchors, tags, folded and continued
// scalars, comments behind a value, tabs, rare escapes, keys that occur twice), whether it is YAML or not: yaml-cpp decides
// that.
std::optional<nlohmann::json> read_block_yaml(std::string_view text);

// By yaml-cpp alone, whatever the text is; what is wrong with it otherwise, on which line (from 0).
struct YamlFailure {
  std::uint32_t line = 0;
  std::string message;
};
std::optional<nlohmann::json> read_any_yaml(const std::string& text, YamlFailure& failure);

}  // namespace egt::parsers::kube
