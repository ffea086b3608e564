// A stream for a caller outside: a reader that is subscribed for as long as it is held.
#include "actors/desk.hpp"
#include "actors/stream_hub/stream_reader.hpp"

namespace troupe::actors {

namespace {

class reading : public live_stream {
 public:
  reading(const node_parts& parts, persistence::session_key session, std::int64_t after, bool follow)
      : hub_(parts.hub), session_(session),
        reader_(std::make_shared<stream_reader>(after, follow, parts.reader_bytes_max)) {
    caf::anon_send(hub_, subscribe{session_, reader_});
  }
  ~reading() override { caf::anon_send(hub_, unsubscribe{session_, reader_}); }
  reading(const reading&) = delete;
  reading& operator=(const reading&) = delete;
  std::optional<stream_item> next(std::chrono::milliseconds patience) override {
    return reader_->next(patience);
  }
  bool ended() const override { return reader_->ended(); }
  bool overflowed() const override { return reader_->overflowed(); }
  void when_ready(std::function<void()> wake) override { reader_->when_ready(std::move(wake)); }

 private:
  caf::actor hub_;
  persistence::session_key session_;
  std::shared_ptr<stream_reader> reader_;
};

} // namespace

std::unique_ptr<live_stream> open_stream(
    const node_parts& parts, const persistence::session_key& session, std::int64_t after, bool follow) {
  return std::make_unique<reading>(parts, session, after, follow);
}

} // namespace troupe::actors
