// The store of appends over PostgreSQL, with the connection that all statements of a journal use.
#pragma once

#include "persistence/answer_watch.hpp"
#include "persistence/append_store.hpp"
#include "persistence/database_connection.hpp"
#include "persistence/recent_blobs.hpp"

namespace troupe::persistence {

class postgres_store : public append_store {
 public:
  /// Rows of events are read in pages, so that one answer stays bounded.
  static constexpr std::size_t page = 5'000;

  postgres_store(std::string url, std::chrono::milliseconds answer_patience)
      : url_(std::move(url)), watch_(answer_patience) {}

  /// Runs `function` on the connection, made when there is none; a fault that breaks it drops it.
  template <class Function> auto on_connection(Function function) {
    try {
      auto& connection = connected();
      return watch_.over(connection.socket(), [&] { return function(connection); });
    } catch (const database_fault& fault) {
      if (fault.connection_is_gone())
        connection_.reset();
      throw;
    }
  }

  std::vector<bool> write(const std::vector<session_write>& writes) override;
  std::vector<session_facts> look_up(const std::vector<session_question>& questions) override;
  std::vector<recorded_event> read_after(const session_key& session, std::int64_t after) override;
  bool doubt() override { return blobs_.clear(); }

  std::vector<recorded_event> read(const session_key& session, std::int64_t after, std::size_t limit,
      const std::vector<std::string>& types);
  std::vector<recorded_event> read_these(const session_key& session, const std::vector<std::int64_t>& seqs);

 private:
  database_connection& connected();
  std::string url_;
  std::unique_ptr<database_connection> connection_;
  answer_watch watch_;
  recent_blobs blobs_;
};

} // namespace troupe::persistence
