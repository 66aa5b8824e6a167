// The hash functions that decide where Open vSwitch sends a packet (lib/hash.h in its portable form, lib/jhash.c) and
// the fields that they are taken of (lib/flow.c, lib/multipath.c).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "egtrace/packet/packet.h"

namespace egt::engine::ofproto {

std::uint32_t hash_add(std::uint32_t hash, std::uint32_t data);
std::uint32_t hash_finish(std::uint32_t hash, std::uint32_t final);
std::uint32_t hash_2words(std::uint32_t x, std::uint32_t y);
inline std::uint32_t hash_int(std::uint32_t x, std::uint32_t basis) { return hash_2words(x, basis); }
std::uint32_t hash_uint64(std::uint64_t x);
std::uint32_t hash_bytes(const void* data, std::size_t n, std::uint32_t basis);
inline std::uint32_t hash_string(std::string_view text) { return hash_bytes(text.data(), text.size(), 0); }
std::uint32_t jhash_bytes(const void* data, std::size_t n, std::uint32_t basis);

enum class HashFields : std::uint8_t { eth_src, symmetric_l4, symmetric_l3l4, symmetric_l3l4_udp, nw_src, nw_dst, symmetric_l3 };
std::optional<HashFields> hash_fields(std::string_view name);
std::uint32_t flow_hash(const FlowKey& k, HashFields fields, std::uint16_t basis);
std::uint32_t flow_hash_symmetric_l4(const FlowKey& k, std::uint32_t basis);
void mask_hash_fields(const FlowKey& k, FlowKey& wc, HashFields fields);

// multipath_algorithm: which link, or none when the algorithm has no such name.
std::optional<std::uint16_t> multipath_link(std::uint32_t hash, std::string_view algorithm, unsigned links, unsigned arg);

}  // namespace egt::engine::ofproto
