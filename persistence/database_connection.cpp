// The libpqxx side: connects, prepares, runs, and turns what it throws into `database_fault`.
#include "persistence/database_connection.hpp"

#include "persistence/answer_watch.hpp"

#include <set>
#include <utility>

#include <libpq-fe.h>
#include <pqxx/pqxx>

namespace troupe::persistence {

namespace {

/// The first line of what the server said: what follows (DETAIL) may quote content.
std::string first_line(std::string text) {
  text = text.substr(0, text.find('\n'));
  for (const std::string prefix : {"ERROR:  ", "FATAL:  "})
    if (text.rfind(prefix, 0) == 0)
      text.erase(0, prefix.size());
  return text;
}

// libpqxx keeps the SQLSTATE in most of its exceptions; for some the type is all there is.
template <class Function> auto guarded(pqxx::connection& connection, Function function) {
  try {
    return function();
  } catch (const pqxx::serialization_failure& e) {
    throw database_fault(remedy::retry, "40001", first_line(e.what()));
  } catch (const pqxx::deadlock_detected& e) {
    throw database_fault(remedy::retry, "40P01", first_line(e.what()));
  } catch (const pqxx::insufficient_privilege& e) {
    throw database_fault(remedy::wait, "42501", first_line(e.what()));
  } catch (const pqxx::too_many_connections& e) {
    throw database_fault(remedy::wait, "53300", first_line(e.what()));
  } catch (const pqxx::broken_connection& e) {
    throw database_fault(remedy::reconnect, "", first_line(e.what()));
  } catch (const pqxx::sql_error& e) {
    const auto state = connection.is_open() ? e.sqlstate() : "";
    throw database_fault(remedy_for(state), state, first_line(e.what()));
  } catch (const pqxx::failure& e) { // a commit whose answer never came, a rollback we don't know
    throw database_fault(remedy::reconnect, "", first_line(e.what()));
  } catch (const pqxx::pqxx_exception& e) { // libpqxx thinks that we use it wrongly
    throw database_fault(remedy::halve, "XX000", first_line(e.base().what()));
  }
}

std::string quoted(std::string_view value) {
  std::string out = "'";
  for (const char c : value) {
    if (c == '\'' || c == '\\')
      out += '\\';
    out += c;
  }
  return out + "'";
}

/// The connection string with our defaults for what it leaves out. libpq's own message about a
/// string that it can't read may quote the password, so it isn't passed on.
std::string with_defaults(const std::string& url) {
  char* error = nullptr;
  PQconninfoOption* const parsed = PQconninfoParse(url.c_str(), &error);
  if (!parsed) {
    PQfreemem(error);
    throw database_fault(remedy::wait, "",
        "the database URL can't be read; it is `postgresql://…` or `key=value …` as libpq takes them");
  }
  std::string out;
  std::set<std::string> given;
  for (auto option = parsed; option->keyword; ++option)
    if (option->val) {
      given.insert(option->keyword);
      out += std::string(option->keyword) + "=" + quoted(option->val) + " ";
    }
  PQconninfoFree(parsed);
  const std::pair<const char*, const char*> defaults[] = {{"fallback_application_name", "troupe"},
      {"connect_timeout", "5"}, {"keepalives_idle", "10"}, {"keepalives_interval", "5"},
      {"keepalives_count", "3"}, {"tcp_user_timeout", "15000"}, {"client_encoding", "UTF8"}};
  for (const auto& [keyword, value] : defaults)
    if (!given.count(keyword))
      out += std::string(keyword) + "=" + value + " ";
  return out;
}

// By iterator: each row or field that libpqxx hands out by itself counts its users up and down.
template <class Function> void each_row(const pqxx::result& result, Function function) {
  seen_row fields(static_cast<std::size_t>(result.columns()));
  for (auto row = result.begin(); row != result.end(); ++row) {
    auto field = row->begin();
    for (auto& seen : fields) {
      if (field->is_null())
        seen.reset();
      else
        seen.emplace(field->c_str(), field->size());
      ++field;
    }
    function(fields);
  }
}

database_rows rows_of(const pqxx::result& result) {
  database_rows out;
  out.reserve(result.size());
  each_row(result, [&](const seen_row& seen) {
    auto& fields = out.emplace_back();
    fields.reserve(seen.size());
    for (const auto& field : seen)
      if (field)
        fields.emplace_back(*field);
      else
        fields.emplace_back();
  });
  return out;
}

// Values read back don't depend on the server's defaults, plans are made once, no statement hangs
// for ever, and an acknowledged append is on the disk whatever the role's default is. Rows are looked
// up by their keys also where a table was small when the plan was made: it may have grown since.
constexpr const char* set_up = R"(
set datestyle = 'ISO'; set timezone = 'UTC'; set bytea_output = 'hex'; set jit = off;
set plan_cache_mode = 'force_generic_plan'; set enable_seqscan = off; set statement_timeout = '60s';
set idle_in_transaction_session_timeout = '60s';
select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off')";

} // namespace

struct database_connection::state {
  pqxx::connection connection;
  pqxx::quiet_errorhandler quiet;
  std::set<std::string> prepared;
  std::int32_t reads_for = 0; ///< the tenant that it can see alone; 0: it is the writer

  explicit state(const std::string& url) : connection(url), quiet(connection) {
    // libpqxx would connect anew behind our back, as another role.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    connection.inhibit_reactivation(true);
#pragma GCC diagnostic pop
  }

  void prepare(const sql::statement& statement) {
    if (prepared.insert(statement.name).second)
      connection.prepare(statement.name, statement.text);
  }

  // It stays what it is until it has to be the other: setting that for each transaction, and beginning and
  // ending one, would be three more round trips for every read. Whatever fails on the way is tried again.
  void become(pqxx::nontransaction& transaction, std::int32_t tenant) {
    if (reads_for == tenant)
      return;
    const auto before = std::exchange(reads_for, -1);
    std::string text = tenant == 0 ? "set role troupe_writer; "
        : before > 0               ? ""
                                   : "set role troupe_reader; ";
    text += tenant == 0 ? "reset troupe.tenant" : "set troupe.tenant = '" + std::to_string(tenant) + "'";
    transaction.exec(text);
    reads_for = tenant;
  }

  pqxx::result execute(
      pqxx::transaction_base& transaction, const sql::statement& statement, const parameters& values) {
    prepare(statement);
    std::vector<const char*> pointers;
    pointers.reserve(values.size());
    for (const auto& value : values)
      pointers.push_back(value ? value->c_str() : nullptr);
    return transaction.exec_prepared(statement.name, pqxx::prepare::make_dynamic_params(pointers));
  }

  pqxx::result read(std::int32_t tenant, const std::string& roles_missing, const sql::statement& statement,
      const parameters& values) {
    pqxx::nontransaction transaction(connection, statement.name);
    if (roles_missing.empty())
      become(transaction, tenant);
    return execute(transaction, statement, values);
  }
};

database_connection::database_connection(const std::string& url, answer_watch* watch) {
  const auto full = with_defaults(url);
  try {
    state_ = std::make_unique<state>(full);
  } catch (const pqxx::failure& e) {
    throw database_fault(remedy::wait, "08001", first_line(e.what()));
  }
  watch ? watch->over(socket(), [&] { script(set_up); }) : void(script(set_up));
}

database_connection::~database_connection() = default;

int database_connection::socket() const { return state_->connection.sock(); }

database_rows database_connection::run(const sql::statement& statement, const parameters& values) {
  return guarded(state_->connection, [&] {
    pqxx::nontransaction transaction(state_->connection, statement.name);
    state_->become(transaction, 0);
    return rows_of(state_->execute(transaction, statement, values));
  });
}

database_rows database_connection::run_binary(
    const sql::statement& statement, const binary_parameters& values) {
  return guarded(state_->connection, [&] {
    state_->prepare(statement);
    std::vector<pqxx::binarystring> binaries;
    binaries.reserve(values.size());
    for (const auto& value : values)
      binaries.emplace_back(value);
    pqxx::nontransaction transaction(state_->connection, statement.name);
    state_->become(transaction, 0);
    return rows_of(transaction.exec_prepared(statement.name, pqxx::prepare::make_dynamic_params(binaries)));
  });
}

database_rows database_connection::read(
    std::int32_t tenant, const sql::statement& statement, const parameters& values) {
  return guarded(
      state_->connection, [&] { return rows_of(state_->read(tenant, roles_missing_, statement, values)); });
}

void database_connection::read_each(std::int32_t tenant, const sql::statement& statement,
    const parameters& values, const std::function<void(const seen_row&)>& show) {
  each_row(
      guarded(state_->connection, [&] { return state_->read(tenant, roles_missing_, statement, values); }),
      show);
}

database_rows database_connection::script(const std::string& text) {
  return guarded(state_->connection, [&] {
    pqxx::nontransaction transaction(state_->connection, "script");
    state_->become(transaction, 0);
    return rows_of(transaction.exec(text));
  });
}

void database_connection::become_writer() {
  const auto there = script("select to_regprocedure('troupe.roles_missing()') is not null");
  if (there.at(0).at(0) != "t")
    throw database_fault(
        remedy::wait, "3F000", "the database has no schema of this program yet: `troupe migrate` makes it");
  roles_missing_ = script("select coalesce(troupe.roles_missing(), '')").at(0).at(0).value_or("");
  if (roles_missing_.empty())
    script("set role troupe_writer");
}

} // namespace troupe::persistence
