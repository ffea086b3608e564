// Pages in, whole appends on to the verifier, and the chain against the row's at the end.
#include "actors/history/verification.hpp"

#include "messages/digest.hpp"
#include "messages/event_codec.hpp"
#include "persistence/log_check.hpp"
#include "session/carried_state.hpp"
#include "session/replay/verifier.hpp"

#include <algorithm>
#include <set>

namespace troupe::actors {

namespace {

constexpr std::size_t verified_at_once = 2000;

class verifying {
 public:
  verifying(persistence::journal& journal, const persistence::session_row& row)
      : journal_(journal), row_(row) {
    begin_anew();
  }

  /// Takes in what there is up to `last`, but for the begin of an append that goes on behind it.
  result<void> read_to(std::int64_t last, const std::function<bool(std::int64_t)>& progress) {
    while (!out_.first_difference && read_ < last) {
      const auto wanted = std::min<std::int64_t>(last - read_, verified_at_once);
      auto page = journal_.read(row_.key, read_, static_cast<std::size_t>(wanted));
      if (!page)
        return page.error();
      while (!page->empty() && page->back().seq > last)
        page->pop_back(); // of a log whose beginning was removed it is another number of events
      if (!page->empty() && persistence::beginning_of(page->front()).seq > read_)
        begin_anew(); // what lay between was removed meanwhile
      if (page->empty()) {
        differs({read_ + 1, "event " + std::to_string(read_ + 1) + " of " + std::to_string(last), "nothing",
            session::difference_kind::missing});
        break;
      }
      read_ = page->back().seq;
      if (auto done = check_content(*page); !done)
        return done;
      auto chains = journal_.chains(row_.key, page->front().seq - 1, read_);
      if (!chains)
        return chains.error();
      for (auto& [seq, chain] : *chains)
        chains_[seq] = std::move(chain);
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
          "another: an event was changed, or the row was", session::difference_kind::chain});
  }

  std::int64_t read() const { return read_; }
  bool differs() const { return out_.first_difference.has_value(); }
  verification& out() { return out_; }

 private:
  void differs(session::difference found) { out_.first_difference = std::move(found); }

  void begin_anew() {
    log_ = session::verifier([this](const std::string& name) { return state_named(name); });
    open_.clear();
  }

  // What events refer to by content is there, and is what they name: the digests are of the names alone.
  result<void> check_content(const std::vector<recorded_event>& page) {
    std::map<std::string, std::int64_t> wanted; // by name, where it is referred to first
    for (const auto& event : page) {
      if (event.payload.find("{\"blob\":\"sha256:") == std::string::npos)
        continue;
      const auto happened = decode(event);
      if (happened)
        each_reference(happened->data, [&](const blob_ref& ref) {
          if (checked_.insert(ref.blob).second)
            wanted.emplace(ref.blob, event.seq);
          if (event.type == "context.trimmed") {
            states_.try_emplace(ref.blob);
            last_state_ = event.seq;
          }
        });
    }
    while (!wanted.empty()) { // one by one: they may be big
      const auto [name, seq] = *wanted.begin();
      wanted.erase(wanted.begin());
      auto content = journal_.blob_of(row_.key, name);
      if (!content && content.error().code != problem_code::not_found)
        return content.error();
      if (!content)
        note_content({seq, "the content " + name, "nothing that the session may read",
            session::difference_kind::content});
      else if (content_name(std::string_view(*content)) != name)
        note_content({seq, "the content " + name, "another one: " + content_name(std::string_view(*content)),
            session::difference_kind::content});
      else if (const auto state = states_.find(name); state != states_.end()) {
        if (const auto before = session::read_carried(*content))
          session::each_reference(*before, [&](const blob_ref& ref) {
            if (checked_.insert(ref.blob).second)
              wanted.emplace(ref.blob, seq);
          });
        state->second = *std::move(content);
      }
    }
    return {};
  }

  std::optional<std::string> state_named(const std::string& name) const {
    const auto found = states_.find(name);
    return found == states_.end() ? std::nullopt : found->second;
  }

  // An earlier event that differs is told before.
  void note_content(session::difference found) {
    if (!content_ || found.seq < content_->seq)
      content_ = std::move(found);
  }

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
    if (!out_.first_difference && !cut)
      compare_inside();
    out_.events = log_.now().head - log_.begins_after();
    out_.begins_after = log_.begins_after();
    if (content_ && !out_.first_difference && content_->seq <= log_.now().head)
      out_.first_difference = content_;
    open_.clear();
    if (last_state_ <= log_.now().head)
      states_.clear();
  }

  // By these a snapshot is found to be one of this log.
  void compare_inside() {
    const auto stored = chains_.find(log_.now().head);
    if (stored == chains_.end() || stored->second != log_.chain())
      differs({log_.now().head, "the chain " + hex(log_.chain()),
          stored == chains_.end() ? "nothing" : hex(stored->second), session::difference_kind::chain});
    chains_.erase(chains_.begin(), chains_.upper_bound(log_.now().head));
  }

  persistence::journal& journal_;
  const persistence::session_row& row_;
  session::verifier log_;
  std::vector<recorded_event> open_; ///< of an append whose end wasn't seen yet
  std::int64_t read_ = 0;
  std::map<std::int64_t, std::string> chains_; ///< as they are stored, of what isn't verified yet
  std::set<std::string> checked_;              ///< content that was looked at
  std::optional<session::difference> content_; ///< the first that isn't what it should be
  std::map<std::string, std::optional<std::string>> states_; ///< that a log goes on from, not looked at yet
  std::int64_t last_state_ = 0;                              ///< where the last of them is
  verification out_;
};

result<verification> verified_once(persistence::journal& journal, const persistence::session_row& row,
    std::int64_t until, const std::function<bool(std::int64_t)>& progress) {
  if (until > row.head)
    return problem{problem_code::invalid_input,
        "`" + std::to_string(until) + "` is beyond the head of the session `" + row.id + "`, which is "
            + std::to_string(row.head),
        {}};
  if (!row.begun())
    return problem{problem_code::not_found, "there is no session `" + row.id + "`", {}};
  verifying log(journal, row);
  log.out().is_whole = until == 0;
  if (until > 0)
    if (const auto first = journal.read(row.key, 0, 1);
        first && !first->empty() && persistence::beginning_of(first->front()).seq >= until)
      return persistence::removed_by_retention(row.id, persistence::beginning_of(first->front()).seq);
  if (const auto done = log.read_to(until > 0 ? until : row.head, progress); !done)
    return done.error();
  if (until > 0) {
    const auto behind = journal.read(row.key, until, 1);
    if (!behind)
      return behind.error();
    if (behind->empty() || behind->front().append_seq == until + 1)
      log.finish(); // an append that goes on behind the end isn't judged
    return std::move(log.out());
  }
  // the chain is of a head that was read: until it is, the session has worked on
  while (!log.differs()) {
    const auto head = persistence::head_of(journal, row);
    if (!head)
      return head.error();
    if (head->seq == log.read()) {
      log.finish();
      log.compare(head->chain);
      break;
    }
    if (const auto done = log.read_to(head->seq, progress); !done)
      return done.error();
  }
  return std::move(log.out());
}

} // namespace

// Whatever is missing because retention removed it meanwhile isn't missed.
result<verification> verify_log(persistence::journal& journal, const persistence::session_row& row,
    std::int64_t until, const std::function<bool(std::int64_t)>& progress) {
  const auto first_event = [&] {
    const auto first = journal.read(row.key, 0, 1);
    return first && !first->empty() ? first->front().seq : 0;
  };
  while (true) {
    const auto began = first_event();
    auto found = verified_once(journal, row, until, progress);
    if (!found || !found->first_difference || first_event() == began)
      return found;
  }
}

} // namespace troupe::actors
