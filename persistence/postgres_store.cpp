// Statements and their rows, as the store of a group commit and as readers want them.
#include "persistence/postgres_store.hpp"

#include "persistence/append_parameters.hpp"
#include "persistence/array_literal.hpp"
#include "persistence/event_rows.hpp"

#include <algorithm>

namespace troupe::persistence {

database_connection& postgres_store::connected() {
  if (!connection_) {
    auto fresh = std::make_unique<database_connection>(url_, &watch_);
    watch_.over(fresh->socket(), [&] { fresh->become_writer(); });
    connection_ = std::move(fresh);
  }
  return *connection_;
}

std::vector<bool> postgres_store::write(const std::vector<session_write>& writes) {
  const auto batch = append_parameters_of(writes, blobs_);
  const auto& statement = batch.with_content ? sql::append_events_and_content : sql::append_events;
  const auto rows =
      on_connection([&](database_connection& c) { return c.run_binary(statement, batch.values); });
  std::vector<bool> written(writes.size(), false);
  for (const auto& row : rows)
    written.at(static_cast<std::size_t>(number_in(row.at(0)) - 1)) = true;
  for (std::size_t i = 0; i < writes.size(); ++i)
    if (written[i])
      for (const auto& row : writes[i].blobs) {
        blobs_.add(recent_blobs::content_key(writes[i].session.tenant, row.name));
        blobs_.add(recent_blobs::use_key(writes[i].session, writes[i].epoch, row.name));
      }
  return written;
}

std::vector<session_facts> postgres_store::look_up(const std::vector<session_question>& questions) {
  array_literal tenant, branch, owner, claim_tenant, claim_branch, claim;
  bool any_claims = false;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    tenant.add(std::int64_t{questions[i].session.tenant});
    branch.add(questions[i].session.branch);
    for (const auto& asked : questions[i].claims) {
      any_claims = true;
      owner.add(static_cast<std::int64_t>(i));
      claim_tenant.add(std::int64_t{questions[i].session.tenant});
      claim_branch.add(questions[i].session.branch);
      claim.add(asked);
    }
  }
  std::vector<session_facts> out(questions.size());
  on_connection([&](database_connection& c) {
    const auto heads = c.run(sql::look_up_heads, {tenant.take(), branch.take()});
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto& row = heads.at(i);
      out[i].exists = row.at(0).has_value();
      out[i].epoch = number_in(row.at(0));
      out[i].head = number_in(row.at(1));
      out[i].chain = from_hex(row.at(2).value_or(""));
      out[i].last_append = row.at(3).value_or("");
      out[i].last_at.microseconds = number_in(row.at(4));
    }
    if (any_claims)
      for (const auto& row :
          c.run(sql::look_up_claims, {owner.take(), claim_tenant.take(), claim_branch.take(), claim.take()}))
        out[static_cast<std::size_t>(number_in(row.at(0)))].taken.push_back(
            {row.at(1).value_or(""), number_in(row.at(2))});
  });
  return out;
}

std::vector<recorded_event> postgres_store::read(const session_key& session, std::int64_t after,
    std::size_t limit, const std::vector<std::string>& types) {
  array_literal wanted;
  for (const auto& type : types)
    wanted.add(type);
  const auto only = wanted.take();
  std::vector<recorded_event> out;
  while (out.size() < limit) {
    const auto want = std::min(page, limit - out.size());
    const auto before = out.size();
    on_connection([&](database_connection& c) {
      c.read_each(session.tenant, sql::read_events,
          {std::to_string(session.tenant), std::to_string(session.branch), std::to_string(after),
              std::to_string(want), only},
          [&](const seen_row& row) {
            if (out.emplace_back(event_of(row)).seq <= after)
              throw out_of_order();
            after = out.back().seq;
          });
      return true;
    });
    if (out.size() - before < want)
      break;
  }
  return out;
}

std::vector<recorded_event> postgres_store::read_these(
    const session_key& session, const std::vector<std::int64_t>& seqs) {
  array_literal wanted;
  for (const auto seq : seqs)
    wanted.add(seq);
  std::vector<recorded_event> out;
  on_connection([&](database_connection& c) {
    c.read_each(session.tenant, sql::read_these_events,
        {std::to_string(session.tenant), std::to_string(session.branch), wanted.take()},
        [&](const seen_row& row) { out.push_back(event_of(row)); });
    return true;
  });
  return out;
}

std::vector<recorded_event> postgres_store::read_after(const session_key& session, std::int64_t after) {
  return read(session, after, std::numeric_limits<std::size_t>::max(), {});
}

} // namespace troupe::persistence
