// Sessions' rows: made, forked, named. As troupe_writer.
#include "persistence/append_rules.hpp"
#include "persistence/postgres_journal_state.hpp"

#include "messages/digest.hpp"

namespace troupe::persistence {

result<session_row> postgres_journal::create(
    std::int32_t tenant, const std::string& id, const node_identity& node, const log_beginning& begins) {
  const auto chain = begins.seq > 0 ? std::optional(hex(begins.chain)) : std::nullopt;
  return made(
      "creating the session", tenant, id, node.id, begins.seq, begins.chain, [&](database_connection& c) {
        return c.run(
            sql::create_session, {std::to_string(tenant), id, node.id, std::to_string(begins.seq), chain});
      });
}

result<session_row> postgres_journal::fork(
    const session_row& parent, std::int64_t at, const std::string& chain, const std::string& id) {
  auto row = made("forking the session", parent.key.tenant, id, "", at, chain, [&](database_connection& c) {
    return c.run(sql::fork_session,
        {std::to_string(parent.key.tenant), std::to_string(parent.key.branch), std::to_string(at), id,
            parent.id, hex(chain)});
  });
  if (!row && row.error().code == problem_code::not_found)
    return problem{problem_code::not_found,
        "there is no session `" + parent.id + "`, or its events up to " + std::to_string(at)
            + " were removed",
        {}};
  return row;
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
    if (!there || there->epoch != 1 || row->head != head || row->begun()
        || (there->node ? there->node->id : "") != owner)
      return problem{problem_code::conflict, "session `" + id + "` exists already", {}};
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
    return problem{problem_code::conflict, "session `" + id + "` exists already", {}};
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
