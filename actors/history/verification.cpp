// Pages in, whole appends on to the verifier, and the chain against the row's at the end.
#include "actors/history/verification.hpp"

#include "session/replay/verifier.hpp"

#include <algorithm>

namespace troupe::actors {

namespace {

constexpr std::size_t verified_at_once = 2000;

class verifying {
 public:
  verifying(persistence::journal& journal, const persistence::session_row& row)
      : journal_(journal), row_(row) {}

  /// Takes in what there is up to `last`, but for the begin of an append that goes on behind it.
  result<void> read_to(std::int64_t last, const std::function<bool(std::int64_t)>& progress) {
    while (!out_.first_difference && read_ < last) {
      const auto wanted = std::min<std::int64_t>(last - read_, verified_at_once);
      auto page = journal_.read(row_.key, read_, static_cast<std::size_t>(wanted));
      if (!page)
        return page.error();
      if (page->empty()) {
        differs({read_ + 1, "event " + std::to_string(read_ + 1) + " of " + std::to_string(last), "nothing"});
        break;
      }
      read_ = page->back().seq;
      take(*std::move(page));
      if (progress && !progress(out_.events))
        return problem{problem_code::cancelled, "the verification was stopped", {}};
    }
    return {};
  }

  // An append is whole when the next one begins.
  void finish() {
    if (!out_.first_difference && !open_.empty())
      take_append();
  }

  void compare(const std::string& chain) {
    if (!out_.first_difference && chain != log_.chain())
      differs({log_.now().head, "the chain that the session's row holds",
          "another: an event was changed, or the row was"});
  }

  std::int64_t read() const { return read_; }
  bool differs() const { return out_.first_difference.has_value(); }
  verification& out() { return out_; }

 private:
  void differs(session::difference found) { out_.first_difference = std::move(found); }

  void take(std::vector<recorded_event> page) {
    for (auto& event : page) {
      if (!open_.empty() && event.append_seq != open_.back().append_seq)
        take_append(event.command == command_kind::fork);
      if (out_.first_difference)
        return;
      open_.push_back(std::move(event));
    }
  }

  // A fork's cut may lie within an append: of that one, the beginning is there.
  void take_append(bool cut = false) {
    out_.first_difference = log_.take(open_, cut);
    out_.events = log_.now().head;
    open_.clear();
  }

  persistence::journal& journal_;
  const persistence::session_row& row_;
  session::verifier log_;
  std::vector<recorded_event> open_; ///< of an append whose end wasn't seen yet
  std::int64_t read_ = 0;
  verification out_;
};

} // namespace

void put(json::writer& out, const verification& found) {
  out.key("ok").boolean(!found.first_difference).key("events").number(found.events);
  if (const auto& other = found.first_difference) {
    out.key("first_difference").begin_object().key("seq").number(other->seq);
    out.field("expected", other->expected).field("found", other->found).end_object();
  }
}

result<verification> verify_log(persistence::journal& journal, const persistence::session_row& row,
    std::int64_t until, const std::function<bool(std::int64_t)>& progress) {
  if (until > row.head)
    return problem{problem_code::invalid_input,
        "`" + std::to_string(until) + "` is beyond the head of the session `" + row.id + "`, which is "
            + std::to_string(row.head),
        {}};
  verifying log(journal, row);
  log.out().is_whole = until == 0;
  if (const auto done = log.read_to(until > 0 ? until : row.head, progress); !done)
    return done.error();
  if (until > 0)
    return std::move(log.out()); // an append that goes on behind the end isn't judged
  // the chain is of a head that was read: until it is, the session has worked on
  while (!log.differs()) {
    const auto chain = journal.chain(row.key);
    const auto heads = chain ? journal.heads({row.key}) : chain.error();
    if (!heads)
      return heads.error();
    const auto head = heads->find(row.key);
    if (head == heads->end())
      return problem{problem_code::not_found, "the session `" + row.id + "` was erased meanwhile", {}};
    if (head->second == log.read()) {
      log.finish();
      log.compare(*chain);
      break;
    }
    if (const auto done = log.read_to(head->second, progress); !done)
      return done.error();
  }
  return std::move(log.out());
}

} // namespace troupe::actors
