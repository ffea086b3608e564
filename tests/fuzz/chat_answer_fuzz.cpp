// Answers of Chat Completions, streamed and whole.
#include "providers/openai_chat/decode.hpp"
#include "tests/fuzz/answers.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace troupe::providers::openai_chat;
  troupe::fuzz::check_answer<stream_decoder, whole_decoder>(data, size);
  return 0;
}
