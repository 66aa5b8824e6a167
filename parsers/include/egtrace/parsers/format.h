// The face that every input format shows: how to recognise it, print it back, and put its facts into the model.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/base/published.h"
#include "egtrace/cluster/cluster.h"
#include "egtrace/cluster/history.h"
#include "egtrace/evidence/evidence.h"

namespace egt::parsers {

class CompiledDump;  // parsers/src/snapshot/compiled.h

// What a format finds in a text by itself, whatever else is loaded: found once, by the first thread that needs it.
using FoundAhead = MadeOnce<std::shared_ptr<void>>;

// One dump to be read.
struct Dump {
  SourceId source = kNoSource;  // for the Provenance of its facts
  std::string path;             // as the user knows it
  // The command that printed it, words separated by single blanks, from a prompt line or from a file name of sos or of
  // the corpus ("ovs-ofctl -O OpenFlow15 dump-groups br-int"); empty when nothing shows.
  std::string command;
  std::string_view text;
  std::uint32_t first_line = 1;
  bool partial = false;  // an excerpt: absence proves nothing
  unsigned jobs = 0;     // threads that may read it; 0: one a processor
  // Formats that hold a log of changes load what held at this moment, in ms since 1970; the others pay no heed.
  std::optional<std::int64_t> as_of{};
  bool logical_only = false;  // SnapshotRequest::logical_only
  // What was found when the text was read before (a compiled snapshot), for formats that keep such.
  std::shared_ptr<const CompiledDump> compiled{};
  // What Format::read_ahead finds, which another thread may be at; null: `load` does all of it.
  std::shared_ptr<FoundAhead> ahead{};
};

// The last argument of the command behind `verb` ("br-int" behind "dump-flows"); empty when there is none. Knows the
// file-name form too, in which blanks became underscores.
std::string argument_after(const Dump& dump, std::string_view verb);
// Whether the command holds these words in this order (file-name form included).
bool command_has(const Dump& dump, std::string_view words);

struct Recognition {
  int confidence = 0;  // 0 no, 100 certain; content counts more than the name
  std::string topic;   // what it shows: "flows br-int", "iptables v4"; dumps of one topic compete
  int quality = 0;     // among dumps of one topic and node the highest is used
};

struct Report {
  std::uint32_t lines = 0, understood = 0, ignored = 0;  // ignored: on purpose (headers, comments)
  std::vector<Provenance> not_understood;
  std::vector<Diagnostic> diagnostics;
  std::optional<cluster::DatabaseMoment> moment;  // what Dump::as_of came to; without its node
  SourceId shown_by = kNoSource;  // the dump that showed all of this before, which is why nothing of this one was taken
};

using TextSink = std::function<void(std::string_view)>;

struct Format {
  std::string_view kind;     // "ovs-ofctl dump-flows"; what --kind takes
  std::string_view command;  // that prints it, for gaps and help
  Recognition (*recognise)(const Dump&);
  // Parses into the typed tree and prints that: exactly what the tool printed. A line that was not understood is kept.
  void (*reprint)(const Dump&, std::string& out, Report&);
  void (*to_json)(const Dump&, std::string& out, Report&);  // the typed tree, pretty-printed
  void (*load)(const Dump&, cluster::Cluster&, cluster::Node&, Report&);
  // As reprint, piece by piece, for formats whose dumps are large; may be null.
  void (*stream)(const Dump&, const TextSink& put, Report&) = nullptr;
  // The name of the database of which it shows rows: those of one moment only. Empty where it shows none.
  std::string_view shows_rows_of{};
  // Formats that hold a log of changes: adds its transactions, in its order and without their node.
  void (*history)(const Dump&, cluster::History&) = nullptr;
  // Likewise: the time of the newest transaction, in ms since 1970; 0 where none shows.
  std::int64_t (*newest)(const Dump&) = nullptr;
  // For formats whose dumps are large: what `load` begins with and needs nothing but the text.
  std::shared_ptr<void> (*read_ahead)(const Dump&) = nullptr;
};

// One function each, defined beside the format.
std::span<const Format> ovs_ofctl_formats();
std::span<const Format> ovsdb_formats();  // ovs-vsctl, ovn-nbctl, ovn-sbctl: show and list, text and JSON
std::span<const Format> ovn_formats();    // lflow-list, lr-policy-list, lr-nat-list, lr-route-list
std::span<const Format> iptables_formats();
std::span<const Format> nft_formats();
std::span<const Format> iproute2_formats();  // ip rule, route, addr, link, neigh; text and JSON
std::span<const Format> frr_formats();       // routes, BGP and configuration of FRR
std::span<const Format> system_formats();    // sysctl, hostname, conntrack -L, dpctl/dump-conntrack, ipset
std::span<const Format> kube_formats();      // YAML and JSON objects

// All of the above, in a fixed order.
const std::vector<const Format*>& all_formats();
// By its kind, by its last word where no other format has it ("dump-flows"), or by a short name ("ovs-flows", "nft").
// Null: there is none.
const Format* find_format(std::string_view kind);
// The format that is surest of this dump; null when none knows it.
struct Recognised {
  const Format* format = nullptr;
  Recognition how;
};
Recognised recognise(const Dump& dump);

}  // namespace egt::parsers
