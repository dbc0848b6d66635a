// The fixed parts of the page and of the JUnit file: the texts in page/, which CMake makes constants of. A file has one part or several,
// each behind a line `<!-- part: name -->`; a {word} in a part is the place of a field.
#pragma once
#include <string_view>

namespace warpfuzz::cli {

extern const std::string_view kErrorsHtml, kFindingHtml, kJunitXml, kKernelsHtml, kPageCss, kPageHtml, kPlotsHtml,
    kRunsHtml, kSummaryHtml;

}  // namespace warpfuzz::cli
