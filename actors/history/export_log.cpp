// A page of events at a time, each append in one piece, with the chain made again on the way.
#include "actors/history/export_log.hpp"

#include "actors/history/exported_log.hpp"
#include "messages/digest.hpp"
#include "messages/event_codec.hpp"
#include "persistence/log_check.hpp"
#include "session/carried_state.hpp"

#include <set>

namespace troupe::actors {

namespace {

constexpr std::size_t exported_at_once = 1000;

class exporting {
 public:
  exporting(persistence::journal& journal, const persistence::session_row& row,
      const std::function<bool(const std::string&)>& write)
      : journal_(journal), row_(row), write_(write) {}

  result<void> begin() {
    std::string line;
    put_line(line, log_header{row_.id});
    return put(line);
  }

  result<void> take(std::vector<recorded_event> page) {
    for (auto& event : page) {
      if (head_ == 0) // of a log whose beginning was removed, the chain is there already
        chain_ = persistence::beginning_of(event).chain;
      head_ = event.seq;
      if (!open_.events.empty() && event.append_seq != open_.events.back().append_seq)
        if (auto done = put_append(); !done)
          return done;
      open_.events.push_back(std::move(event));
    }
    return {};
  }

  /// `chain`: at the head, as the session's row has it.
  result<exported> end(const std::string& chain) {
    if (!open_.events.empty())
      if (const auto done = put_append(); !done)
        return done.error();
    if (chain != chain_)
      return problem{problem_code::corrupt,
          "the chain of session `" + row_.id + "` doesn't hold; `troupe replay --verify " + row_.id
              + "` says more",
          {}};
    std::string line;
    put_line(line, log_end{head_, hex(chain_)});
    if (const auto done = put(line); !done)
      return done.error();
    return out_;
  }

 private:
  result<void> put(const std::string& lines) {
    return write_(lines) ? result<void>()
                         : problem{problem_code::cancelled, "what was exported could not be written", {}};
  }

  result<void> put_append() {
    std::string lines;
    for (const auto& event : open_.events) {
      const auto happened = decode(event);
      if (!happened)
        return happened.error();
      if (auto done = put_blobs(lines, event.seq, happened->data); !done)
        return done;
    }
    put_line(lines, open_);
    chain_ = chain_of(open_.events, std::move(chain_));
    out_.events += static_cast<std::int64_t>(open_.events.size());
    open_.events.clear();
    return put(lines);
  }

  template <class From> result<void> put_blobs(std::string& lines, std::int64_t seq, const From& from) {
    std::vector<std::string> names;
    each_reference(from, [&](const blob_ref& ref) {
      if (told_.insert(ref.blob).second)
        names.push_back(ref.blob);
    });
    if (names.empty())
      return {};
    const auto contents = journal_.blobs(row_.key.tenant, names);
    if (!contents)
      return contents.error();
    for (const auto& name : names) {
      const auto found = contents->find(name);
      if (found == contents->end() || content_name(std::string_view(found->second)) != name)
        return problem{problem_code::corrupt,
            "the content " + name + " that event " + std::to_string(seq) + " of session `" + row_.id
                + "` refers to is missing, or was altered",
            {}};
      put_line(lines, log_blob{name, found->second});
      ++out_.blobs;
      if constexpr (std::is_same_v<From, event_data>)
        if (const auto before = state_in(from, found->second))
          if (auto done = put_blobs(lines, seq, *before); !done)
            return done;
    }
    return {};
  }

  // What a log goes on from refers to content that no event of it does.
  static std::optional<session::state> state_in(const event_data& from, const std::string& content) {
    if (!std::holds_alternative<context_trimmed>(from))
      return std::nullopt;
    auto before = session::read_carried(content);
    return before ? std::optional(*std::move(before)) : std::nullopt;
  }

  persistence::journal& journal_;
  const persistence::session_row& row_;
  const std::function<bool(const std::string&)>& write_;
  log_append open_;
  std::string chain_;
  std::int64_t head_ = 0;
  std::set<std::string> told_; ///< content that stands in the file
  exported out_;
};

} // namespace

result<exported> export_log(persistence::journal& journal, const persistence::session_row& row,
    const std::function<bool(const std::string& lines)>& write) {
  const auto head = persistence::head_of(journal, row);
  if (!head)
    return head.error();
  exporting out(journal, row, write);
  if (const auto begun = out.begin(); !begun)
    return begun.error();
  for (std::int64_t read = 0; read < head->seq;) {
    const auto wanted = std::min<std::int64_t>(head->seq - read, exported_at_once);
    auto page = journal.read(row.key, read, static_cast<std::size_t>(wanted));
    if (!page)
      return page.error();
    while (!page->empty() && page->back().seq > head->seq)
      page->pop_back();
    if (page->empty())
      return problem{problem_code::corrupt,
          "the log of session `" + row.id + "` has no event " + std::to_string(read + 1), {}};
    read = page->back().seq;
    if (const auto done = out.take(*std::move(page)); !done)
      return done.error();
  }
  return out.end(head->chain);
}

} // namespace troupe::actors
