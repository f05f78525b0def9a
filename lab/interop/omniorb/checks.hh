// The common part of all checks of the interop client: the report, and the comparison of IDL
// values.

#ifndef INTEROP_CHECKS_HH
#define INTEROP_CHECKS_HH

#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "interop.hh"

// ---- The report --------------------------------------------------------------------------------

// Thrown by a check that fails, with the reason.
struct Mismatch : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline void expect(bool holds, const std::string& what)
{
  if (!holds) throw Mismatch(what);
}

// Runs named checks ("operation/case"), prints one line for each, and counts.
class Report {
public:
  // Filters are substrings of check names. A filter that starts with "!" excludes. Without filters,
  // all checks run.
  explicit Report(std::vector<std::string> filters) : filters_(std::move(filters)) {}

  // A check fails with any exception. The message of the exception is the reason that is printed.
  template <class Body>
  void check(const std::string& operation, const std::string& name, Body body)
  {
    const std::string full = operation + "/" + name;
    if (!wants(full)) return;
    try {
      body();
      passed(full);
    } catch (const std::exception& error) {
      failed(full, error.what());
    } catch (const CORBA::Exception& error) {
      failed(full, describe(error));
    }
  }

  // Prints the totals. Returns the exit status: 0 if a check ran and none failed.
  int finish() const;

  static std::string describe(const CORBA::Exception& error);

private:
  bool wants(const std::string& name) const;
  void passed(const std::string& name);
  void failed(const std::string& name, const std::string& why);

  std::vector<std::string> filters_;
  unsigned passed_ = 0;
  unsigned failed_ = 0;
};

// ---- Values ------------------------------------------------------------------------------------

// An IDL array as a value. E may be an array too.
template <class E, size_t N>
struct ArrayOf {
  E v[N];
};

inline void encode(cdrStream& s, CORBA::Octet v) { s.marshalOctet(v); }   // CORBA::Char too
inline void encode(cdrStream& s, CORBA::Boolean v) { s.marshalBoolean(v); }
inline void encode(cdrStream& s, const std::string& v) { s.marshalString(v.c_str(), 0); }
inline void encode(cdrStream& s, const CORBA::String_member& v) { s.marshalString(v, 0); }

template <class T>
void encode(cdrStream& s, const T& v) { v >>= s; }

template <class E, size_t N>
void encode(cdrStream& s, const E (&v)[N])
{
  for (const E& element : v) encode(s, element);
}

template <class E, size_t N>
void encode(cdrStream& s, const ArrayOf<E, N>& v) { encode(s, v.v); }

// The CDR encoding of the value, with zeros as padding. Values are equal if their encodings are,
// for every type; NaN and -0.0 are compared by their bits.
template <class T>
std::string encoded(const T& value)
{
  cdrMemoryStream stream(0, true);
  encode(stream, value);
  return std::string(static_cast<const char*>(stream.bufPtr()), stream.bufSize());
}

// Throws a Mismatch that names the first difference between the encodings.
void expect_same_encoding(const std::string& what, const std::string& got, const std::string& wanted);

template <class T>
void expect_same(const std::string& what, const T& got, const T& wanted)
{
  expect_same_encoding(what, encoded(got), encoded(wanted));
}

// ---- The groups of checks ----------------------------------------------------------------------

// The echo operations of Values and Containers: client_values.cc.
void check_values(Report& report, Interop::Echo_ptr echo);

// All other operations: client_behaviour.cc, client_references.cc.
void check_behaviour(Report& report, Interop::Echo_ptr echo);
void check_references(Report& report, Interop::Echo_ptr echo, PortableServer::POA_ptr poa);

// The operations of interop_values.idl: client_exotics.cc.
void check_exotics(Report& report, Interop::Echo_ptr echo);

#endif
