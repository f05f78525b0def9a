// The longer operations of the Echo servant.

#include "echo_servant.hh"

namespace {

Interop::LongSeq long_seq(std::initializer_list<CORBA::Long> values)
{
  Interop::LongSeq result;
  result.length(values.size());
  CORBA::ULong i = 0;
  for (CORBA::Long value : values) result[i++] = value;
  return result;
}

} // namespace

Interop::Constants* EchoServant::all_constants()
{
  auto* all = new Interop::Constants;
  all->name_limit = Interop::NAME_LIMIT;
  all->negative_short = Interop::NEGATIVE_SHORT;
  all->top_short = Interop::TOP_SHORT;
  all->shifted = Interop::SHIFTED;
  all->masked = Interop::MASKED;
  all->high_bits = Interop::HIGH_BITS;
  all->far_below = Interop::FAR_BELOW;
  all->far_above = Interop::FAR_ABOVE;
  all->all_ones = Interop::ALL_ONES;
  all->agreed = Interop::AGREED;
  all->quote = Interop::QUOTE;
  all->hex_char = Interop::HEX_CHAR;
  all->half = Interop::HALF;
  all->scaled = Interop::SCALED;
  all->greeting = Interop::GREETING;
  all->favourite = Interop::FAVOURITE;
  return all;
}

char* EchoServant::wide(CORBA::Octet o, CORBA::Double d, CORBA::Char c, CORBA::LongLong ll,
                        CORBA::Boolean b, const char* text, CORBA::Short s, Interop::Colour colour_in,
                        CORBA::Float f, const Interop::BinStruct& bin, const Interop::LongSeq& numbers,
                        CORBA::Long& tally, char*& note, Interop::LongSeq_out out_numbers,
                        Interop::BinStruct& out_bin, CORBA::Float& out_f, Interop::Colour& out_colour,
                        CORBA::Short& out_s, CORBA::Boolean& out_b, CORBA::LongLong& out_ll,
                        CORBA::Char& out_c, CORBA::Double& out_d, CORBA::Octet& out_o)
{
  out_numbers = new Interop::LongSeq(numbers);
  out_bin = bin;
  out_f = f;
  out_colour = colour_in;
  out_s = s;
  out_b = b;
  out_ll = ll;
  out_c = c;
  out_d = d;
  out_o = o;
  tally += CORBA::Long(numbers.length());
  CORBA::String_var before = note;
  note = CORBA::string_dup((std::string(before) + text).c_str());
  return CORBA::string_dup(text);
}

CORBA::Boolean EchoServant::outputs_only(CORBA::Octet& o, CORBA::LongLong& ll, CORBA::Char& c,
                                         CORBA::Double& d, CORBA::String_out text,
                                         Interop::LongSeq_out numbers)
{
  o = 1;
  ll = 2;
  c = '3';
  d = 4.5;
  text = CORBA::string_dup("five");
  numbers = new Interop::LongSeq(long_seq({6, 7}));
  return true;
}

CORBA::Long EchoServant::choose(CORBA::Short which, char*& note, CORBA::Double& half)
{
  switch (which) {
  case 0: {
    CORBA::String_var before = note;
    note = CORBA::string_dup((std::string(before) + "!").c_str());
    half = 0.5;
    return 42;
  }
  case 1:
    throw Interop::Refused();
  case 2:
    throw Interop::Failed(note, which);
  case 3: {
    Interop::ByLong choice;
    choice.tiny(0);
    throw Interop::Echo::Detailed(3, Interop::BinStruct{}, Interop::LongSeq(), choice,
                                  Interop::Echo::REJECTED, note);
  }
  default:
    throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO);
  }
}

void EchoServant::raise_system(const char* name, CORBA::ULong minor_code, Interop::Echo::Completion status)
{
  const std::string wanted = name;
  const auto completed = CORBA::CompletionStatus(status);   // declared in the same order
#define RAISE(exception) \
  if (wanted == #exception) throw CORBA::exception(minor_code, completed);
  OMNIORB_FOR_EACH_SYS_EXCEPTION(RAISE)
#undef RAISE
  throw CORBA::BAD_PARAM(minor_code, completed);
}

Interop::Counter_ptr EchoServant::create_counter(CORBA::Long start)
{
  PortableServer::Servant_var<CounterServant> counter = new CounterServant(poa_, start);
  PortableServer::ObjectId_var id = poa_->activate_object(counter);
  return counter->_this();
}

CORBA::ULong EchoServant::call_all(const Interop::CallbackSeq& cbs, const char* text)
{
  CORBA::ULong called = 0;
  for (CORBA::ULong i = 0; i < cbs.length(); ++i) {
    if (CORBA::is_nil(cbs[i])) continue;
    cbs[i]->called(text);
    ++called;
  }
  return called;
}
