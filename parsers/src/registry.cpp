// All formats in one list, and the choice among them by content.
#include <string_view>

#include "egtrace/parsers/format.h"

namespace egt::parsers {

const std::vector<const Format*>& all_formats() {
  static const std::vector<const Format*> formats = [] {
    std::vector<const Format*> all;
    // Snapshots are loaded in this order: rows of the database name the ports that the switch cuts to 15 characters.
    for (const auto family : {ovsdb_formats, ovs_ofctl_formats, ovn_formats, iptables_formats, nft_formats,
                              iproute2_formats, frr_formats, system_formats, kube_formats})
      for (const Format& f : family()) all.push_back(&f);
    return all;
  }();
  return formats;
}

const Format* find_format(std::string_view kind) {
  for (const Format* f : all_formats())
    if (f->kind == kind) return f;
  return nullptr;
}

Recognised recognise(const Dump& dump) {
  Recognised best;
  for (const Format* f : all_formats()) {
    Recognition how = f->recognise(dump);
    if (how.confidence > best.how.confidence) best = {f, std::move(how)};  // the first of equals, as listed
    if (best.how.confidence >= 100) break;                                  // nothing can be surer
  }
  return best;
}

}  // namespace egt::parsers
