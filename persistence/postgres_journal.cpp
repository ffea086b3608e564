// Opening, appending, stopping.
#include "persistence/postgres_journal_state.hpp"

namespace troupe::persistence {

result<std::unique_ptr<journal>> open_postgres_journal(postgres_settings settings) {
  auto opened = std::make_unique<postgres_journal>(std::move(settings));
  if (auto connected = opened->connect(); !connected)
    return connected.error();
  return std::unique_ptr<journal>(std::move(opened));
}

postgres_journal::postgres_journal(postgres_settings settings)
    : store_(std::move(settings.url), settings.waiting.answer), commit_(store_, std::move(settings.waiting)) {
}

result<void> postgres_journal::connect() {
  const auto reached = attempt("reaching the database", [](database_connection&) { return true; });
  if (!reached)
    return reached.error();
  return {};
}

result<std::vector<append_outcome>> postgres_journal::append_all(const std::vector<append>& batch) {
  return commit_.append_all(batch);
}

void postgres_journal::stop() { commit_.stop(); }

} // namespace troupe::persistence
