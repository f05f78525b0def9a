// Made from structs.idl by the Armilla IDL compiler. Do not edit: change the IDL.

/// IDL module `Data`.
#[allow(dead_code, unreachable_pub, clippy::module_inception)]
pub mod data {
    use ::armilla::rt;

    /// IDL `Data::Kind`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
    #[repr(u32)]
    pub enum Kind {
        /// IDL `SMALL`.
        #[default]
        Small,
        /// IDL `LARGE`.
        Large,
    }

    impl Kind {
        /// The enumerator with the number `value`, the first being 0.
        ///
        /// # Errors
        /// When there are not so many enumerators.
        pub fn from_discriminant(value: u32) -> rt::CdrResult<Self> {
            match value {
                0 => Ok(Self::Small),
                1 => Ok(Self::Large),
                _ => Err(rt::CdrError::invalid_enum("Data::Kind", value)),
            }
        }
    }

    impl rt::Encode for Kind {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            out.put_u32(*self as u32);
            Ok(())
        }
    }

    impl<'a> rt::Decode<'a> for Kind {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Self::from_discriminant(input.u32()?)
        }
    }

    impl rt::Typed for Kind {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::enumeration(
                    "IDL:Data/Kind:1.0",
                    "Kind",
                    ["SMALL", "LARGE"],
                )
            });
            CODE.clone()
        }
    }

    /// The struct of the benchmarks: repeats every 24 octets.
    #[derive(Debug, Clone, Copy, PartialEq, Default)]
    pub struct BinStruct {
        /// IDL `s`.
        pub s: i16,
        /// IDL `c`.
        pub c: u8,
        /// IDL `l`.
        pub l: i32,
        /// IDL `o`.
        pub o: u8,
        /// IDL `d`.
        pub d: f64,
    }

    impl rt::Encode for BinStruct {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            out.put_i16(self.s);
            out.put_u8(self.c);
            out.put_i32(self.l);
            out.put_u8(self.o);
            out.put_f64(self.d);
            Ok(())
        }

        fn encode_slice<'p>(
            items: &'p [Self],
            out: &mut rt::Encoder<'p>,
        ) -> rt::CdrResult {
            out.put_fixed(items)
        }
    }

    impl<'a> rt::Decode<'a> for BinStruct {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Ok(Self {
                s: input.i16()?,
                c: input.u8()?,
                l: input.i32()?,
                o: input.u8()?,
                d: input.f64()?,
            })
        }

        fn decode_vec(
            input: &mut rt::Decoder<'a>,
            len: usize,
        ) -> rt::CdrResult<Vec<Self>> {
            input.fixed_vec(len)
        }
    }

    impl rt::Fixed for BinStruct {
        const ALIGN: usize = 8;
        const PHASE: usize = 0;
        type Chunk = [u8; 24];

        #[inline(always)]
        fn write<O: rt::Order>(&self, chunk: &mut [u8; 24]) {
            O::put_i16(chunk, 0..2, self.s);
            O::put_u8(chunk, 2..4, self.c);
            O::put_i32(chunk, 4..8, self.l);
            O::put_u8(chunk, 8..16, self.o);
            O::put_f64(chunk, 16..24, self.d);
        }

        #[inline(always)]
        fn read<O: rt::Order>(chunk: &[u8; 24]) -> rt::CdrResult<Self> {
            Ok(Self {
                s: O::i16(chunk, 0),
                c: O::u8(chunk, 2),
                l: O::i32(chunk, 4),
                o: O::u8(chunk, 8),
                d: O::f64(chunk, 16),
            })
        }
    }

    impl rt::Typed for BinStruct {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::structure(
                    "IDL:Data/BinStruct:1.0",
                    "BinStruct",
                    [
                        ("s", rt::TypeCode::Short),
                        ("c", rt::TypeCode::Char),
                        ("l", rt::TypeCode::Long),
                        ("o", rt::TypeCode::Octet),
                        ("d", rt::TypeCode::Double),
                    ],
                )
            });
            CODE.clone()
        }
    }

    /// Fixed through and through: an enum, a boolean, arrays and a nested struct.
    #[derive(Debug, Clone, Copy, PartialEq, Default)]
    pub struct Sample {
        /// IDL `head`.
        pub head: BinStruct,
        /// IDL `size`.
        pub size: Kind,
        /// IDL `valid`.
        pub valid: bool,
        /// Three coordinates.
        pub position: [f32; 3],
        /// IDL `grid`.
        pub grid: [[u16; 2]; 2],
        /// IDL `pair`.
        pub pair: [BinStruct; 2],
    }

    impl rt::Encode for Sample {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            rt::Encode::encode(&self.head, out)?;
            out.put_u32(self.size as u32);
            out.put_bool(self.valid);
            rt::Encode::encode(&self.position, out)?;
            rt::Encode::encode(&self.grid, out)?;
            rt::Encode::encode(&self.pair, out)
        }

        fn encode_slice<'p>(
            items: &'p [Self],
            out: &mut rt::Encoder<'p>,
        ) -> rt::CdrResult {
            out.put_fixed(items)
        }
    }

    impl<'a> rt::Decode<'a> for Sample {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Ok(Self {
                head: rt::Decode::decode(input)?,
                size: rt::Decode::decode(input)?,
                valid: input.bool()?,
                position: rt::Decode::decode(input)?,
                grid: rt::Decode::decode(input)?,
                pair: rt::Decode::decode(input)?,
            })
        }

        fn decode_vec(
            input: &mut rt::Decoder<'a>,
            len: usize,
        ) -> rt::CdrResult<Vec<Self>> {
            input.fixed_vec(len)
        }
    }

    impl rt::Fixed for Sample {
        const ALIGN: usize = 8;
        const PHASE: usize = 0;
        type Chunk = [u8; 96];

        #[inline(always)]
        fn write<O: rt::Order>(&self, chunk: &mut [u8; 96]) {
            O::put_i16(chunk, 0..2, self.head.s);
            O::put_u8(chunk, 2..4, self.head.c);
            O::put_i32(chunk, 4..8, self.head.l);
            O::put_u8(chunk, 8..16, self.head.o);
            O::put_f64(chunk, 16..24, self.head.d);
            O::put_u32(chunk, 24..28, self.size as u32);
            O::put_bool(chunk, 28..32, self.valid);
            O::put_f32(chunk, 32..36, self.position[0]);
            O::put_f32(chunk, 36..40, self.position[1]);
            O::put_f32(chunk, 40..44, self.position[2]);
            O::put_u16(chunk, 44..46, self.grid[0][0]);
            O::put_u16(chunk, 46..48, self.grid[0][1]);
            O::put_u16(chunk, 48..50, self.grid[1][0]);
            O::put_u16(chunk, 50..52, self.grid[1][1]);
            O::put_i16(chunk, 52..54, self.pair[0].s);
            O::put_u8(chunk, 54..56, self.pair[0].c);
            O::put_i32(chunk, 56..60, self.pair[0].l);
            O::put_u8(chunk, 60..64, self.pair[0].o);
            O::put_f64(chunk, 64..72, self.pair[0].d);
            O::put_i16(chunk, 72..74, self.pair[1].s);
            O::put_u8(chunk, 74..76, self.pair[1].c);
            O::put_i32(chunk, 76..80, self.pair[1].l);
            O::put_u8(chunk, 80..88, self.pair[1].o);
            O::put_f64(chunk, 88..96, self.pair[1].d);
        }

        #[inline(always)]
        fn read<O: rt::Order>(chunk: &[u8; 96]) -> rt::CdrResult<Self> {
            Ok(Self {
                head: BinStruct {
                    s: O::i16(chunk, 0),
                    c: O::u8(chunk, 2),
                    l: O::i32(chunk, 4),
                    o: O::u8(chunk, 8),
                    d: O::f64(chunk, 16),
                },
                size: Kind::from_discriminant(O::u32(chunk, 24))?,
                valid: O::bool(chunk, 28)?,
                position: [O::f32(chunk, 32), O::f32(chunk, 36), O::f32(chunk, 40)],
                grid: [
                    [O::u16(chunk, 44), O::u16(chunk, 46)],
                    [O::u16(chunk, 48), O::u16(chunk, 50)],
                ],
                pair: [
                    BinStruct {
                        s: O::i16(chunk, 52),
                        c: O::u8(chunk, 54),
                        l: O::i32(chunk, 56),
                        o: O::u8(chunk, 60),
                        d: O::f64(chunk, 64),
                    },
                    BinStruct {
                        s: O::i16(chunk, 72),
                        c: O::u8(chunk, 74),
                        l: O::i32(chunk, 76),
                        o: O::u8(chunk, 80),
                        d: O::f64(chunk, 88),
                    },
                ],
            })
        }
    }

    impl rt::Typed for Sample {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::structure(
                    "IDL:Data/Sample:1.0",
                    "Sample",
                    [
                        ("head", <BinStruct as rt::Typed>::type_code()),
                        ("size", <Kind as rt::Typed>::type_code()),
                        ("valid", rt::TypeCode::Boolean),
                        ("position", rt::TypeCode::array(rt::TypeCode::Float, 3)),
                        (
                            "grid",
                            rt::TypeCode::array(
                                rt::TypeCode::array(rt::TypeCode::UShort, 2),
                                2,
                            ),
                        ),
                        (
                            "pair",
                            rt::TypeCode::array(<BinStruct as rt::Typed>::type_code(), 2),
                        ),
                    ],
                )
            });
            CODE.clone()
        }
    }

    /// Too long to be unrolled, so member by member.
    #[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
    pub struct TooLong {
        /// IDL `values`.
        pub values: [i32; 17],
    }

    impl rt::Encode for TooLong {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            rt::Encode::encode(&self.values, out)
        }
    }

    impl<'a> rt::Decode<'a> for TooLong {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Ok(Self {
                values: rt::Decode::decode(input)?,
            })
        }
    }

    impl rt::Typed for TooLong {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::structure(
                    "IDL:Data/TooLong:1.0",
                    "TooLong",
                    [("values", rt::TypeCode::array(rt::TypeCode::Long, 17))],
                )
            });
            CODE.clone()
        }
    }

    /// IDL `Data::Person`.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Person {
        /// IDL `name`.
        pub name: String,
        /// IDL `code`.
        pub code: String,
        /// IDL `numbers`.
        pub numbers: Vec<i32>,
        /// IDL `key`.
        pub key: Vec<u8>,
        /// IDL `tags`.
        pub tags: Vec<String>,
        /// IDL `corners`.
        pub corners: [[String; 2]; 2],
        /// IDL `table`.
        pub table: Vec<Vec<f64>>,
        /// IDL `large`.
        pub large: [i64; 40],
        /// IDL `peer`.
        pub peer: rt::Object,
    }

    impl rt::Encode for Person {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            out.borrow_string(&self.name)?;
            out.put_bounded_string(&self.code, 8)?;
            out.put_sequence(&self.numbers)?;
            out.put_bounded_sequence(&self.key, 16)?;
            out.check_bound(self.tags.len(), 3)?;
            out.put_length(self.tags.len())?;
            for item in &self.tags {
                out.put_bounded_string(item, 4)?;
            }
            for item in &self.corners {
                for item in item {
                    out.put_bounded_string(item, 2)?;
                }
            }
            out.put_sequence(&self.table)?;
            rt::Encode::encode(&self.large, out)?;
            rt::Encode::encode(&self.peer, out)
        }
    }

    impl<'a> rt::Decode<'a> for Person {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Ok(Self {
                name: input.string().map(Into::into)?,
                code: input.bounded_string(8).map(Into::into)?,
                numbers: input.sequence()?,
                key: input.bounded_sequence(16)?,
                tags: input
                    .bounded_sequence_with(
                        3,
                        |input| input.bounded_string(4).map(Into::into),
                    )?,
                corners: input
                    .array_with(|input| {
                        input.array_with(|input| input.bounded_string(2).map(Into::into))
                    })?,
                table: input.sequence()?,
                large: rt::Decode::decode(input)?,
                peer: rt::Decode::decode(input)?,
            })
        }
    }

    impl rt::Typed for Person {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::structure(
                    "IDL:Data/Person:1.0",
                    "Person",
                    [
                        ("name", rt::TypeCode::String(0)),
                        ("code", rt::TypeCode::String(8)),
                        ("numbers", rt::TypeCode::sequence(rt::TypeCode::Long, 0)),
                        ("key", rt::TypeCode::sequence(rt::TypeCode::Octet, 16)),
                        ("tags", rt::TypeCode::sequence(rt::TypeCode::String(4), 3)),
                        (
                            "corners",
                            rt::TypeCode::array(
                                rt::TypeCode::array(rt::TypeCode::String(2), 2),
                                2,
                            ),
                        ),
                        (
                            "table",
                            rt::TypeCode::sequence(
                                rt::TypeCode::sequence(rt::TypeCode::Double, 0),
                                0,
                            ),
                        ),
                        ("large", rt::TypeCode::array(rt::TypeCode::LongLong, 40)),
                        ("peer", <rt::Object as rt::Typed>::type_code()),
                    ],
                )
            });
            CODE.clone()
        }
    }

    /// Contains itself.
    #[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
    pub struct Tree {
        /// IDL `value`.
        pub value: i32,
        /// IDL `children`.
        pub children: Vec<Tree>,
    }

    impl rt::Encode for Tree {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            out.put_i32(self.value);
            out.put_sequence(&self.children)
        }
    }

    impl<'a> rt::Decode<'a> for Tree {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Ok(Self {
                value: input.i32()?,
                children: input.sequence()?,
            })
        }
    }

    impl rt::Typed for Tree {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::structure(
                    "IDL:Data/Tree:1.0",
                    "Tree",
                    [
                        ("value", rt::TypeCode::Long),
                        (
                            "children",
                            rt::TypeCode::sequence(
                                rt::TypeCode::recursive("IDL:Data/Tree:1.0"),
                                0,
                            ),
                        ),
                    ],
                )
            });
            CODE.clone()
        }
    }

    /// IDL `Data::Outer`.
    #[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
    pub struct Outer {
        /// IDL `part`.
        pub part: outer::Inner,
        /// IDL `others`.
        pub others: Vec<outer::Inner>,
    }

    impl rt::Encode for Outer {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            rt::Encode::encode(&self.part, out)?;
            out.put_sequence(&self.others)
        }
    }

    impl<'a> rt::Decode<'a> for Outer {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Ok(Self {
                part: rt::Decode::decode(input)?,
                others: input.sequence()?,
            })
        }
    }

    impl rt::Typed for Outer {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::structure(
                    "IDL:Data/Outer:1.0",
                    "Outer",
                    [
                        ("part", <outer::Inner as rt::Typed>::type_code()),
                        (
                            "others",
                            rt::TypeCode::sequence(
                                <outer::Inner as rt::Typed>::type_code(),
                                0,
                            ),
                        ),
                    ],
                )
            });
            CODE.clone()
        }
    }

    /// What belongs to [`Outer`].
    pub mod outer {
        use ::armilla::rt;

        /// IDL `Data::Outer::Inner`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
        pub struct Inner {
            /// IDL `x`.
            pub x: i32,
        }

        impl rt::Encode for Inner {
            fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
                out.put_i32(self.x);
                Ok(())
            }

            fn encode_slice<'p>(
                items: &'p [Self],
                out: &mut rt::Encoder<'p>,
            ) -> rt::CdrResult {
                out.put_fixed(items)
            }
        }

        impl<'a> rt::Decode<'a> for Inner {
            fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
                Ok(Self { x: input.i32()? })
            }

            fn decode_vec(
                input: &mut rt::Decoder<'a>,
                len: usize,
            ) -> rt::CdrResult<Vec<Self>> {
                input.fixed_vec(len)
            }
        }

        impl rt::Fixed for Inner {
            const ALIGN: usize = 4;
            const PHASE: usize = 0;
            type Chunk = [u8; 4];

            #[inline(always)]
            fn write<O: rt::Order>(&self, chunk: &mut [u8; 4]) {
                O::put_i32(chunk, 0..4, self.x);
            }

            #[inline(always)]
            fn read<O: rt::Order>(chunk: &[u8; 4]) -> rt::CdrResult<Self> {
                Ok(Self { x: O::i32(chunk, 0) })
            }
        }

        impl rt::Typed for Inner {
            fn type_code() -> rt::TypeCode {
                static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                    rt::TypeCode::structure(
                        "IDL:Data/Outer/Inner:1.0",
                        "Inner",
                        [("x", rt::TypeCode::Long)],
                    )
                });
                CODE.clone()
            }
        }
    }
}
