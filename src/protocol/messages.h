// All messages of the line protocol. A message is a struct with one list of its fields (base/fields/form.h), by which both
// sides read and write it; docs/protocol.md has the tables, which a test compares with these lists. A request says what
// its command is called and what the answer is.
#pragma once
#include "protocol/case_messages.h"
#include "protocol/describe_messages.h"
#include "protocol/envelope_messages.h"
#include "protocol/error_messages.h"
#include "protocol/line_messages.h"
#include "protocol/measure_messages.h"
#include "protocol/peer_messages.h"
#include "protocol/result_messages.h"
#include "protocol/tensor_messages.h"

namespace warpfuzz {

// Calls f.operator()<Request>() for each command, in the order of the page.
template <class F>
void for_each_request(F&& f) {
  f.template operator()<DescribeRequest>();
  f.template operator()<EncodeRequest>();
  f.template operator()<DecodeRequest>();
  f.template operator()<RunRequest>();
  f.template operator()<ReplayRequest>();
  f.template operator()<ShrinkRequest>();
  f.template operator()<CandidatesRequest>();
  f.template operator()<TensorsRequest>();
  f.template operator()<FeaturesRequest>();
  f.template operator()<LinesRequest>();
  f.template operator()<RandomRequest>();
  f.template operator()<StatsRequest>();
  f.template operator()<CalibrateRequest>();
  f.template operator()<PeerRequest>();
  f.template operator()<AdversarialRequest>();
  f.template operator()<ProfileRequest>();
  f.template operator()<RateRequest>();
}

}  // namespace warpfuzz
