// Which table of OpenFlow is which stage, release by release. Table numbers change inside a stable series too. The layouts stand in
// libtrace/explain/pipelines/layouts.txt.
#pragma once

#include <span>
#include <string_view>

namespace egt::explain {

struct PipelineLayout {
  std::string_view releases;           // "22.12.1-22.12.2 23.03.1-23.03.3"
  unsigned ingress_base, egress_base;  // OpenFlow table of stage 0
  // Stages in order, without their prefix (ls_in_, ls_out_, lr_in_, lr_out_), separated by single blanks.
  std::string_view switch_in, switch_out, router_in, router_out;
  std::string_view physical;  // the other tables: "PHY_TO_LOG=0 …"
};

std::span<const PipelineLayout> pipeline_layouts();

}  // namespace egt::explain
