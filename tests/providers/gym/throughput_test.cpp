// How many streams the gym serves in a second; a measurement, run by name with `--run_test=@measure`.
#include "providers/gym/server.hpp"

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <chrono>
#include <iostream>
#include <thread>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

namespace troupe::providers::gym {

BOOST_AUTO_TEST_SUITE(gym_throughput)

namespace {

double cpu_seconds(int who) {
  rusage used{};
  ::getrusage(who, &used);
  return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec)
      + static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

// Keeps some requests in flight on one connection each, and reads until each answer's end.
std::size_t drive(std::uint16_t port, std::size_t rounds, std::size_t connections) {
  const std::string body =
      R"({"model":"m","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"go"}]})";
  const std::string request = "POST /v1/messages HTTP/1.1\r\nhost: x\r\ncontent-length: "
      + std::to_string(body.size()) + "\r\n\r\n" + body;
  std::vector<int> sockets;
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  for (std::size_t i = 0; i < connections; ++i) {
    sockets.push_back(::socket(AF_INET, SOCK_STREAM, 0));
    BOOST_REQUIRE(::connect(sockets.back(), reinterpret_cast<sockaddr*>(&to), sizeof to) == 0);
  }
  std::size_t bytes = 0;
  std::string got(1 << 16, '\0');
  for (std::size_t round = 0; round < rounds; ++round) {
    for (int socket : sockets)
      BOOST_REQUIRE(
          ::send(socket, request.data(), request.size(), 0) == static_cast<ssize_t>(request.size()));
    for (int socket : sockets)
      for (bool ended = false; !ended;) {
        auto size = ::recv(socket, got.data(), got.size(), 0);
        BOOST_REQUIRE(size > 0);
        bytes += static_cast<std::size_t>(size);
        ended = std::string_view(got.data(), static_cast<std::size_t>(size)).ends_with("0\r\n\r\n");
      }
  }
  for (int socket : sockets)
    ::close(socket);
  return bytes;
}

} // namespace

BOOST_AUTO_TEST_CASE(
    streams_of_forty_deltas, *boost::unit_test::disabled() * boost::unit_test::label("measure")) {
  std::string text;
  for (int i = 0; i < 40; ++i)
    text += "word" + std::to_string(i % 10) + " ";
  server_settings settings;
  settings.rules = script::parse("{\"reply\":[{\"text\":\"" + text + "\"}]}").value();
  auto server = std::move(server::start(std::move(settings)).value());
  constexpr std::size_t rounds = 200, connections = 50;
  drive(server->port(), 5, connections);
  auto begun = std::chrono::steady_clock::now();
  auto cpu_all = cpu_seconds(RUSAGE_SELF);
  auto cpu_client = cpu_seconds(RUSAGE_THREAD);
  auto bytes = drive(server->port(), rounds, connections);
  auto wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  auto gym_cpu = (cpu_seconds(RUSAGE_SELF) - cpu_all) - (cpu_seconds(RUSAGE_THREAD) - cpu_client);
  std::cout << rounds * connections / wall << " streams/s, " << gym_cpu * 1e6 / (rounds * connections)
            << " us of the gym's CPU a stream, " << bytes / (rounds * connections) << " bytes each\n";
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace troupe::providers::gym
