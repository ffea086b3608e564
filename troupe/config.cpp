// The configuration as programs read it: from the file and the environment of the process.
#include <troupe/config.hpp>

#include "troupe/composition.hpp"

namespace troupe {

configuration load_config(const std::string& file) {
  return library::load_configuration(file, config::process_environment()).value();
}

} // namespace troupe
