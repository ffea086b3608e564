// Sessions' rows: made, forked, named. As troupe_writer.
#include "persistence/append_batch.hpp"
#include "persistence/append_parameters.hpp"
#include "persistence/append_rules.hpp"
#include "persistence/binary_array.hpp"
#include "persistence/postgres_journal_state.hpp"

#include "messages/digest.hpp"

namespace troupe::persistence {

result<session_row> postgres_journal::create(
    std::int32_t tenant, const std::string& id, const node_identity& node, const log_place& begins) {
  const auto chain = begins.seq > 0 ? std::optional(hex(begins.chain)) : std::nullopt;
  return made(
      "creating the session", tenant, id, node.id, begins.seq, begins.chain, [&](database_connection& c) {
        return c.run(
            sql::create_session, {std::to_string(tenant), id, node.id, std::to_string(begins.seq), chain});
      });
}

namespace {

problem exists_already(const std::string& id) {
  return {problem_code::conflict, "session `" + id + "` exists already", {}};
}

// What the parent's row and the first append make: a batch of one, on the parent's place.
session_write begun_at(const session_row& parent, const log_place& cut, const append& first) {
  session_write write;
  write.session = parent.key;
  write.epoch = 1;
  write.base = write.head = cut.seq;
  write.chain = cut.chain;
  stack(write, first);
  write.claims.clear();
  write.view = first.view.value_or(session_view{});
  return write;
}

} // namespace

// All content is sent: what another session's appends know to be stored may be gone by now.
result<session_row> postgres_journal::fork(
    const session_row& parent, const log_place& cut, const std::string& id, const append& first) {
  if (!is_id(id))
    return not_a_name("session", id);
  if (auto fault = fault_of(first))
    return *std::move(fault);
  const auto write = begun_at(parent, cut, first);
  recent_blobs none_known;
  auto batch = append_parameters_of({write}, none_known, true);
  binary_array names(element_type::text);
  names.add(std::string_view(id));
  names.add(std::string_view(parent.id));
  batch.values.push_back(names.take());
  bool taken = false;
  const auto made = attempt("forking the session", [&](database_connection& c) {
    try {
      return c.run_binary(sql::fork_session, batch.values);
    } catch (const database_fault& fault) {
      if (fault.sqlstate() == "23503") // content that went meanwhile
        throw database_fault(remedy::retry, fault.sqlstate(), fault.what());
      if (fault.sqlstate() != "23505")
        throw;
      taken = true; // by another one at this moment
      return database_rows();
    }
  });
  if (!made)
    return made.error();
  if (made->empty())
    return forked_before(parent, cut, id, first.append_id, taken);
  session_row row;
  row.key = {parent.key.tenant, number_in(made->at(0).at(0))};
  row.id = id;
  row.head = write.head;
  row.epoch = write.epoch;
  row.view = *write.view;
  row.created_at = row.updated_at = {number_in(made->at(0).at(1))};
  row.cut = cut.seq;
  return row;
}

// Nothing was made: an earlier try was, whose answer was lost, or the name is another one's, or the parent
// isn't there.
result<session_row> postgres_journal::forked_before(const session_row& parent, const log_place& cut,
    const std::string& id, const std::string& append_id, bool taken) {
  auto row = find(parent.key.tenant, id);
  if (!row && row.error().code == problem_code::not_found && !taken)
    return problem{problem_code::not_found,
        "there is no session `" + parent.id + "`, or its events up to " + std::to_string(cut.seq)
            + " were removed",
        {}};
  if (!row)
    return row;
  const auto facts = attempt_on_store("looking for the fork", [&] {
    return store_.look_up({{row->key, {}}});
  });
  if (!facts)
    return facts.error();
  return facts->front().last_append == append_id ? row : exists_already(id);
}

// The row that `insert` makes at `head` for the node `owner`, empty: for nobody; it gives no row where the id
// exists.
result<session_row> postgres_journal::made(const char* what, std::int32_t tenant, const std::string& id,
    const std::string& owner, std::int64_t head, const std::string& chain,
    const std::function<database_rows(database_connection&)>& insert) {
  if (!is_id(id))
    return not_a_name("session", id);
  int tries = 0;
  const auto inserted = attempt(what, [&](database_connection& c) {
    ++tries;
    try {
      return !insert(c).empty();
    } catch (const database_fault& fault) {
      if (fault.sqlstate() == "23505")
        return false; // made by another one at this moment
      throw;
    }
  });
  if (!inserted)
    return inserted.error();
  auto row = find(tenant, id);
  if (!row)
    return row.error();
  if (!*inserted) {
    // Made by us if the answer of an earlier try was lost.
    const auto there = tries > 1 ? owner_of(tenant, id) : result<session_owner>(problem{});
    if (!there || there->epoch != 1 || row->head != head || (there->node ? there->node->id : "") != owner)
      return exists_already(id);
  }
  commit_.heads().put(row->key, {row->epoch, head, chain, {}, {}, 0});
  return row;
}

result<void> postgres_journal::rename(
    const session_key& session, std::int64_t epoch, const std::string& id, const session_view& view) {
  if (!is_id(id))
    return not_a_name("session", id);
  bool exists = false;
  const auto rows = attempt("naming the session", [&](database_connection& c) {
    try {
      return c.run(sql::rename_session,
          {std::to_string(session.tenant), std::to_string(session.branch), std::to_string(epoch), id,
              view.status, view.needs_work ? "true" : "false",
              view.wake_at ? std::optional(std::to_string(view.wake_at->microseconds)) : std::nullopt,
              view.views});
    } catch (const database_fault& fault) {
      if (fault.sqlstate() != "23505")
        throw;
      exists = true;
      return database_rows();
    }
  });
  if (!rows)
    return rows.error();
  if (exists)
    return exists_already(id);
  if (rows->empty())
    return problem{problem_code::fenced, "the session is another one's now", {}};
  return {};
}

result<std::int64_t> postgres_journal::remove_through(
    const session_key& session, std::int64_t epoch, std::int64_t through) {
  const auto rows = attempt("removing events", [&](database_connection& c) {
    try {
      return c.run(sql::remove_through,
          {std::to_string(session.tenant), std::to_string(session.branch), std::to_string(epoch),
              std::to_string(through)});
    } catch (const database_fault& fault) {
      if (fault.sqlstate() == "23503") // somebody began to refer to content that went with it
        throw database_fault(remedy::retry, fault.sqlstate(), fault.what());
      throw;
    }
  });
  if (!rows)
    return rows.error();
  const auto& gone = rows->at(0).at(0);
  if (!gone)
    return problem{problem_code::fenced, "the session is another one's now", {}};
  return number_in(gone) < 0 ? result<std::int64_t>(read_by_a_fork()) : number_in(gone);
}

} // namespace troupe::persistence
