//! Tables of the echo operations of `Values` and `Containers`, for the servant and the checks. They
//! are grouped by the way in which the mapping passes the type.

/// Numbers, characters and enums, which are passed by value.
macro_rules! scalars {
    ($each:ident) => {
        $each! {
            echo_short: i16,
            echo_ushort: u16,
            echo_long: i32,
            echo_ulong: u32,
            echo_longlong: i64,
            echo_ulonglong: u64,
            echo_float: f32,
            echo_double: f64,
            echo_char: u8,
            echo_boolean: bool,
            echo_octet: u8,
            echo_serial: SerialAlias,
            echo_colour: Colour,
        }
    };
}

/// Structs and unions, which are passed by reference.
macro_rules! structs_and_unions {
    ($each:ident) => {
        $each! {
            echo_bin: BinStruct,
            echo_octet_double_octet: OctetDoubleOctet,
            echo_long_octet: LongOctet,
            echo_char_short: CharShort,
            echo_nested: Nested,
            echo_enum_boolean: EnumBoolean,
            echo_small_arrays: SmallArrays,
            echo_basics: Basics,
            echo_line: geometry::Line,
            echo_person: Person,
            echo_keywords: Keywords,
            echo_folder: Folder,
            echo_by_long: ByLong,
            echo_by_colour: ByColour,
            echo_by_boolean: ByBoolean,
            echo_by_char: ByChar,
            echo_by_longlong: ByLongLong,
            echo_by_kind: ByKind,
            echo_expression: Expression,
        }
    };
}

/// Arrays, passed by reference too.
macro_rules! arrays {
    ($each:ident) => {
        $each! {
            echo_triple: Triple,
            echo_digest: Digest,
            echo_matrix: Matrix,
            echo_bin_array: BinArray,
            echo_text_array: TextArray,
        }
    };
}

/// Sequences without a bound, by their elements, passed as slices.
macro_rules! sequences {
    ($each:ident) => {
        $each! {
            echo_short_seq: i16,
            echo_ushort_seq: u16,
            echo_long_seq: i32,
            echo_ulong_seq: u32,
            echo_longlong_seq: i64,
            echo_ulonglong_seq: u64,
            echo_float_seq: f32,
            echo_double_seq: f64,
            echo_char_seq: u8,
            echo_boolean_seq: bool,
            echo_octet_seq: u8,
            echo_string_seq: String,
            echo_colour_seq: Colour,
            echo_bin_seq: BinStruct,
            echo_octet_double_octet_seq: OctetDoubleOctet,
            echo_long_octet_seq: LongOctet,
            echo_char_short_seq: CharShort,
            echo_nested_seq: Nested,
            echo_enum_boolean_seq: EnumBoolean,
            echo_small_arrays_seq: SmallArrays,
            echo_basics_seq: Basics,
            echo_line_seq: geometry::Line,
            echo_person_seq: Person,
            echo_by_long_seq: ByLong,
            echo_by_kind_seq: ByKind,
            echo_triple_seq: Triple,
            echo_text_array_seq: TextArray,
            echo_long_seq_seq: LongSeq,
            echo_text_cube: Vec<StringSeq>,
        }
    };
}

pub(crate) use {arrays, scalars, sequences, structs_and_unions};
