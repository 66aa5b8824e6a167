// The document of an inspection, to which others add.
#pragma once

#include "egtrace/explain/inspect.h"
#include "json_parts.h"

namespace egt::render {

Json inspect_document(const explain::Inspection& inspection);

}  // namespace egt::render
