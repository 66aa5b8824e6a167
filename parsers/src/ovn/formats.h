// What the formats of ovn-nbctl, ovn-sbctl and ovn-appctl lists share.
#pragma once

#include <functional>
#include <string>

#include "egtrace/parsers/format.h"
#include "support/lines.h"

namespace egt::parsers::ovn_text {

const Format& lflow_format();
const Format& policy_format();
const Format& route_format();
const Format& nat_format();
const Format& load_balancer_format();
const Format& acl_format();
const Format& zone_format();
const Format& connection_format();
const Format& cluster_status_format();

bool is_blank_dump(const Dump& dump);

// Calls `parse` for each line; it reports the line, and appends what the tool prints for it where it gives true. Where
// that is not what stood there the line stays as it was, and a note is added.
void reprint_lines(const Dump& dump, std::string& out, Report& report,
                   const std::function<bool(const Line&, std::string& canonical, LineReport&)>& parse);

void append_json(const std::string& document, std::string& out);

// A string, and a set of strings, as `ovn-nbctl list` prints them.
std::string printed(std::string_view text);
std::string printed_set(const std::vector<std::string>& texts);

// Topic of a list that belongs to one router or switch; excerpts do not compete with each other.
std::string topic_of(const Dump& dump, std::string_view what, std::string_view verb);

}  // namespace egt::parsers::ovn_text
