// The provider that is there without any configuration: a gym in this process, asked over a real
// connection, and started only when it is asked.
#pragma once

#include "providers/provider.hpp"

#include <mutex>

namespace troupe::providers::gym {
class server;
}

namespace troupe::library {

class built_in_gym final : public providers::provider {
 public:
  built_in_gym();
  ~built_in_gym() override;
  std::shared_ptr<providers::attempt> start(
      providers::inference_request request, providers::event_sink sink) override;

 private:
  std::mutex mutex_;
  std::unique_ptr<providers::gym::server> server_;
  std::unique_ptr<providers::provider> client_;
};

} // namespace troupe::library
