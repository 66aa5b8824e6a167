// Kubernetes objects of a file, whatever it is: one object, several YAML documents, a List or PodList, YAML or JSON.
//
// Lists are read item by item, so that an item that is cut or broken costs that item alone.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "egtrace/parsers/format.h"

namespace egt::parsers::kube {

// Nesting beyond this is not followed; no Kubernetes object comes near.
constexpr unsigned kDepth = 64;
// Scalars and containers that one document may unfold to; YAML aliases can multiply without end.
constexpr std::size_t kNodes = 200'000;

struct Chunk {
  std::uint32_t line = 0;   // of the object's first line
  std::uint32_t lines = 0;  // how many it has
};
// Gives true when the object is of a kind that is used.
using TakeObject = std::function<bool(const nlohmann::json& object, Chunk where)>;

// Objects of a kind that is not wanted are skipped unread, as far as their text shows the kind: a must-gather has hundreds of
// thousands of events. Empty: all are wanted.
using WantKind = std::function<bool(std::string_view kind)>;

void read_objects(const Dump& dump, Report& report, const TakeObject& take, const WantKind& wants = {});
// The same where most of what is done with an object is done apart from the others: `begin` is called on several threads, and what
// it gives back then for one object after the other, in their order.
using EndObject = std::function<bool(Chunk where)>;
using BeginObject = std::function<EndObject(const nlohmann::json& object)>;
void read_objects(const Dump& dump, Report& report, const BeginObject& begin, const WantKind& wants);

bool looks_like_json(std::string_view text);
void read_yaml(const Dump& dump, Report& report, const BeginObject& begin, const WantKind& wants);
void read_json(const Dump& dump, Report& report, const TakeObject& take);

// "Pod" for "PodList"; empty for "List" and for what is no list.
std::string item_kind(std::string_view list_kind);

}  // namespace egt::parsers::kube
