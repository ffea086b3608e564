// Batches as array parameters, rows as events.
#include "persistence/postgres_store.hpp"

#include "persistence/array_literal.hpp"

namespace troupe::persistence {

namespace {

/// Rows of events are read in pages, so that one answer stays bounded.
constexpr std::size_t page = 5'000;

std::int64_t number(const std::optional<std::string>& field) { return field ? std::stoll(*field) : 0; }

struct session_arrays {
  array_literal tenant, branch, epoch, base, head, chain, append_id, has_view, status, needs_work, wake_at,
      views;

  void add(const session_write& write) {
    tenant.add(std::int64_t{write.session.tenant});
    branch.add(write.session.branch);
    epoch.add(write.epoch);
    base.add(write.base);
    head.add(write.head);
    chain.add_bytes(write.chain);
    append_id.add(write.last_append);
    has_view.add(write.view.has_value());
    const session_view view = write.view.value_or(session_view{});
    status.add(view.status);
    needs_work.add(view.needs_work || write.wakes);
    if (view.wake_at)
      wake_at.add(to_string(*view.wake_at));
    else
      wake_at.add_null();
    views.add(view.views);
  }
};

struct event_arrays {
  array_literal owner, seq, nth, type, version, command, at, run_id, chain, payload;

  void add(std::int64_t n, const event_row& row) {
    const auto& event = row.event;
    owner.add(n);
    seq.add(event.seq);
    nth.add(event.seq - event.append_seq);
    type.add(event.type);
    version.add(std::int64_t{event.version});
    command.add(static_cast<std::int64_t>(event.command));
    at.add(to_string(event.at));
    if (event.run_id)
      run_id.add(*event.run_id);
    else
      run_id.add_null();
    if (row.chain.empty())
      chain.add_null();
    else
      chain.add_bytes(row.chain);
    payload.add(event.payload);
  }
};

} // namespace

database_connection& postgres_store::connected() {
  if (!connection_) {
    auto fresh = std::make_unique<database_connection>(url_);
    fresh->become_writer();
    connection_ = std::move(fresh);
  }
  return *connection_;
}

std::vector<bool> postgres_store::write(const std::vector<session_write>& writes) {
  session_arrays sessions;
  event_arrays events;
  array_literal claim_owner, claim, claim_seq, blob_owner, blob_hash, blob_content;
  for (std::size_t i = 0; i < writes.size(); ++i) {
    const auto n = static_cast<std::int64_t>(i + 1);
    const auto& write = writes[i];
    sessions.add(write);
    for (const auto& row : write.events)
      events.add(n, row);
    for (const auto& row : write.claims) {
      claim_owner.add(n);
      claim.add(row.claim);
      claim_seq.add(row.seq);
    }
    for (const auto& row : write.blobs) {
      if (blobs_.contains(recent_blobs::use_key(write.session, row.name)))
        continue;
      blob_owner.add(n);
      blob_hash.add_bytes(from_hex(std::string_view(row.name).substr(7)));
      if (blobs_.contains(recent_blobs::content_key(write.session.tenant, row.name)))
        blob_content.add_null();
      else
        blob_content.add_bytes(*row.content);
    }
  }
  const parameters values{sessions.tenant.take(), sessions.branch.take(), sessions.epoch.take(),
      sessions.base.take(), sessions.head.take(), sessions.chain.take(), sessions.append_id.take(),
      sessions.has_view.take(), sessions.status.take(), sessions.needs_work.take(), sessions.wake_at.take(),
      sessions.views.take(), events.owner.take(), events.seq.take(), events.nth.take(), events.type.take(),
      events.version.take(), events.command.take(), events.at.take(), events.run_id.take(),
      events.chain.take(), events.payload.take(), claim_owner.take(), claim.take(), claim_seq.take(),
      blob_owner.take(), blob_hash.take(), blob_content.take()};
  const auto rows = on_connection([&](database_connection& c) { return c.run(sql::append_events, values); });
  std::vector<bool> written(writes.size(), false);
  for (const auto& row : rows)
    written.at(static_cast<std::size_t>(number(row.at(0)) - 1)) = true;
  for (std::size_t i = 0; i < writes.size(); ++i)
    if (written[i])
      for (const auto& row : writes[i].blobs) {
        blobs_.add(recent_blobs::content_key(writes[i].session.tenant, row.name));
        blobs_.add(recent_blobs::use_key(writes[i].session, row.name));
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
      out[i].epoch = number(row.at(0));
      out[i].head = number(row.at(1));
      out[i].chain = from_hex(row.at(2).value_or(""));
      out[i].last_append = row.at(3).value_or("");
      out[i].last_at.microseconds = number(row.at(4));
    }
    if (any_claims)
      for (const auto& row :
          c.run(sql::look_up_claims, {owner.take(), claim_tenant.take(), claim_branch.take(), claim.take()}))
        out[static_cast<std::size_t>(number(row.at(0)))].taken.push_back(
            {row.at(1).value_or(""), number(row.at(2))});
  });
  return out;
}

namespace {

recorded_event event_of(database_row& row) {
  recorded_event event;
  event.seq = number(row[0]);
  event.append_seq = event.seq - number(row[1]);
  event.command = static_cast<command_kind>(number(row[2]));
  event.type = std::move(*row[3]);
  event.version = static_cast<std::int16_t>(number(row[4]));
  event.at.microseconds = number(row[5]);
  event.run_id = std::move(row[6]);
  event.payload = std::move(*row[7]);
  return event;
}

} // namespace

std::vector<recorded_event> postgres_store::read(const session_key& session, std::int64_t after,
    std::size_t limit, const std::vector<std::string>& types) {
  array_literal wanted;
  for (const auto& type : types)
    wanted.add(type);
  const auto only = wanted.take();
  std::vector<recorded_event> out;
  while (out.size() < limit) {
    const auto want = std::min(page, limit - out.size());
    auto rows = on_connection([&](database_connection& c) {
      return c.read(session.tenant, sql::read_events,
          {std::to_string(session.tenant), std::to_string(session.branch), std::to_string(after),
              std::to_string(want), only});
    });
    for (auto& row : rows)
      after = out.emplace_back(event_of(row)).seq;
    if (rows.size() < want)
      break;
  }
  return out;
}

std::vector<recorded_event> postgres_store::read_these(
    const session_key& session, const std::vector<std::int64_t>& seqs) {
  array_literal wanted;
  for (const auto seq : seqs)
    wanted.add(seq);
  auto rows = on_connection([&](database_connection& c) {
    return c.read(session.tenant, sql::read_these_events,
        {std::to_string(session.tenant), std::to_string(session.branch), wanted.take()});
  });
  std::vector<recorded_event> out;
  for (auto& row : rows)
    out.push_back(event_of(row));
  return out;
}

std::vector<recorded_event> postgres_store::read_after(const session_key& session, std::int64_t after) {
  return read(session, after, std::numeric_limits<std::size_t>::max(), {});
}

} // namespace troupe::persistence
