#include "datapath_output.h"

#include <variant>

#include "frame_length.h"

namespace egt::engine::ofproto {
namespace {

// As a netlink attribute, without what is nested.
struct Size {
  std::size_t operator()(const dp::Set& a) const {
    switch (a.attribute) {
      case dp::Attribute::ethernet: return 8 + (a.whole ? 12 : 24);
      case dp::Attribute::ipv4: return 8 + (a.whole ? 12 : 24);
      case dp::Attribute::ipv6: return 8 + (a.whole ? 40 : 80);
      case dp::Attribute::arp: return 8 + (a.whole ? 24 : 48);
      case dp::Attribute::nd: return 8 + (a.whole ? 28 : 56);
      case dp::Attribute::nsh: return 8 + (a.whole ? 32 : 60);
      default: return 8 + (a.whole ? 4 : 8);
    }
  }
  std::size_t operator()(const dp::TunnelPush& a) const { return 4 + (16 + a.header_size + 3u) / 4 * 4; }
  std::size_t operator()(const dp::SetTunnel& a) const { return 64 + 20 * a.options.size(); }
  std::size_t operator()(const dp::ToController&) const { return 4 + 8 + 4 + 48; }
  std::size_t operator()(const dp::Conntrack& a) const {
    return 4 + 8 + (a.commit || a.force ? 12 : 0) + (a.mark ? 12 : 0) + (a.label ? 36 : 0) + (a.has_nat ? 12 : 0) +
           (a.helper.empty() ? 0 : 12);
  }
  std::size_t operator()(const dp::Sample&) const { return kSampleBytes; }
  std::size_t operator()(const dp::Clone&) const { return kCloneBytes; }
  std::size_t operator()(const dp::CheckLength&) const { return kNotGreaterBytes; }
  std::size_t operator()(const dp::PushEthernet&) const { return 4 + 12; }
  std::size_t operator()(const dp::PushMpls& a) const { return 4 + (a.add ? 12 : 8); }
  std::size_t operator()(const dp::Hash&) const { return 4 + 8; }
  std::size_t operator()(const dp::PushNsh& a) const { return 4 + 4 + 8 + 4 + 16 + a.metadata.size(); }
  std::size_t operator()(const dp::PopVlan&) const { return 4; }
  std::size_t operator()(const dp::PopEthernet&) const { return 4; }
  std::size_t operator()(const dp::PopNsh&) const { return 4; }
  std::size_t operator()(const dp::ConntrackClear&) const { return 4; }
  template <class Other>
  std::size_t operator()(const Other&) const {
    return 8;
  }
};

}  // namespace

dp::Port datapath_port(const SwitchPort& p, const openflow::Datapath& datapath, Policy& policy) {
  if (!p.datapath_port && policy.needs_datapath_ports()) policy.missing({Input::datapath_ports, {}});
  const openflow::DatapathPort* known = p.datapath_port ? datapath.port(*p.datapath_port) : nullptr;
  return {p.datapath_port, known == nullptr ? p.interface->name : known->name, p.interface, p.bridge->bridge};
}

void DatapathOutput::put(dp::Action a) {
  bytes_ += std::visit(Size{}, a.kind);
  added_to_frame_ += added_bytes(a);
  if (Observer* observer = report_.observer()) a.origin = observer->origin_of(a);
  out_->push_back(std::move(a));
}

void DatapathOutput::append(dp::Actions more) {
  for (dp::Action& a : more) out_->push_back(std::move(a));
}

}  // namespace egt::engine::ofproto
