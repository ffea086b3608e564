// The loop's inside, for the units that make Asio streams.
#pragma once

#include "providers/handshake_gate.hpp"
#include "providers/transport.hpp"

#include <thread>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

namespace troupe::providers {

class tls_anchors; ///< the TLS context, made when the first TLS stream is

struct io_loop::core {
  explicit core(tls_settings settings) : tls(std::move(settings)) {}
  boost::asio::io_context context{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard{context.get_executor()};
  std::thread thread;
  tls_settings tls;
  std::shared_ptr<tls_anchors> anchors;
  std::shared_ptr<handshake_gate> handshakes = std::make_shared<handshake_gate>();
};

std::shared_ptr<transport> make_tls_transport(io_loop::core& core);

} // namespace troupe::providers
