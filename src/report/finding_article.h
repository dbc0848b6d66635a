// A finding on the page for people.
#pragma once
#include "report/data.h"
#include "report/markup.h"

namespace warpfuzz::cli {

Markup finding_article(const ReportFinding& f, std::size_t number);
// One sentence for people who do not know the classes: how far off, and how much of the output.
std::string how_badly(const ReportFinding& f);
Markup new_tag(const ReportFinding& f);

}  // namespace warpfuzz::cli
