// Creates values of every IDL type of the suite: zero, extreme, or pseudo-random from a seed.

#ifndef INTEROP_FILL_HH
#define INTEROP_FILL_HH

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "checks.hh"

// The characters of strings: Latin-1 by default, UTF-8 if that is the native code set of the ORB.
// NUL is excluded, because an IDL string cannot contain it.
struct Alphabet {
  static bool utf8;

  // All characters of Latin-1 in order, or characters of one to four bytes in UTF-8.
  static std::string everything()
  {
    if (utf8) return "~\x7f \u00e9\u00df\u07ff \u0800\u20ac\uffee \U00010348\U0001f600\U0010fffd";
    std::string all;
    for (int c = 1; c < 256; ++c) all.push_back(char(c));
    return all;
  }

  static int highest_char() { return utf8 ? 127 : 255; }
};

class Filler {
public:
  enum Mode { zero, lowest, highest, random };

  explicit Filler(Mode mode, uint64_t seed = 1) : mode_(mode), state_(seed * 0x9e3779b97f4a7c15u + 1) {}

  // -- Basic types

  template <class T>
  std::enable_if_t<std::is_integral_v<T>> operator()(T& v)
  {
    v = pick<T>(0, std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), T(next()));
  }

  void operator()(CORBA::Boolean& v) { v = pick(false, false, true, next() % 2 == 1); }

  // In omniORB, an octet is the same C++ type, so it is limited to the alphabet too.
  void operator()(CORBA::Char& v)
  {
    const int highest = Alphabet::highest_char();
    v = pick<CORBA::Char>(0, 1, CORBA::Char(highest), CORBA::Char(next() % (highest + 1)));
  }

  template <class T>
  std::enable_if_t<std::is_floating_point_v<T>> operator()(T& v)
  {
    using Limits = std::numeric_limits<T>;
    const T specials[] = {T(-0.0), Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(),
                          Limits::denorm_min(), Limits::min()};
    const uint64_t n = next();
    v = pick<T>(0, Limits::lowest(), Limits::max(),
                n % 8 < 6 ? std::ldexp(T(int64_t(next())), int(n >> 8) % 60) : specials[(n >> 8) % 6]);
  }

  void operator()(Interop::Colour& v) { v = enumerator(Interop::RED, Interop::ULTRAVIOLET); }
  void operator()(Interop::Reserved& v) { v = enumerator(Interop::impl, Interop::_cxx_enum); }

  // -- Strings: at most `limit` characters, and always ASCII when there is a limit in UTF-8

  std::string text(size_t limit = 40)
  {
    std::string result;
    const size_t length = pick<size_t>(0, 0, limit, next() % (limit + 1));
    while (result.size() < length) {
      CORBA::Char c;
      (*this)(c);
      if (c != 0) result.push_back(c);
    }
    return result;
  }

  void operator()(std::string& v) { v = text(); }
  void operator()(CORBA::String_member& v) { v = text().c_str(); }

  // -- Sequences and arrays

  template <class S>
  void elements(S& sequence, CORBA::ULong count)
  {
    sequence.length(count);
    for (CORBA::ULong i = 0; i < count; ++i) (*this)(sequence[i]);
  }

  void elements(Interop::StringSeq& v, CORBA::ULong count) { strings(v, count, 40); }
  void elements(Interop::NicknameSeq& v, CORBA::ULong count) { strings(v, count, Interop::NAME_LIMIT); }
  void elements(Interop::Codes& v, CORBA::ULong count) { strings(v, count, 4); }

  void elements(Interop::TripleSeq& v, CORBA::ULong count) { arrays<3>(v, count); }
  void elements(Interop::TextArraySeq& v, CORBA::ULong count) { arrays<3>(v, count); }

  // A sequence within another value is short.
  template <class S>
  auto operator()(S& sequence) -> decltype(sequence.length(), void()) { elements(sequence, small_count()); }

  template <class E, size_t N>
  void operator()(E (&v)[N])
  {
    for (E& element : v) (*this)(element);
  }

  template <class E, size_t N>
  void operator()(ArrayOf<E, N>& v) { (*this)(v.v); }

  // -- Structs

  void operator()(Interop::BinStruct& v) { each(v.s, v.c, v.l, v.o, v.d); }
  void operator()(Interop::OctetDoubleOctet& v) { each(v.first, v.middle, v.last); }
  void operator()(Interop::LongOctet& v) { each(v.number, v.flag); }
  void operator()(Interop::CharShort& v) { each(v.letter, v.number); }
  void operator()(Interop::Nested& v) { each(v.lead, v.inner, v.outer, v.tail); }
  void operator()(Interop::EnumBoolean& v) { each(v.on, v.shade, v.off); }
  void operator()(Interop::SmallArrays& v) { each(v.key, v.grid, v.pair); }
  void operator()(Interop::Basics& v)
  { each(v.o, v.s, v.c, v.us, v.b, v.l, v.o2, v.ul, v.f, v.ll, v.c2, v.ull, v.b2, v.d); }
  void operator()(Interop::Geometry::Point& v) { each(v.x, v.y); }
  void operator()(Interop::Geometry::Line& v) { each(v.from, v.to, v.pen); }
  void operator()(Interop::Person& v)
  {
    each(v.age, v.name, v.favourite, v.height, v.marks, v.lines);
    v.nick = text(Interop::NAME_LIMIT).c_str();
  }
  void operator()(Interop::Keywords& v)
  { each(v.type, v.self, v.crate, v.dyn, v._cxx_struct, v._cxx_class, v.super); }
  void operator()(Interop::Folder& v)
  {
    each(v.name, v.depth);
    if (depth_ == 3) return;
    ++depth_;
    elements(v.children, small_count());
    --depth_;
  }

  // -- Unions: one of the members. The checks of unions cover all members.

  void operator()(Interop::ByLong& v)
  {
    switch (next() % 4) {
    case 0: v.tiny(make<CORBA::Octet>()); break;
    case 1: v.unit(make<CORBA::Double>()); break;
    case 2: v.text(text().c_str()); break;
    default: v.record(make<Interop::BinStruct>()); break;
    }
  }

  void operator()(Interop::ByColour& v)
  {
    switch (next() % 3) {
    case 0: v.warm(make<CORBA::Short>()); break;
    case 1: v.cold(make<Interop::OctetDoubleOctet>()); break;
    default: v._default(); break;
    }
  }

  void operator()(Interop::ByKind& v)
  {
    switch (next() % 3) {
    case 0: v.number(make<CORBA::Long>()); break;
    case 1: v.colour(make<Interop::ByColour>()); break;
    default: v.rest(make<CORBA::Octet>()); break;
    }
  }

  template <class T>
  T make()
  {
    T value;
    (*this)(value);
    return value;
  }

private:
  template <class... Members>
  void each(Members&... members) { ((*this)(members), ...); }

  template <class S>
  void strings(S& sequence, CORBA::ULong count, size_t limit)
  {
    sequence.length(count);
    for (CORBA::ULong i = 0; i < count; ++i) sequence[i] = text(limit).c_str();
  }

  // An array in a sequence is a pointer to its first element.
  template <size_t N, class S>
  void arrays(S& sequence, CORBA::ULong count)
  {
    sequence.length(count);
    for (CORBA::ULong i = 0; i < count; ++i)
      for (size_t j = 0; j < N; ++j) (*this)(sequence[i][j]);
  }

  template <class E>
  E enumerator(E first, E last) { return pick(first, first, last, E(next() % (last + 1))); }

  CORBA::ULong small_count() { return pick<CORBA::ULong>(0, 0, 3, next() % 5); }

  template <class T>
  T pick(T at_zero, T at_lowest, T at_highest, T at_random) const
  {
    switch (mode_) {
    case zero: return at_zero;
    case lowest: return at_lowest;
    case highest: return at_highest;
    default: return at_random;
    }
  }

  // xorshift64: the same values on every machine.
  uint64_t next()
  {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }

  Mode mode_;
  uint64_t state_;
  int depth_ = 0;
};

#endif
