// The corpus with its bytes changed, through the fuzz target: the parser and the router take anything.
#include "tests/gateway/corpus.hpp"

#include <cstdint>
#include <random>

#include <boost/test/unit_test.hpp>

using namespace troupe::gateway::testing;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

BOOST_AUTO_TEST_SUITE(mutations)

namespace {

constexpr std::size_t bytes_max = 2000;

class mutator {
 public:
  std::string changed(std::string bytes, const std::string& other) {
    for (std::size_t n = 1 + random_() % 4; n > 0 && !bytes.empty(); --n)
      change(bytes, other);
    return bytes.substr(0, bytes_max);
  }

 private:
  void change(std::string& bytes, const std::string& other) {
    const std::size_t at = random_() % bytes.size();
    const std::size_t from = random_() % (other.size() + 1);
    switch (random_() % 5) {
    case 0:
      bytes[at] = static_cast<char>(random_());
      break;
    case 1:
      bytes[at] = "\r\n\0 :%/{}[]0"[random_() % 13];
      break;
    case 2:
      bytes.erase(at, 1 + random_() % 8);
      break;
    case 3:
      bytes.insert(at, other.substr(from, random_() % 64));
      break;
    default:
      bytes = bytes.substr(0, at) + other.substr(from);
    }
  }

  std::mt19937 random_{1}; // the same ones every time
};

} // namespace

BOOST_AUTO_TEST_CASE(whatever_comes_is_answered_or_refused) {
  const auto all = corpus();
  mutator change;
  for (int round = 0; round < 200; ++round)
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::string bytes =
          change.changed(all[i].bytes, all[(i * 7 + static_cast<std::size_t>(round)) % all.size()].bytes);
      BOOST_REQUIRE_EQUAL(
          LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()), 0);
    }
}

BOOST_AUTO_TEST_SUITE_END()
