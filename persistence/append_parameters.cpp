// One array a column, one element a row; `owner` is the place of a row's session among the writes, from 1.
#include "persistence/append_parameters.hpp"

#include "persistence/append_rules.hpp"
#include "persistence/array_literal.hpp"
#include "persistence/binary_array.hpp"

namespace troupe::persistence {

namespace {

struct session_arrays {
  binary_array tenant{element_type::integer}, branch{element_type::bigint}, epoch{element_type::bigint},
      base{element_type::bigint}, head{element_type::bigint}, chain{element_type::bytea},
      append_id{element_type::uuid}, has_view{element_type::boolean}, status{element_type::text},
      needs_work{element_type::boolean}, wake_at{element_type::timestamptz}, views{element_type::text};

  void add(const session_write& write) {
    static const session_view no_view;
    const auto& view = write.view ? *write.view : no_view;
    tenant.add(std::int64_t{write.session.tenant});
    branch.add(write.session.branch);
    epoch.add(write.epoch);
    base.add(write.base);
    head.add(write.head);
    chain.add(std::string_view(write.chain));
    append_id.add_uuid(write.last_append);
    has_view.add(write.view.has_value());
    status.add(std::string_view(view.status));
    needs_work.add(view.needs_work || write.wakes);
    if (view.wake_at)
      wake_at.add(*view.wake_at);
    else
      wake_at.add_null();
    views.add(std::string_view(view.views));
  }
};

struct event_arrays {
  binary_array owner{element_type::bigint}, seq{element_type::bigint}, nth{element_type::smallint},
      type{element_type::text}, version{element_type::smallint}, command{element_type::smallint},
      at{element_type::timestamptz}, run_id{element_type::uuid}, chain{element_type::bytea},
      payload{element_type::text};

  void add(std::int64_t n, const event_row& row) {
    const auto& event = row.event;
    owner.add(n);
    seq.add(event.seq);
    nth.add(event.seq - event.append_seq);
    type.add(std::string_view(event.type));
    version.add(std::int64_t{event.version});
    command.add(static_cast<std::int64_t>(event.command));
    at.add(event.at);
    if (event.run_id)
      run_id.add_uuid(*event.run_id);
    else
      run_id.add_null();
    if (row.chain.empty())
      chain.add_null();
    else
      chain.add(std::string_view(row.chain));
    payload.add(std::string_view(event.payload));
  }
};

struct claim_arrays {
  binary_array owner{element_type::bigint}, claim{element_type::text}, seq{element_type::bigint};

  void add(std::int64_t n, const claim_row& row) {
    owner.add(n);
    claim.add(std::string_view(row.claim));
    seq.add(row.seq);
  }
};

struct blob_arrays {
  binary_array owner{element_type::bigint}, hash{element_type::bytea}, content{element_type::bytea};

  /// Content that is known to be stored isn't sent.
  void add(std::int64_t n, const blob_row& row, bool is_stored) {
    owner.add(n);
    hash.add(std::string_view(from_hex(std::string_view(row.name).substr(content_name_prefix))));
    if (is_stored)
      content.add_null();
    else
      content.add(std::string_view(*row.content));
  }
};

} // namespace

append_parameters append_parameters_of(
    const std::vector<session_write>& writes, recent_blobs& stored, bool whole) {
  session_arrays sessions;
  event_arrays events;
  claim_arrays claims;
  blob_arrays blobs;
  append_parameters out;
  for (std::size_t i = 0; i < writes.size(); ++i) {
    const auto n = static_cast<std::int64_t>(i + 1);
    const auto& write = writes[i];
    sessions.add(write);
    for (const auto& row : write.events)
      events.add(n, row);
    for (const auto& row : write.claims)
      claims.add(n, row);
    for (const auto& row : write.blobs)
      if (!stored.contains(recent_blobs::use_key(write.session, write.epoch, row.name)))
        blobs.add(n, row, stored.contains(recent_blobs::content_key(write.session.tenant, row.name)));
  }
  out.with_content = whole || !claims.owner.empty() || !blobs.owner.empty();
  out.values.reserve(28);
  for (auto* const column :
      {&sessions.tenant, &sessions.branch, &sessions.epoch, &sessions.base, &sessions.head, &sessions.chain,
          &sessions.append_id, &sessions.has_view, &sessions.status, &sessions.needs_work, &sessions.wake_at,
          &sessions.views, &events.owner, &events.seq, &events.nth, &events.type, &events.version,
          &events.command, &events.at, &events.run_id, &events.chain, &events.payload})
    out.values.push_back(column->take());
  if (out.with_content)
    for (auto* const column :
        {&claims.owner, &claims.claim, &claims.seq, &blobs.owner, &blobs.hash, &blobs.content})
      out.values.push_back(column->take());
  return out;
}

} // namespace troupe::persistence
