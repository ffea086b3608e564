// What a run found out: figures with their labels and targets, told as they come and as one document.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace troupe::bench {

using labels = std::vector<std::pair<std::string, std::string>>;

enum class bound { at_most, at_least };

struct figure {
  std::string name;
  troupe::bench::labels labels;
  double value = 0;
  std::string unit;
  std::optional<double> target = {};
  bound kind = bound::at_most;
};

/// How a run was asked for.
struct wishes {
  bool json = false;
  std::string only; ///< a part of a name; empty: everything
  int rounds = 3;
};

class report {
 public:
  explicit report(wishes how) : how_(std::move(how)) {}

  int rounds() const { return how_.rounds; }
  bool wants(const std::string& name) const;
  /// True if any of them is wanted.
  bool wants_any(const std::vector<std::string>& names) const;
  void add(figure found);
  std::string as_json(const std::string& postgres) const;

 private:
  wishes how_;
  std::vector<figure> figures_;
};

/// The middle value; the mean of the two middle ones of an even number.
double median(std::vector<double> values);
/// The value below which that part of them lies.
double quantile(std::vector<double> values, double part);

/// The median of what so many rounds gave.
template <class Round> double median_of(int rounds, Round round) {
  std::vector<double> values;
  for (int i = 0; i < rounds; ++i)
    values.push_back(round());
  return median(std::move(values));
}

/// Values of many moments, round by round; of each quantile the median over the rounds counts.
class quantiles {
 public:
  void add(const std::vector<double>& round);
  double at(double part) const;
  /// A figure for 0.5 and one for 0.99, with these targets.
  void tell(report& out, const std::string& name, const labels& where, std::optional<double> middle = {},
      std::optional<double> most = {}) const;

 private:
  std::vector<std::vector<double>> rounds_;
};

} // namespace troupe::bench
