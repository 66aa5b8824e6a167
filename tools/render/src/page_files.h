// The templates, style sheets and scripts of pages (files of tools/render/page), and pages of the manual, which the build puts
// into the program.
#pragma once

#include <optional>
#include <string_view>

namespace egt::render::page_files {

std::string_view page_html();
std::string_view explain_js();
std::string_view base_css();
std::string_view chart_css();
std::string_view flows_css();
std::string_view keys_html();
std::string_view question_css();
std::string_view question_html();
std::string_view report_css();
std::string_view report_js();
std::string_view reasons_md();
std::optional<std::string_view> check_md(std::string_view check);  // docs/triage/CHECK.md

}  // namespace egt::render::page_files
