#include "snapshot/node_dumps_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <new>

#include "egtrace/base/text.h"
#include "egtrace/parsers/out_of_memory.h"
#include "egtrace/parsers/ovn_reader.h"
#include "snapshot/choose.h"
#include "snapshot/compared_dumps.h"
#include "snapshot/compiled.h"
#include "snapshot/excerpt.h"
#include "snapshot/mask.h"
#include "snapshot/past.h"
#include "snapshot/port_texts.h"
#include "snapshot/read_ahead.h"
#include "snapshot/roles.h"

namespace egt::parsers {
namespace {

constexpr std::size_t kMaxDiagnostics = 100;   // of one dump; more of the same do not help
constexpr std::size_t kMaxNamedLines = 10000;  // lines not understood that are listed for one dump

// Which bridge a dump is of shows, without a command, only when it is to be loaded.
void leave_to(const Sorted& sorted, SourceId better, Candidate& c) {
  const auto& all = sorted.candidates;
  const auto read = std::find_if(all.begin(), all.end(), [&](const Candidate& r) { return r.dump.source == better; });
  if (read == all.end()) return;
  c.superseded_by = read->dump.path;
  c.how.topic = read->how.topic;
}

bool lists_links(const Candidate& c) {
  return c.format != nullptr && (c.format->kind == "ip addr" || c.format->kind == "ip link");
}

// Whether a setting that makes a node answer for others is on, or an entry of such is listed.
bool enables_proxy(const Candidate& c) {
  if (c.format == nullptr) return false;
  const std::string_view text = c.dump.text;
  if (c.format->kind == "ip neigh") return text.find("proxy") != std::string_view::npos;
  if (c.format->kind != "sysctl") return false;
  for (std::size_t at = text.find("proxy_"); at != std::string_view::npos; at = text.find("proxy_", at + 1)) {
    std::string_view line = text.substr(at, text.find('\n', at) - at);
    line.remove_prefix(std::min(line.size(), line.find_first_of("= ")));
    if (line.find_first_of("123456789") != std::string_view::npos) return true;
  }
  return false;
}

bool is_switch_device(const host::Link& link) {
  return link.name == "ovs-system" || link.name == "ovs-netdev" || link.kind == "openvswitch" || link.master == "ovs-system";
}

}  // namespace

void prepare_text(const Sorted& sorted, Candidate& c) {
  if (c.dump.compiled) c.dump.compiled->check_ends(c.dump.text);
  if (const auto file = std::exchange(c.unchecked, nullptr)) file->check(c.dump.text.data(), c.dump.text.size());
  if (!std::exchange(c.to_mask, false)) return;
  std::optional<Content> masked = mask_dump(c.dump.text);
  if (!masked) return;
  c.dump.text = masked->text;
  c.keep = masked->keep;
  (*sorted.cluster)->sources->replace(c.dump.source, masked->text, std::move(masked->keep));
}

void load_dump(const Sorted& sorted, Candidate& c, cluster::Cluster& cluster, cluster::Node& node,
               std::vector<Diagnostic>& diagnostics, Moments& moments) {
  if (sorted.progress != nullptr) ++sorted.progress->dumps;
  const auto remark = [&](const std::string& message) {
    diagnostics.push_back({Diagnostic::Severity::warning, {c.dump.source, 0}, 0, message, ""});
  };
  Report report;
  try {
    c.format->load(c.dump, cluster, node, report);
  } catch (const std::bad_alloc&) {
    throw OutOfMemory(c.dump.path);
  } catch (const std::exception& error) {
    // A format's own bug must not cost the other dumps.
    remark(fmt::format("could not be read to its end: {}", error.what()));
  }
  if (report.shown_by != kNoSource) return leave_to(sorted, report.shown_by, c);
  if (report.moment) moments.emplace_back(&c, std::move(*report.moment));
  cluster::DumpInfo& info = sorted.info_of(c);
  info.lines = report.lines;
  info.understood = report.understood;
  info.ignored = report.ignored;
  if (report.not_understood.size() > kMaxNamedLines) report.not_understood.resize(kMaxNamedLines);
  info.not_understood = std::move(report.not_understood);
  if (report.diagnostics.size() > kMaxDiagnostics) report.diagnostics.resize(kMaxDiagnostics);
  std::move(report.diagnostics.begin(), report.diagnostics.end(), std::back_inserter(diagnostics));
  const bool showing = !c.why_partial.empty() && c.why_partial != kAnExcerpt;
  if (showing) remark("taken for a part of the whole: " + c.why_partial);
}

NodeDumpsReader::NodeDumpsReader(std::shared_ptr<Sorted> sorted, NodeDumps own_dumps, std::optional<KnownNode> known)
    : sorted_(std::move(sorted)), own_dumps_(std::move(own_dumps)), all_dumps_(own_dumps_.dumps), known_(std::move(known)) {
  for (const auto& [name, dumps] : own_dumps_.namespaces) all_dumps_.insert(all_dumps_.end(), dumps.begin(), dumps.end());
  for (const Candidate* c : all_dumps_) texts_.push_back(c->dump.text);
}

cluster::Outline NodeDumpsReader::outline() {
  const std::lock_guard<std::mutex> lock(guard_);
  if (known_) return known_->outline;
  std::vector<Candidate*> some;
  std::copy_if(own_dumps_.dumps.begin(), own_dumps_.dumps.end(), std::back_inserter(some),
               [](const Candidate* c) { return lists_links(*c); });
  for (Candidate* c : some) prepare_text(*sorted_, *c);
  cluster::Cluster scratch;
  cluster::Node node;
  Report report;
  for (const Candidate* c : choose_dumps(some)) try {
      c->format->load(c->dump, scratch, node, report);
    } catch (const std::exception&) {
      // Said where it is loaded in earnest.
    }
  const auto any = [&](auto is) { return std::any_of(own_dumps_.dumps.begin(), own_dumps_.dumps.end(), is); };
  const auto& links = node.host.links.value;
  const bool has_switch =
      any([](const Candidate* c) { return c->format != nullptr && c->format->kind.starts_with("ovs-ofctl"); });
  const bool as_device = !node.host.link_list_complete || std::any_of(links.begin(), links.end(), is_switch_device);
  cluster::Outline outline;
  outline.may_be_router = !has_switch || !as_device;
  outline.may_answer_for_others = any([](const Candidate* c) { return enables_proxy(*c); });
  outline.links = std::move(node.host.links);
  return outline;
}

bool NodeDumpsReader::lacks_flows() const {
  if (known_) return known_->lacks_flows;
  const auto& dumps = own_dumps_.dumps;
  const auto any = [&](auto is) {
    return std::any_of(dumps.begin(), dumps.end(), [&](const Candidate* c) { return c->format != nullptr && is(*c); });
  };
  const auto is_of_pipeline = [](const Candidate& c) {  // a flow of OVN matches the logical datapath
    return c.format->kind == "ovs-ofctl dump-flows" && c.dump.text.find("metadata=0x") != std::string_view::npos;
  };
  if (any(is_of_pipeline)) return false;
  return any(
      [](const Candidate& c) { return c.how.topic == "database OVN_Southbound" || c.format->kind == "ovn-sbctl lflow-list"; });
}

bool NodeDumpsReader::may_have_port(std::string_view shown) {
  const std::lock_guard<std::mutex> lock(guard_);
  const bool any_address = IpAddr::parse(shown).has_value() && has_pods_without_address();
  if (any_address || (known_ && !known_->words.may_have(shown))) return any_address;
  return std::any_of(own_dumps_.dumps.begin(), own_dumps_.dumps.end(), [&](Candidate* c) {
    if (!lists_ports(*c)) return false;
    if (known_) prepare_text(*sorted_, *c);
    return names_port(c->dump.text, shown);
  });
}

bool NodeDumpsReader::has_pods_without_address() const {
  if (known_) return known_->has_pods_without_address;
  return std::any_of(own_dumps_.dumps.begin(), own_dumps_.dumps.end(),
                     [](const Candidate* c) { return lists_ports(*c) && lists_pods_without_address(c->dump.text); });
}

std::string NodeDumpsReader::name_of_nameless(const cluster::Node& node) const {
  const cluster::Cluster& cluster = **sorted_->cluster;
  std::string name = name_by_content(node);
  if (!name.empty() && cluster.handle(name) == nullptr) return name;
  name = "node";
  for (int i = 2; cluster.handle(name) != nullptr; ++i) name = fmt::format("node-{}", i);
  return name;
}

void NodeDumpsReader::assign_dumps(cluster::Node& node) const {
  for (const Candidate* c : all_dumps_) {
    sorted_->info_of(*c).node = node.name;
    node.dumps.push_back(sorted_->index_of(*c));
  }
  std::sort(node.dumps.begin(), node.dumps.end());
  node.dumps.erase(std::unique(node.dumps.begin(), node.dumps.end()), node.dumps.end());
}

// Of a node's dumps none shows anything of the cluster.
void NodeDumpsReader::load(Candidate& c, cluster::Node& node) {
  cluster::Cluster scratch;
  scratch.sources = (*sorted_->cluster)->sources;
  load_dump(*sorted_, c, scratch, node, diagnostics, moments);
  c.dump.ahead.reset();
}

void NodeDumpsReader::read_namespace(const std::string& name, const std::vector<Candidate*>& dumps, cluster::Node& node) {
  cluster::Node within;
  for (Candidate* c : choose_dumps(dumps)) {
    load(*c, within);
    chosen_.push_back(c);
  }
  node.namespaces.push_back({name, std::move(within.host)});
}

void NodeDumpsReader::read(cluster::Node& node) {
  const std::lock_guard<std::mutex> lock(guard_);
  if (std::exchange(is_read_, true)) return;
  if (known_ && known_->section != 0 && !sorted_->as_dumped) return read_kept(node);
  for (Candidate* c : all_dumps_) prepare_text(*sorted_, *c);
  const auto remark = [&](Provenance at, const std::string& message) {
    diagnostics.push_back({Diagnostic::Severity::warning, at, 0, message, ""});
  };
  const bool routing_daemon = std::any_of(own_dumps_.dumps.begin(), own_dumps_.dumps.end(), [](const Candidate* c) {
    return c->note.empty() && is_routing_daemon_text(c->dump.text);
  });
  if (sorted_->as_of) leave_out_present(own_dumps_.dumps);
  leave_out_strays(own_dumps_.dumps);
  chosen_ = choose_dumps(own_dumps_.dumps);
  {
    const ReadAhead ahead(chosen_);
    for (Candidate* c : chosen_) load(*c, node);
  }
  for (const auto& [name, dumps] : own_dumps_.namespaces) read_namespace(name, dumps, node);
  if (!node.ovn.logical_flows.empty()) node.ovn.language = ovn_lang::language();
  node.place_interfaces();
  node.host.settle_routes();
  const host::ConfirmedTables confirmed =
      sorted_->as_dumped ? host::ConfirmedTables() : compare_route_dumps(own_dumps_.dumps, node);
  if (!sorted_->as_dumped) {
    compare_neighbour_dumps(own_dumps_.dumps, node);
    compare_rule_dumps(own_dumps_.dumps, node);
  }
  node.host.notice_missing_routes(confirmed);
  for (const host::Address& a : node.host.addresses_without_route)
    remark(a.from,
           fmt::format("no route that the kernel makes of {} is in the dump of routes, which is taken for a part of the whole",
                       a.prefix.to_string()));
  const bool nameless = node.name.empty();
  std::string by_content = nameless ? name_of_nameless(node) : std::string();  // before its switch is left out
  cluster::leave_out_foreign_switch(node);
  if (nameless) {
    node.name = std::move(by_content);
    assign_dumps(node);
  }
  const auto* setting = sorted_->settings.node_named(node.name);
  node.roles = setting != nullptr && !setting->roles.empty() ? setting->roles : roles_by_content(node, routing_daemon);
  for (const Candidate* c : all_dumps_) {
    cluster::DumpInfo& info = sorted_->info_of(*c);
    info.partial = c->dump.partial;
    info.superseded_by = c->superseded_by;
    if (info.lines == 0) info.lines = count_lines(c->dump.text);  // no parser went through it
  }
}

// What choosing among its dumps marked them with stays: it comes to the same again.
bool NodeDumpsReader::forget() {
  const std::lock_guard<std::mutex> lock(guard_);
  if (!sorted_->when_needed) return false;
  is_read_ = false;
  chosen_.clear();
  diagnostics.clear();
  moments.clear();
  unchecked_.clear();
  kept_texts_.reset();
  return true;
}

void NodeDumpsReader::compare_with_others(cluster::Node& node) {
  if (sorted_->as_dumped) return;
  const cluster::Cluster& cluster = **sorted_->cluster;
  cluster::find_inconsistencies(cluster, sorted_->sizes.get_or([&] { return cluster::DumpsBySize(cluster); }), node);
}

}  // namespace egt::parsers
