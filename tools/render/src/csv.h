// Cells of CSV files.
#pragma once

#include <string>

namespace egt::render {

// As RFC 4180 has them, but that lines end as those of jq and awk do: quoted where a comma, a quote or a line end is in it. What a spreadsheet would take for a formula gets a quote
// before it.
std::string csv_cell(const std::string& dumped);

}  // namespace egt::render
