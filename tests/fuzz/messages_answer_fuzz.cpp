// Answers of the Messages API, streamed and whole.
#include "providers/anthropic/decode.hpp"
#include "tests/fuzz/answers.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace troupe::providers::anthropic;
  troupe::fuzz::check_answer<stream_decoder, whole_decoder>(data, size);
  return 0;
}
