// Which parts of flows that lie in a file were checked for damage. Threads may check the same part at the same time.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "egtrace/openflow/compiled_flows.h"

namespace egt::openflow {

class PageChecks {
 public:
  using Check = std::function<void(const void*, std::size_t)>;  // throws where the memory is damaged

  PageChecks(Check check, std::span<const FlowRef> flows, const AddressPrefixes& prefixes)
      : check_(std::move(check)), flows_(flows), prefixes_(prefixes), pages_(flows.size() / kPage + 1) {}

  void check_flow(FlowIndex i) {
    const std::size_t page = i / kPage;
    if (page < pages_.size() && !pages_[page].load(std::memory_order_acquire)) check_page(page);
  }
  void check_flows() {
    for (std::size_t begin = 0; begin < flows_.size(); begin += kPage) check_flow(static_cast<FlowIndex>(begin));
  }
  void check_prefixes() {
    if (prefixes_checked_.load(std::memory_order_acquire)) return;
    if (!prefixes_.ipv4.empty()) check_(prefixes_.ipv4.data(), prefixes_.ipv4.size_bytes());
    if (!prefixes_.ipv6.empty()) check_(prefixes_.ipv6.data(), prefixes_.ipv6.size_bytes());
    prefixes_checked_.store(true, std::memory_order_release);
  }

 private:
  static constexpr std::size_t kPage = 1024;  // flows

  void check_page(std::size_t page) {
    const std::size_t begin = page * kPage;
    const auto flows = flows_.subspan(begin, std::min(kPage, flows_.size() - begin));
    check_(flows.data(), flows.size_bytes());
    pages_[page].store(true, std::memory_order_release);
  }

  Check check_;
  std::span<const FlowRef> flows_;
  AddressPrefixes prefixes_;
  std::vector<std::atomic<bool>> pages_;
  std::atomic<bool> prefixes_checked_{false};
};

}  // namespace egt::openflow
