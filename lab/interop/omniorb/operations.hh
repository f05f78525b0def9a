// Tables of the echo operations of Interop::Values and Interop::Containers, for the server and the
// client. They are grouped by the way in which the IDL-to-C++ mapping passes the type.
//
// Each entry is X(suffix of echo_, C++ type).

#ifndef INTEROP_OPERATIONS_HH
#define INTEROP_OPERATIONS_HH

// Basic types and enums: passed and returned by value.
#define ECHO_SCALARS(X)             \
  X(short, CORBA::Short)            \
  X(ushort, CORBA::UShort)          \
  X(long, CORBA::Long)              \
  X(ulong, CORBA::ULong)            \
  X(longlong, CORBA::LongLong)      \
  X(ulonglong, CORBA::ULongLong)    \
  X(float, CORBA::Float)            \
  X(double, CORBA::Double)          \
  X(char, CORBA::Char)              \
  X(boolean, CORBA::Boolean)        \
  X(octet, CORBA::Octet)            \
  X(serial, Interop::SerialAlias)   \
  X(colour, Interop::Colour)

// Strings, with or without a bound.
#define ECHO_STRINGS(X) \
  X(string)             \
  X(nickname)

// Structs of fixed size: passed by reference, returned by value.
#define ECHO_FIXED_STRUCTS(X)                        \
  X(bin, Interop::BinStruct)                         \
  X(octet_double_octet, Interop::OctetDoubleOctet)   \
  X(long_octet, Interop::LongOctet)                  \
  X(char_short, Interop::CharShort)                  \
  X(nested, Interop::Nested)                         \
  X(enum_boolean, Interop::EnumBoolean)              \
  X(small_arrays, Interop::SmallArrays)              \
  X(basics, Interop::Basics)                         \
  X(line, Interop::Geometry::Line)

// Unions of fixed size: as the structs.
#define ECHO_FIXED_UNIONS(X)            \
  X(by_colour, Interop::ByColour)       \
  X(by_longlong, Interop::ByLongLong)   \
  X(by_kind, Interop::ByKind)

// Structs and unions of variable size: passed by reference, returned on the heap.
#define ECHO_VARIABLE_STRUCTS(X)     \
  X(person, Interop::Person)         \
  X(keywords, Interop::Keywords)     \
  X(folder, Interop::Folder)

#define ECHO_VARIABLE_UNIONS(X)       \
  X(by_long, Interop::ByLong)         \
  X(by_boolean, Interop::ByBoolean)   \
  X(by_char, Interop::ByChar)         \
  X(expression, Interop::Expression)

// Arrays of fixed size: passed as pointers, the result on the heap.
#define ECHO_FIXED_ARRAYS(X)         \
  X(triple, Interop::Triple)         \
  X(digest, Interop::Digest)         \
  X(matrix, Interop::Matrix)         \
  X(bin_array, Interop::BinArray)

// Sequences without a bound: as the structs of variable size.
#define ECHO_SEQUENCES(X)                                     \
  X(short_seq, Interop::ShortSeq)                             \
  X(ushort_seq, Interop::UShortSeq)                           \
  X(long_seq, Interop::LongSeq)                               \
  X(ulong_seq, Interop::ULongSeq)                             \
  X(longlong_seq, Interop::LongLongSeq)                       \
  X(ulonglong_seq, Interop::ULongLongSeq)                     \
  X(float_seq, Interop::FloatSeq)                             \
  X(double_seq, Interop::DoubleSeq)                           \
  X(char_seq, Interop::CharSeq)                               \
  X(boolean_seq, Interop::BooleanSeq)                         \
  X(octet_seq, Interop::OctetSeq)                             \
  X(string_seq, Interop::StringSeq)                           \
  X(nickname_seq, Interop::NicknameSeq)                       \
  X(colour_seq, Interop::ColourSeq)                           \
  X(bin_seq, Interop::BinSeq)                                 \
  X(octet_double_octet_seq, Interop::OctetDoubleOctetSeq)     \
  X(long_octet_seq, Interop::LongOctetSeq)                    \
  X(char_short_seq, Interop::CharShortSeq)                    \
  X(nested_seq, Interop::NestedSeq)                           \
  X(enum_boolean_seq, Interop::EnumBooleanSeq)                \
  X(small_arrays_seq, Interop::SmallArraysSeq)                \
  X(basics_seq, Interop::BasicsSeq)                           \
  X(line_seq, Interop::LineSeq)                               \
  X(person_seq, Interop::PersonSeq)                           \
  X(by_long_seq, Interop::ByLongSeq)                          \
  X(by_kind_seq, Interop::ByKindSeq)                          \
  X(triple_seq, Interop::TripleSeq)                           \
  X(text_array_seq, Interop::TextArraySeq)                    \
  X(long_seq_seq, Interop::LongSeqSeq)                        \
  X(text_cube, Interop::TextCube)

// Sequences with a bound.
#define ECHO_BOUNDED_SEQUENCES(X)     \
  X(short_list, Interop::ShortList)   \
  X(codes, Interop::Codes)

// Types of variable size that contain references.
#define ECHO_REFERENCE_HOLDERS(X)                  \
  X(callback_seq, Interop::CallbackSeq)            \
  X(registration, Interop::Registration)           \
  X(registration_seq, Interop::RegistrationSeq)

#endif
