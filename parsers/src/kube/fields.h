// Fields of a Kubernetes object: what is absent or of another type reads as empty.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "egtrace/base/ip.h"
#include "egtrace/cluster/objects.h"
#include "egtrace/evidence/evidence.h"

namespace egt::parsers::kube {

using Json = nlohmann::json;

const Json& at(const Json& j, const char* key);
// A string; numbers and booleans as they are written.
std::string text(const Json& j);
std::string text(const Json& j, const char* key);
std::map<std::string, std::string> string_map(const Json& j);
// A string counts as a list of one.
std::vector<std::string> strings(const Json& j);
// Left out where it is none, or known.
void add_address(std::vector<IpAddr>& all, const std::string& text);
cluster::LabelSelector selector(const Json& j, bool absent_selects_all);

template <class T>
void add_once(std::vector<T>& all, const T& value) {
  if (std::find(all.begin(), all.end(), value) == all.end()) all.push_back(value);
}

// An unsigned number, however it is written; a port of 0 to 65535, else 0.
std::optional<std::uint64_t> number(const Json& j);
std::uint16_t port_number(const Json& j);
// Of a port, in capitals; TCP where it is absent, as the API defines.
std::string protocol_of(const Json& port);

}  // namespace egt::parsers::kube
