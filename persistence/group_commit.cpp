// The loop of a batch: plan, write, find out about what wasn't written, and again.
//
// After a lost connection nobody knows whether the statement was committed, so exactly the same
// one is tried again: its expected heads keep it from happening twice, and the row's last append
// says if it had happened.
#include "persistence/group_commit.hpp"

#include <algorithm>

namespace troupe::persistence {

result<std::vector<append_outcome>> group_commit::append_all(const std::vector<append>& appends) {
  append_batch plan(appends, heads_);
  pending_.clear();
  limit_ = appends_max;
  wait_ = std::chrono::milliseconds{0};
  while (!plan.done()) {
    if (stopped())
      return problem{
          problem_code::unavailable, "the journal was stopped before the database took the append", {}};
    try {
      if (pending_.empty())
        prepare(plan);
      if (!pending_.empty())
        write(plan);
      wait_ = std::chrono::milliseconds{0};
    } catch (const database_fault& fault) {
      overcome(plan, fault);
    }
  }
  tell(false, "the database takes appends again"); // also where it refused the last of them
  return plan.take_outcomes();
}

void group_commit::prepare(append_batch& plan) {
  const auto questions = plan.questions();
  if (!questions.empty()) {
    const auto facts = store_.look_up(questions);
    for (std::size_t i = 0; i < questions.size(); ++i)
      plan.learn(questions[i].session, facts[i]);
  }
  auto writes = plan.next(limit_, bytes_max);
  // Heads move with what is written: the gaps are read before.
  for (const auto& gap : plan.take_gaps())
    plan.fill(gap, store_.read_after(gap.session, gap.after));
  pending_ = std::move(writes);
}

void group_commit::write(append_batch& plan) {
  const auto written = store_.write(pending_);
  std::vector<session_question> questions;
  std::vector<session_write*> not_written;
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    if (written[i])
      continue;
    auto& question = questions.emplace_back();
    question.session = pending_[i].session;
    for (const auto& row : pending_[i].claims)
      question.claims.push_back(row.claim);
    not_written.push_back(&pending_[i]);
  }
  // Asked before anything is settled: if this fails, the same writes are tried again, and those
  // that went through are recognized by their append id.
  const auto facts = questions.empty() ? std::vector<session_facts>{} : store_.look_up(questions);
  for (std::size_t i = 0; i < pending_.size(); ++i)
    if (written[i])
      plan.commit(std::move(pending_[i]));
  for (std::size_t i = 0; i < not_written.size(); ++i)
    plan.explain(std::move(*not_written[i]), facts[i]);
  pending_.clear();
  limit_ = std::min(limit_ * 2, appends_max);
}

void group_commit::overcome(append_batch& plan, const database_fault& fault) {
  if (fault.helps() != remedy::halve) {
    if (fault.helps() != remedy::retry)
      tell(true, std::string("appends wait for the database: ") + fault.what());
    pause(fault.helps() != remedy::retry);
    return;
  }
  if (store_.doubt())
    return; // the same again, with everything sent
  std::size_t count = 0;
  for (const auto& write : pending_)
    count += write.appends.size();
  if (count == 1) {
    plan.refuse(pending_.front().appends.front(),
        {problem_code::invalid_input, std::string("the database can't store the append: ") + fault.what(),
            {}});
    pending_.clear();
    return;
  }
  if (count == 0) { // a look-up or a read: nothing to halve
    tell(true, std::string("appends wait for the database: ") + fault.what());
    pause(true);
    return;
  }
  limit_ = std::max<std::size_t>(count / 2, 1);
  pending_.clear();
}

void group_commit::pause(bool longer) {
  wait_ = wait_.count() == 0 || !longer ? settings_.first : std::min(wait_ * 2, settings_.most);
  std::unique_lock lock(mutex_);
  stopping_.wait_for(lock, wait_, [this] { return stopped_; });
}

void group_commit::tell(bool trouble, const std::string& sentence) {
  if (std::exchange(in_trouble_, trouble) != trouble && settings_.on_trouble)
    settings_.on_trouble(sentence);
}

void group_commit::stop() {
  {
    const std::scoped_lock lock(mutex_);
    stopped_ = true;
  }
  stopping_.notify_all();
}

bool group_commit::stopped() const {
  const std::scoped_lock lock(mutex_);
  return stopped_;
}

} // namespace troupe::persistence
