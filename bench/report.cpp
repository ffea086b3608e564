// Lines on stderr, the document of docs/figures.md's readers.
#include "bench/report.hpp"

#include "messages/json.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <thread>

#include <sys/utsname.h>

namespace troupe::bench {

namespace {

bool good(const figure& f) { return f.kind == bound::at_most ? f.value <= *f.target : f.value >= *f.target; }

} // namespace

bool report::wants(const std::string& name) const {
  return how_.only.empty() || name.find(how_.only) != std::string::npos;
}

bool report::wants_any(const std::vector<std::string>& names) const {
  return std::any_of(names.begin(), names.end(), [&](const auto& name) { return wants(name); });
}

void report::add(figure found) {
  std::cerr << found.name;
  for (const auto& [key, value] : found.labels)
    std::cerr << " " << key << "=" << value;
  std::cerr << ": " << found.value << " " << found.unit;
  if (found.target)
    std::cerr << (good(found) ? "  ok" : "  MISSED") << ", wanted "
              << (found.kind == bound::at_most ? "<= " : ">= ") << *found.target;
  std::cerr << "\n";
  figures_.push_back(std::move(found));
}

std::string report::as_json(const std::string& postgres) const {
  utsname system{};
  uname(&system);
  json::writer out;
  out.begin_object().key("machine").begin_object();
  out.key("cores").number(std::int64_t{std::thread::hardware_concurrency()});
  out.field("kernel", system.release).field("architecture", system.machine).end_object();
  out.key("versions").begin_object().field("postgresql", postgres).end_object();
  out.key("figures").begin_array();
  for (const auto& f : figures_) {
    out.begin_object().field("name", f.name).key("labels").begin_object();
    for (const auto& [key, value] : f.labels)
      out.field(key, value);
    out.end_object().key("value").number(f.value).field("unit", f.unit);
    if (f.target)
      out.key("target").number(*f.target).key("ok").boolean(good(f));
    out.end_object();
  }
  return out.end_array().end_object().take();
}

double median(std::vector<double> values) {
  if (values.empty())
    return 0;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double quantile(std::vector<double> values, double part) {
  if (values.empty())
    return 0;
  std::sort(values.begin(), values.end());
  const auto place = static_cast<std::size_t>(std::ceil(part * static_cast<double>(values.size())));
  return values[std::clamp<std::size_t>(place, 1, values.size()) - 1];
}

void quantiles::add(const std::vector<double>& round) { rounds_.push_back(round); }

double quantiles::at(double part) const {
  std::vector<double> values;
  for (const auto& round : rounds_)
    values.push_back(quantile(round, part));
  return median(std::move(values));
}

void quantiles::tell(report& out, const std::string& name, const labels& where, std::optional<double> middle,
    std::optional<double> most) const {
  for (const auto& [part, called, target] :
      {std::tuple(0.5, "0.5", middle), std::tuple(0.99, "0.99", most)}) {
    labels all = where;
    all.emplace_back("quantile", called);
    out.add({name, std::move(all), at(part), "ms", target});
  }
}

} // namespace troupe::bench
