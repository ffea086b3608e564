// A node ends: first who runs sessions, then who keeps its lease, then whoever reads.
#include "actors/node_insides.hpp"

namespace troupe::actors {

node::~node() {
  in_->parts->ending = true;
  for (std::size_t i = 1; i < in_->journals.size(); ++i)
    if (i != of_examinations) // logs are shortened until the fleet has left
      in_->journals[i]->stop();
  in_->close_fleet();
  in_->parts->over = true;
  in_->journals[of_examinations]->stop();
  caf::anon_send(in_->parts->examinations, shut_down{}); // who waits for one is told
  in_->close(in_->keeper);
  for (const auto& actor : in_->parts->persistence)
    caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
  for (const auto& actor :
      {in_->parts->archive, in_->parts->records, in_->parts->history, in_->parts->hub, in_->desk})
    caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
  in_->tools.reset();
  in_->parts->on->run();
  // what they reach stays until the last of them has ended
  in_->system->await_all_actors_done();
  // threads of their own end with the last handle on their actor, and handles on sessions hold the parts
  in_->parts->persistence.clear();
  for (auto* const actor : {&in_->parts->archive, &in_->parts->records, &in_->parts->history,
           &in_->parts->examinations, &in_->parts->hub, &in_->keeper, &in_->fleet, &in_->desk})
    *actor = nullptr;
}

} // namespace troupe::actors
