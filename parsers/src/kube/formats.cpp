// Kubernetes objects as `oc get -o yaml` and `-o json` print them and as must-gather stores them.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "egtrace/base/text.h"
#include "egtrace/parsers/format.h"
#include "kube/documents.h"
#include "kube/extract.h"
#include "kube/fields.h"
#include "kube/layout.h"
#include "kube/own_line.h"
#include "support/lines.h"
#include "support/members.h"

namespace egt::parsers {
namespace kube {
namespace {

constexpr std::size_t kSampleBytes = 64 * 1024;

bool has_yaml_key(std::string_view text, std::string_view key) {
  std::string_view rest = text;
  while (!rest.empty()) {
    std::string_view line = trim(next_line(rest));
    consume(line, "- ");
    if (line.starts_with(key)) return true;
  }
  return false;
}

Recognition recognise(const Dump& dump) {
  const std::string_view head = dump.text.substr(0, kSampleBytes);
  Recognition how{0, fmt::format("kubernetes {}:{}", dump.path, dump.first_line), 1};
  if (looks_like_json(dump.text)) {
    const bool version = head.find("\"apiVersion\"") != std::string_view::npos;
    const bool kind = head.find("\"kind\"") != std::string_view::npos;
    how.confidence = version && kind ? 95 : 0;
  } else {
    const bool version = has_yaml_key(head, "apiVersion:"), kind = has_yaml_key(head, "kind:");
    const bool metadata = has_yaml_key(head, "metadata:");
    how.confidence = version && kind ? 95 : kind && metadata ? 75 : 0;
  }
  return how;
}

void reprint(const Dump& dump, std::string& out, Report& report) {
  cluster::Objects used;
  read_objects(dump, report, [&](const nlohmann::json& object, Chunk where) {
    return extract(object, {dump.source, where.line}, used);
  });
  LayoutReader layout;
  LineReader lines(dump);
  for (Line line; lines.next(line);) (out += print(layout.read(line.text))) += line.end;
}

void to_json(const Dump& dump, std::string& out, Report& report) {
  nlohmann::json doc{{"apiVersion", "v1"}, {"kind", "List"}, {"items", nlohmann::json::array()}};
  cluster::Objects used;
  read_objects(dump, report, [&](const nlohmann::json& object, Chunk where) {
    doc["items"].push_back(object);
    return extract(object, {dump.source, where.line}, used);
  });
  out += doc.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
  out.push_back('\n');
}

template <class T>
void add_all(const cluster::ObjectList<T>& made, Provenance from, cluster::ObjectList<T>& to) {
  for (T object : made) {
    object.from = from;
    to.add(std::move(object));
  }
}
void add_all(const cluster::NetworkPolicies& made, Provenance from, cluster::NetworkPolicies& to) {
  for (cluster::NetworkPolicy policy : made) {
    policy.from = from;
    to.add(std::move(policy));
  }
}

void add_all(const std::vector<cluster::NetworkObject>& made, Provenance from, std::vector<cluster::NetworkObject>& to) {
  for (cluster::NetworkObject object : made) {
    object.from = from;
    const bool known = std::any_of(to.begin(), to.end(), [&](const cluster::NetworkObject& other) {
      return other.kind == object.kind && other.full_name() == object.full_name();
    });
    if (!known) to.push_back(std::move(object));
  }
}

template <std::size_t... I>
void add_lists(cluster::Objects& made, Provenance from, cluster::Objects& to, std::index_sequence<I...>) {
  const auto lists = members_of(made), into = members_of(to);
  (add_all(std::get<I>(lists), from, std::get<I>(into)), ...);
}

// What an object shows is read on several threads; where its line is, and whether there is one of its name, shows in their order.
void load(const Dump& dump, cluster::Cluster& cluster, cluster::Node&, Report& report) {
  OwnLines own(dump);
  const BeginObject begin = [&](const nlohmann::json& object) -> EndObject {
    const auto made = std::make_shared<cluster::Objects>();
    const bool used = extract(object, {dump.source, 0}, *made);
    return [&, made, used, name = text(at(object, "metadata"), "name")](Chunk where) {
      add_lists(*made, {dump.source, own.of(where, name)}, cluster.objects,
                std::make_index_sequence<kMembers<cluster::Objects>>());
      return used;
    };
  };
  read_objects(dump, report, begin, is_used_kind);
}

}  // namespace
}  // namespace kube

std::span<const Format> kube_formats() {
  static constexpr Format kFormats[] = {
      {"kubernetes", "oc get nodes,namespaces,pods,services,endpointslices,egressips,egressservices -A -o yaml", kube::recognise,
       kube::reprint, kube::to_json, kube::load}};
  return kFormats;
}

}  // namespace egt::parsers
