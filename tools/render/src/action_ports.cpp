#include "action_ports.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace egt::render {
namespace {

constexpr std::string_view kSamplingPort = "sampling_port=";

// "in_port=1"
bool is_port(const openflow::LearnSpec& s) {
  return s.kind == openflow::LearnSpec::Kind::match && s.dest == whole(FieldId::in_port) &&
         std::holds_alternative<U128>(s.source);
}

bool writes_port(const openflow::SetField& a) { return a.field == FieldId::in_port || a.field == FieldId::in_port_oxm; }

struct SaysPorts {
  bool operator()(const openflow::SetField& a) const { return writes_port(a); }
  bool operator()(const openflow::Output&) const { return true; }
  bool operator()(const openflow::OutputTruncated&) const { return true; }
  bool operator()(const openflow::Enqueue&) const { return true; }
  bool operator()(const openflow::Bundle&) const { return true; }
  bool operator()(const openflow::Resubmit& a) const { return a.in_port.has_value(); }
  bool operator()(const openflow::Sample& a) const { return a.arguments.find(kSamplingPort) != std::string::npos; }
  bool operator()(const openflow::Learn& a) const { return std::any_of(a.specs.begin(), a.specs.end(), is_port); }
  bool operator()(const openflow::Clone& a) const { return any(a.actions); }
  bool operator()(const openflow::WriteActions& a) const { return any(a.actions); }
  bool operator()(const openflow::Ct& a) const { return a.exec && any(*a.exec); }
  template <class Other>
  bool operator()(const Other&) const {
    return false;
  }
  static bool any(const openflow::ActionList& list) { return std::any_of(list.begin(), list.end(), says_ports); }
};

// "…,sampling_port=2,egress"
std::string with_sampling_port(const std::string& arguments, const PortStyle& style) {
  const std::size_t begin = arguments.find(kSamplingPort) + kSamplingPort.size();
  const std::size_t end = std::min(arguments.find(',', begin), arguments.size());
  std::string word = arguments.substr(begin, end - begin);
  openflow::Port port;
  const auto read = std::from_chars(word.data(), word.data() + word.size(), port.number);
  if (read.ec != std::errc() || read.ptr != word.data() + word.size()) {
    if (word.starts_with('"') && word.size() > 1) word = word.substr(1, word.size() - 2);
    port.name = word;
  }
  return arguments.substr(0, begin) + style.text(style(port)) + arguments.substr(end);
}

openflow::ActionList list_with_ports(const openflow::ActionList& list, const PortStyle& style) {
  openflow::ActionList out;
  for (const openflow::Action& a : list) out.push_back(with_ports(a, style));
  return out;
}

struct WithPorts {
  const PortStyle& style;

  openflow::Action operator()(openflow::Output a) const { return a.port = style(a.port), openflow::Action{a}; }
  openflow::Action operator()(openflow::OutputTruncated a) const { return a.port = style(a.port), openflow::Action{a}; }
  openflow::Action operator()(openflow::Enqueue a) const { return a.port = style(a.port), openflow::Action{a}; }
  openflow::Action operator()(openflow::Bundle a) const {
    for (openflow::Port& p : a.members) p = style(p);
    return {a};
  }
  openflow::Action operator()(openflow::Resubmit a) const {
    if (a.in_port) a.in_port = style(*a.in_port);
    return {a};
  }
  openflow::Action operator()(openflow::Sample a) const {
    if (SaysPorts()(a)) a.arguments = with_sampling_port(a.arguments, style);
    return {a};
  }
  openflow::Action operator()(openflow::Learn a) const {
    for (openflow::LearnSpec& s : a.specs)
      if (is_port(s)) s.port = style({static_cast<std::uint32_t>(std::get<U128>(s.source)), {}}).name;
    return {a};
  }
  openflow::Action operator()(const openflow::Clone& a) const { return {openflow::Clone{list_with_ports(a.actions, style)}}; }
  openflow::Action operator()(const openflow::WriteActions& a) const {
    return {openflow::WriteActions{list_with_ports(a.actions, style)}};
  }
  openflow::Action operator()(openflow::Ct a) const {
    if (a.exec) a.exec = list_with_ports(*a.exec, style);
    return {a};
  }
  // The value has no place for a name: text stands for the action.
  openflow::Action operator()(const openflow::SetField& a) const {
    if (!writes_port(a) || (!style.names && !a.mask)) return {a};
    const std::string value = a.mask ? fmt::format("{}/{}", low64(a.value), hex(*a.mask, true))
                                     : style.text(style({static_cast<std::uint32_t>(a.value), {}}));
    return {openflow::Opaque{fmt::format("{}:{}->{}", a.word, value, field(a.field).name)}};
  }
  template <class Other>
  openflow::Action operator()(const Other& a) const {
    return {a};
  }
};

}  // namespace

openflow::Port PortStyle::operator()(const openflow::Port& p) const {
  openflow::Port port = p;
  if (!port.name.empty()) {
    const openflow::Interface* i = bridge == nullptr ? nullptr : bridge->by_name(port.name);
    if (i == nullptr || !i->ofport) return port;
    port = {*i->ofport, {}};
  }
  // A reserved port stands by its word, LOCAL too.
  if (!names || bridge == nullptr || port.number >= openflow::port::max) return port;
  if (const openflow::Interface* i = bridge->by_ofport(port.number)) port.name = i->name;
  return port;
}

bool says_ports(const openflow::Action& a) { return std::visit(SaysPorts{}, a.kind); }

openflow::Action with_ports(const openflow::Action& a, const PortStyle& style) { return std::visit(WithPorts{style}, a.kind); }

}  // namespace egt::render
