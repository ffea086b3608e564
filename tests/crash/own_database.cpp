// A private cluster, migrated.
#include "tests/crash/own_database.hpp"

#include "persistence/migrator.hpp"
#include "persistence/server_process.hpp"
#include "tests/persistence/processes.hpp"

#include <csignal>

namespace troupe::testing {

using persistence::must;

own_database::own_database() : cluster_(must(open())) { must(persistence::migrator(url()).up()); }

own_database::~own_database() {
  const auto server = persistence::postmaster_of(cluster_->place());
  cluster_.reset();
  persistence::wait_for_end(server);
}

result<persistence::private_cluster> own_database::open() const {
  return persistence::private_cluster::open(directory_.path, {.durable = false});
}

std::unique_ptr<persistence::journal> own_database::journal() const {
  return must(persistence::open_postgres_journal({url(), persistence::impatient()}));
}

// A backend that was idle answers once more, until it finds that its server is gone.
void own_database::kill() {
  ::kill(persistence::postmaster_of(cluster_->place()), SIGKILL);
  for (auto left = processes(); !left.empty(); left = processes())
    persistence::wait_for_end(left.front());
}

void own_database::start() { cluster_ = must(open()); }

void own_database::signal(int number) const {
  for (const auto pid : processes())
    ::kill(pid, number);
}

std::vector<pid_t> own_database::processes() const {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const int pid = std::atoi(entry.path().filename().c_str());
    if (pid > 0 && persistence::works_in(pid, cluster_->place() / "data"))
      found.push_back(pid);
  }
  return found;
}

} // namespace troupe::testing
