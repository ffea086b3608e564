// Reading: rows, events, blobs. As troupe_reader, each statement bound to one tenant.
#include "persistence/postgres_journal_state.hpp"

#include "persistence/append_rules.hpp"
#include "persistence/array_literal.hpp"
#include "persistence/event_rows.hpp"

#include <algorithm>

namespace troupe::persistence {

session_row session_row_of(const database_row& row) {
  session_row out;
  out.key = {static_cast<std::int32_t>(number_in(row.at(0))), number_in(row.at(1))};
  out.id = row.at(2).value_or("");
  out.head = number_in(row.at(3));
  out.epoch = number_in(row.at(4));
  out.node = row.at(5);
  out.view.status = row.at(6).value_or("");
  out.view.needs_work = row.at(7) == "t";
  if (row.at(8))
    out.view.wake_at = timestamp{number_in(row.at(8))};
  out.view.views = row.at(9).value_or("{}");
  out.deaths = number_in(row.at(10));
  out.created_at = {number_in(row.at(11))};
  out.updated_at = {number_in(row.at(12))};
  out.cut = number_in(row.at(13));
  return out;
}

result<session_row> postgres_journal::find(std::int32_t tenant, const std::string& id) {
  const auto rows = attempt("looking up the session", [&](database_connection& c) {
    return c.read(tenant, sql::find_session, {std::to_string(tenant), id});
  });
  if (!rows)
    return rows.error();
  if (rows->empty())
    return problem{problem_code::not_found, "there is no session `" + id + "`", {}};
  return session_row_of(rows->at(0));
}

result<std::vector<session_row>> postgres_journal::list(
    std::int32_t tenant, const std::string& status, std::size_t limit, const std::optional<page_mark>& page) {
  constexpr std::int64_t end_of_9999 = 253402300799000000;
  const auto mark = page.value_or(page_mark{{end_of_9999}, 0});
  const auto rows = attempt("listing sessions", [&](database_connection& c) {
    return c.read(tenant, sql::list_sessions,
        {std::to_string(tenant), status, std::to_string(mark.created_at.microseconds),
            std::to_string(mark.branch), std::to_string(std::min<std::size_t>(limit, 10'000))});
  });
  if (!rows)
    return rows.error();
  std::vector<session_row> out;
  for (const auto& row : *rows)
    out.push_back(session_row_of(row));
  return out;
}

result<std::vector<recorded_event>> postgres_journal::read(const session_key& session, std::int64_t after,
    std::size_t limit, const std::vector<std::string>& types) {
  // Each page is repeated by itself, so what was read stays.
  return attempt_on_store("reading events", [&] { return store_.read(session, after, limit, types); });
}

// A page's answer is whole before the first of it is shown, so each can be repeated by itself.
result<void> postgres_journal::read_payloads(const session_key& session, std::int64_t after,
    std::int64_t through, const std::vector<std::string>& types,
    const std::function<void(const seen_payload&)>& show) {
  array_literal wanted;
  for (const auto& type : types)
    wanted.add(type);
  const auto only = wanted.take();
  for (std::size_t seen = store_.page; seen == store_.page;) {
    seen = 0;
    const auto shown = attempt("reading events", [&](database_connection& c) {
      c.read_each(session.tenant, sql::read_payloads,
          {std::to_string(session.tenant), std::to_string(session.branch), std::to_string(after),
              std::to_string(through), only, std::to_string(store_.page)},
          [&](const seen_row& row) {
            const auto one = payload_of(row);
            if (one.seq <= after)
              throw out_of_order();
            after = one.seq;
            ++seen;
            show(one);
          });
      return true;
    });
    if (!shown)
      return shown.error();
  }
  return {};
}

result<std::vector<recorded_event>> postgres_journal::read_these(
    const session_key& session, const std::vector<std::int64_t>& seqs) {
  return attempt_on_store("reading events", [&] { return store_.read_these(session, seqs); });
}

result<std::map<session_key, std::int64_t>> postgres_journal::heads(
    const std::vector<session_key>& sessions) {
  array_literal tenants, branches;
  for (const auto& session : sessions) {
    tenants.add(std::int64_t{session.tenant});
    branches.add(session.branch);
  }
  const auto rows =
      attempt("reading heads", [&, t = tenants.take(), b = branches.take()](database_connection& c) {
        return c.run(sql::heads_of_sessions, {t, b});
      });
  if (!rows)
    return rows.error();
  std::map<session_key, std::int64_t> out;
  for (const auto& row : *rows)
    out[{static_cast<std::int32_t>(number_in(row.at(0))), number_in(row.at(1))}] = number_in(row.at(2));
  return out;
}

result<std::map<std::string, std::string>> postgres_journal::blobs(
    std::int32_t tenant, const std::vector<std::string>& names) {
  array_literal hashes;
  for (const auto& name : names)
    if (is_content_name(name))
      hashes.add_bytes(from_hex(std::string_view(name).substr(content_name_prefix)));
  const auto rows = attempt("reading stored content", [&, list = hashes.take()](database_connection& c) {
    return c.read(tenant, sql::read_blobs, {std::to_string(tenant), list});
  });
  if (!rows)
    return rows.error();
  std::map<std::string, std::string> out;
  for (const auto& row : *rows)
    out["sha256:" + row.at(0).value_or("")] = from_bytea(row.at(1).value_or(""));
  return out;
}

result<std::string> postgres_journal::blob_of(const session_key& session, const std::string& name) {
  const problem absent{problem_code::not_found, "the session refers to no content `" + name + "`", {}};
  if (!is_content_name(name))
    return absent;
  const auto rows = attempt("reading stored content", [&](database_connection& c) {
    return c.read(session.tenant, sql::blob_of_session,
        {std::to_string(session.tenant), std::to_string(session.branch),
            to_bytea(from_hex(std::string_view(name).substr(content_name_prefix)))});
  });
  if (!rows)
    return rows.error();
  return rows->empty() ? result<std::string>(absent) : from_bytea(rows->at(0).at(0).value_or(""));
}

result<std::optional<kept_snapshot>> postgres_journal::snapshot_before(
    const session_key& session, std::int64_t seq, std::int32_t version) {
  std::optional<kept_snapshot> out;
  if (version == 0)
    return out;
  const auto rows = attempt("reading the snapshot", [&](database_connection& c) {
    return c.read(session.tenant, sql::newest_snapshot,
        {std::to_string(session.tenant), std::to_string(session.branch), std::to_string(version),
            std::to_string(seq)});
  });
  if (!rows)
    return rows.error();
  if (!rows->empty()) {
    const auto& row = rows->at(0);
    out = kept_snapshot{{number_in(row.at(0)), version, from_bytea(row.at(1).value_or(""))},
        from_hex(row.at(2).value_or(""))};
  }
  return out;
}

void postgres_journal::keep(const session_key& session, const snapshot& folded) {
  (void)attempt("keeping a snapshot", [&](database_connection& c) {
    return c.run(sql::keep_snapshot,
        {std::to_string(session.tenant), std::to_string(session.branch), std::to_string(folded.seq),
            std::to_string(folded.version), to_bytea(folded.content), std::to_string(snapshot_every)});
  });
}

result<std::vector<log_place>> postgres_journal::chains(
    const session_key& session, std::int64_t after, std::int64_t through) {
  const auto rows = attempt("reading the chains", [&](database_connection& c) {
    return c.read(session.tenant, sql::read_chains,
        {std::to_string(session.tenant), std::to_string(session.branch), std::to_string(after),
            std::to_string(through)});
  });
  if (!rows)
    return rows.error();
  std::vector<log_place> out;
  for (const auto& row : *rows)
    out.push_back({number_in(row.at(0)), from_hex(row.at(1).value_or(""))});
  return out;
}

result<log_place> postgres_journal::head(const session_key& session) {
  const auto rows = attempt("reading the head", [&](database_connection& c) {
    return c.read(
        session.tenant, sql::read_head, {std::to_string(session.tenant), std::to_string(session.branch)});
  });
  if (!rows)
    return rows.error();
  if (rows->empty())
    return problem{
        problem_code::not_found, "there is no session on branch " + std::to_string(session.branch), {}};
  return log_place{number_in(rows->at(0).at(0)), from_hex(rows->at(0).at(1).value_or(""))};
}

} // namespace troupe::persistence
