// The parts of the page about a snapshot, each as HTML.
#pragma once

#include <string>
#include <string_view>

#include "egtrace/render/report.h"
#include "report/evidence_book.h"
#include "style.h"

namespace egt::render::report {

std::string summary_part(const Report& report);
std::string findings_part(const Report& report, EvidenceBook& book);
std::string map_part(const Report& report, EvidenceBook& book);
std::string audit_part(const Report& report, EvidenceBook& book);
std::string expectations_part(const Report& report, EvidenceBook& book);
std::string connections_part(const Report& report, EvidenceBook& book);
std::string differences_part(const Report& report, EvidenceBook& before, EvidenceBook& after);
std::string capture_part(const Report& report);
std::string flows_part(const Report& report);
std::string dumps_part(const explain::Inspection& inspection, std::string_view id, std::string_view name, bool whole);

// What several of them need.
std::string name_of(const Report& report);                // of what it is about, as text: "dumps", "before → after"
std::string command_of(const explain::DumpReport& dump);  // that printed it; its kind where its name is all that mentions it
Tone tone_of(explain::Outcome outcome);
std::string_view words_of(explain::Outcome outcome);                                 // "no answer"
std::string heading(std::string_view id, std::string_view text, std::size_t count);  // of a part, with a link to itself
std::string command(std::string_view text);                                          // that the reader may run
std::string cut(const std::string& text);  // as HTML; of a long one that stands in one line the beginning
// "3 errors", "1 error"
std::string counted(std::size_t n, std::string_view what);

}  // namespace egt::render::report
