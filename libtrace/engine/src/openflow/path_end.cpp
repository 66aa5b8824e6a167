#include "path_end.h"

#include <utility>

#include "egtrace/engine/missing_tunnel.h"

namespace egt::engine {

void PathEnd::set(Stop stop, std::uint8_t depth, const MissedTable& missed) {
  (depth == 0 ? ending_ : weak_) = Ending{std::move(stop), missed};
}

void PathEnd::go_on(std::size_t step) {
  weak_.reset();
  main_line_ = step;
}

Stop PathEnd::end_of_main_line() const {
  Stop end{node_.name, Layer::ovs, {}, {Reason::no_output}};
  if (!main_line_) return end;
  const Step& step = record_.steps[*main_line_];
  const auto& match = std::get<TableMatch>(step.kind);
  end.layer = step.layer;
  end.where = {PlaceKind::table, {std::string(match.bridge), std::uint64_t{match.table}}};
  end.evidence = {step.evidence.front()};
  return end;
}

Stop PathEnd::take() {
  if (!ending_) ending_ = std::move(weak_);
  if (!ending_) ending_ = Ending{end_of_main_line(), {}};
  if (copied_by_ != nullptr)
    record_.assume({Supposition::mirrors_take_elsewhere, {copied_by_->row.name(), node_.name}, {}, {copied_by_->row.from()}});
  // A dump that was cut between two lines looks complete. Tables of logical flows have a flow for whatever no other takes.
  const auto& [missed_in, datapath, out_port] = ending_->missed;
  const bool by_ovn = missed_in != nullptr && missed_in == node_.integration_bridge();
  if (const ovn::Chassis* unreached = by_ovn ? chassis_without_tunnel(node_, datapath, out_port) : nullptr)
    ending_->stop.evidence = {unreached->from};
  else if (missed_in != nullptr)
    record_.assume({Supposition::flows_whole, {missed_in->name, node_.name}});
  return std::move(ending_->stop);
}

}  // namespace egt::engine
