// Reading from the shared tables in memory.
#include "persistence/memory_journal_state.hpp"

#include <algorithm>

namespace troupe::persistence {

namespace {

bool waits_for_somebody(const std::string& views) {
  for (const char* const list : {"\"permissions\":", "\"uncertain\":", "\"client_calls\":"})
    if (views.find(list) != std::string::npos)
      return true;
  return false;
}

} // namespace

result<session_row> memory_journal::find(std::int32_t tenant, const std::string& id) {
  const std::scoped_lock lock(database_.mutex);
  const auto* const session = database_.find(tenant, id);
  if (!session)
    return no_such_session(id);
  return row_of(*session);
}

result<std::vector<session_row>> memory_journal::list(
    std::int32_t tenant, const std::string& status, std::size_t limit, const std::optional<page_mark>& page) {
  const std::scoped_lock lock(database_.mutex);
  std::vector<session_row> out;
  for (const auto& [key, session] : database_.sessions)
    if (key.tenant == tenant
        && (status.empty() || status == session.row.view.status
            || (status == "attention" && waits_for_somebody(session.row.view.views))))
      out.push_back(row_of(session));
  const auto age = [](const session_row& row) { return std::pair(row.created_at, row.key.branch); };
  std::sort(out.begin(), out.end(), [&](const auto& a, const auto& b) { return age(a) > age(b); });
  if (page)
    std::erase_if(
        out, [&](const auto& row) { return age(row) >= std::pair(page->created_at, page->branch); });
  out.resize(std::min(out.size(), limit));
  return out;
}

result<std::vector<session_row>> memory_journal::due(const node_identity& node, std::size_t limit,
    std::int32_t tenant, const std::vector<std::string>& except) {
  const std::scoped_lock lock(database_.mutex);
  std::vector<session_row> out;
  for (const auto& [key, session] : database_.sessions) {
    if ((tenant != 0 && key.tenant != tenant)
        || std::find(except.begin(), except.end(), session.row.id) != except.end())
      continue;
    const auto owner = database_.nodes.find(session.owner);
    const bool owner_is_dead = !session.owner.empty() && session.owner != node.id
        && owner != database_.nodes.end() && !database_.is_alive(owner->second);
    const auto& view = session.row.view;
    const bool wants = view.needs_work || (view.wake_at && *view.wake_at <= database_.now);
    if (out.size() < limit
        && ((session.owner.empty() && session.due_at && *session.due_at <= database_.now)
            || (owner_is_dead && wants)))
      out.push_back(row_of(session));
  }
  return out;
}

result<std::vector<recorded_event>> memory_journal::read(const session_key& session, std::int64_t after,
    std::size_t limit, const std::vector<std::string>& types) {
  auto events = appends_.read_after(session, after);
  if (!types.empty())
    std::erase_if(events,
        [&](const auto& event) { return std::find(types.begin(), types.end(), event.type) == types.end(); });
  if (events.size() > limit)
    events.resize(limit);
  return events;
}

result<std::vector<recorded_event>> memory_journal::read_these(
    const session_key& session, const std::vector<std::int64_t>& seqs) {
  auto events = appends_.read_after(session, 0);
  std::erase_if(events,
      [&](const auto& event) { return std::find(seqs.begin(), seqs.end(), event.seq) == seqs.end(); });
  return events;
}

result<std::map<session_key, std::int64_t>> memory_journal::heads(const std::vector<session_key>& sessions) {
  const std::scoped_lock lock(database_.mutex);
  std::map<session_key, std::int64_t> out;
  for (const auto& key : sessions)
    if (const auto found = database_.sessions.find(key); found != database_.sessions.end())
      out[key] = found->second.row.head;
  return out;
}

result<std::map<std::string, std::string>> memory_journal::blobs(
    std::int32_t tenant, const std::vector<std::string>& names) {
  const std::scoped_lock lock(database_.mutex);
  std::map<std::string, std::string> out;
  for (const auto& name : names)
    if (const auto found = database_.blobs.find({tenant, name}); found != database_.blobs.end())
      out[name] = found->second;
  return out;
}

result<std::string> memory_journal::blob_of(const session_key& key, const std::string& name) {
  const std::scoped_lock lock(database_.mutex);
  const auto session = database_.sessions.find(key);
  const auto content = database_.blobs.find({key.tenant, name});
  if (session == database_.sessions.end() || content == database_.blobs.end()
      || !session->second.blobs.contains(name))
    return problem{problem_code::not_found, "the session refers to no content `" + name + "`", {}};
  return content->second;
}

result<std::vector<log_place>> memory_journal::chains(
    const session_key& session, std::int64_t after, std::int64_t through) {
  const std::scoped_lock lock(database_.mutex);
  std::vector<log_place> out;
  if (const auto found = database_.sessions.find(session); found != database_.sessions.end())
    for (const auto& [seq, chain] : found->second.chains)
      if (seq > after && seq <= through)
        out.push_back({seq, chain});
  return out;
}

result<log_place> memory_journal::head(const session_key& session) {
  const std::scoped_lock lock(database_.mutex);
  const auto found = database_.sessions.find(session);
  if (found == database_.sessions.end())
    return problem{
        problem_code::not_found, "there is no session on branch " + std::to_string(session.branch), {}};
  return log_place{found->second.row.head, found->second.chain};
}

session_row memory_journal::row_of(const memory_session& session) const {
  auto row = session.row;
  if (const auto owner = database_.nodes.find(session.owner); owner != database_.nodes.end())
    row.node = owner->second.identity.name;
  return row;
}

} // namespace troupe::persistence
