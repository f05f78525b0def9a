// Made from dynamic.idl by the Armilla IDL compiler. Do not edit: change the IDL.

/// Values that carry their type, and the TypeCodes of what can be in them.
#[allow(dead_code, unreachable_pub, clippy::module_inception)]
pub mod dynamic {
    use ::armilla::rt;

    /// IDL `Dynamic::Bag`.
    pub type Bag = Vec<rt::Any>;

    /// The TypeCode of IDL `Dynamic::Bag`.
    pub fn bag_type_code() -> rt::TypeCode {
        static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
            rt::TypeCode::alias(
                "IDL:Dynamic/Bag:1.0",
                "Bag",
                rt::TypeCode::sequence(rt::TypeCode::Any, 0),
            )
        });
        CODE.clone()
    }

    /// IDL `Dynamic::Code`.
    pub type Code = String;

    /// The TypeCode of IDL `Dynamic::Code`.
    pub fn code_type_code() -> rt::TypeCode {
        static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
            rt::TypeCode::alias("IDL:Dynamic/Code:1.0", "Code", rt::TypeCode::String(8))
        });
        CODE.clone()
    }

    /// IDL `Dynamic::Grid`.
    pub type Grid = [[u8; 3]; 2];

    /// The TypeCode of IDL `Dynamic::Grid`.
    pub fn grid_type_code() -> rt::TypeCode {
        static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
            rt::TypeCode::alias(
                "IDL:Dynamic/Grid:1.0",
                "Grid",
                rt::TypeCode::array(rt::TypeCode::array(rt::TypeCode::Char, 3), 2),
            )
        });
        CODE.clone()
    }

    /// IDL `Dynamic::Kind`.
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
                _ => Err(rt::CdrError::invalid_enum("Dynamic::Kind", value)),
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
                    "IDL:Dynamic/Kind:1.0",
                    "Kind",
                    ["SMALL", "LARGE"],
                )
            });
            CODE.clone()
        }
    }

    /// IDL `Dynamic::Entry`.
    #[derive(Debug, Clone, PartialEq, Default)]
    pub struct Entry {
        /// IDL `key`.
        pub key: Code,
        /// IDL `letters`.
        pub letters: Grid,
        /// IDL `value`.
        pub value: rt::Any,
        /// IDL `type`.
        pub r#type: rt::TypeCode,
        /// IDL `few`.
        pub few: Vec<i32>,
        /// IDL `target`.
        pub target: ProbeRef,
        /// IDL `other`.
        pub other: rt::Object,
    }

    impl rt::Encode for Entry {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            out.put_bounded_string(&self.key, 8)?;
            rt::Encode::encode(&self.letters, out)?;
            rt::Encode::encode(&self.value, out)?;
            rt::Encode::encode(&self.r#type, out)?;
            out.put_bounded_sequence(&self.few, 3)?;
            rt::Encode::encode(&self.target, out)?;
            rt::Encode::encode(&self.other, out)
        }
    }

    impl<'a> rt::Decode<'a> for Entry {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Ok(Self {
                key: input.bounded_string(8).map(Into::into)?,
                letters: rt::Decode::decode(input)?,
                value: rt::Decode::decode(input)?,
                r#type: rt::Decode::decode(input)?,
                few: input.bounded_sequence(3)?,
                target: rt::Decode::decode(input)?,
                other: rt::Decode::decode(input)?,
            })
        }
    }

    impl rt::Typed for Entry {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::structure(
                    "IDL:Dynamic/Entry:1.0",
                    "Entry",
                    [
                        (
                            "key",
                            rt::TypeCode::alias(
                                "IDL:Dynamic/Code:1.0",
                                "Code",
                                rt::TypeCode::String(8),
                            ),
                        ),
                        (
                            "letters",
                            rt::TypeCode::alias(
                                "IDL:Dynamic/Grid:1.0",
                                "Grid",
                                rt::TypeCode::array(
                                    rt::TypeCode::array(rt::TypeCode::Char, 3),
                                    2,
                                ),
                            ),
                        ),
                        ("value", rt::TypeCode::Any),
                        ("type", rt::TypeCode::TypeCode),
                        ("few", rt::TypeCode::sequence(rt::TypeCode::Long, 3)),
                        (
                            "target",
                            rt::TypeCode::object_reference(
                                "IDL:Dynamic/Probe:1.0",
                                "Probe",
                            ),
                        ),
                        ("other", <rt::Object as rt::Typed>::type_code()),
                    ],
                )
            });
            CODE.clone()
        }
    }

    /// IDL `Dynamic::Choice`.
    #[derive(Debug, Clone, PartialEq)]
    #[allow(clippy::large_enum_variant)]
    pub enum Choice {
        /// IDL `one`, selected by `b'a'`, `b'b'`.
        One {
            /// The discriminator, one of those that select this member.
            discriminator: u8,
            /// The member.
            value: Entry,
        },
        /// IDL `sort`, selected by `b'c'` and all other discriminators.
        Sort {
            /// The discriminator, one of those that select this member.
            discriminator: u8,
            /// The member.
            value: Kind,
        },
    }

    impl Choice {
        /// The discriminator of the value.
        pub fn discriminator(&self) -> u8 {
            match self {
                Self::One { discriminator, .. } | Self::Sort { discriminator, .. } => {
                    *discriminator
                }
            }
        }
    }

    impl rt::Encode for Choice {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            match self {
                Self::One { discriminator: discriminator @ (b'a' | b'b'), value } => {
                    out.put_u8(*discriminator);
                    rt::Encode::encode(value, out)
                }
                Self::One { .. } => {
                    Err(rt::CdrError::invalid_discriminator("Dynamic::Choice"))
                }
                Self::Sort { discriminator: b'a' | b'b', .. } => {
                    Err(rt::CdrError::invalid_discriminator("Dynamic::Choice"))
                }
                Self::Sort { discriminator, value } => {
                    out.put_u8(*discriminator);
                    out.put_u32(*value as u32);
                    Ok(())
                }
            }
        }
    }

    impl<'a> rt::Decode<'a> for Choice {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            let discriminator = input.u8()?;
            Ok(
                match discriminator {
                    b'a' | b'b' => {
                        Self::One {
                            discriminator,
                            value: rt::Decode::decode(input)?,
                        }
                    }
                    _ => {
                        Self::Sort {
                            discriminator,
                            value: rt::Decode::decode(input)?,
                        }
                    }
                },
            )
        }
    }

    impl rt::Typed for Choice {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::union(
                    "IDL:Dynamic/Choice:1.0",
                    "Choice",
                    rt::TypeCode::Char,
                    Some(3),
                    [
                        (97, "one", <Entry as rt::Typed>::type_code()),
                        (98, "one", <Entry as rt::Typed>::type_code()),
                        (99, "sort", <Kind as rt::Typed>::type_code()),
                        (0, "sort", <Kind as rt::Typed>::type_code()),
                    ],
                )
            });
            CODE.clone()
        }
    }

    /// IDL `Dynamic::Nothing`.
    #[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
    pub struct Nothing;

    impl ::std::fmt::Display for Nothing {
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            f.write_str("Dynamic::Nothing")
        }
    }

    impl ::std::error::Error for Nothing {}

    impl rt::UserException for Nothing {
        const REPOSITORY_ID: &'static str = "IDL:Dynamic/Nothing:1.0";
    }

    impl rt::Encode for Nothing {
        fn encode<'p>(&'p self, _out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            Ok(())
        }
    }

    impl<'a> rt::Decode<'a> for Nothing {
        fn decode(_input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Ok(Self)
        }
    }

    impl rt::Typed for Nothing {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::exception::<&str>("IDL:Dynamic/Nothing:1.0", "Nothing", [])
            });
            CODE.clone()
        }
    }

    /// IDL `Dynamic::Wrong`.
    #[derive(Debug, Clone, PartialEq, Default)]
    pub struct Wrong {
        /// IDL `what`.
        pub what: rt::Any,
    }

    impl ::std::fmt::Display for Wrong {
        fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
            write!(f, "Dynamic::Wrong (what: {:?})", self.what)
        }
    }

    impl ::std::error::Error for Wrong {}

    impl rt::UserException for Wrong {
        const REPOSITORY_ID: &'static str = "IDL:Dynamic/Wrong:1.0";
    }

    impl rt::Encode for Wrong {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            rt::Encode::encode(&self.what, out)
        }
    }

    impl<'a> rt::Decode<'a> for Wrong {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Ok(Self {
                what: rt::Decode::decode(input)?,
            })
        }
    }

    impl rt::Typed for Wrong {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::exception(
                    "IDL:Dynamic/Wrong:1.0",
                    "Wrong",
                    [("what", rt::TypeCode::Any)],
                )
            });
            CODE.clone()
        }
    }

    /// Contains itself.
    #[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
    pub struct Tree {
        /// IDL `name`.
        pub name: String,
        /// IDL `children`.
        pub children: Vec<Tree>,
    }

    impl rt::Encode for Tree {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            out.borrow_string(&self.name)?;
            out.put_sequence(&self.children)
        }
    }

    impl<'a> rt::Decode<'a> for Tree {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Ok(Self {
                name: input.string().map(Into::into)?,
                children: input.sequence()?,
            })
        }
    }

    impl rt::Typed for Tree {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::structure(
                    "IDL:Dynamic/Tree:1.0",
                    "Tree",
                    [
                        ("name", rt::TypeCode::String(0)),
                        (
                            "children",
                            rt::TypeCode::sequence(
                                rt::TypeCode::recursive("IDL:Dynamic/Tree:1.0"),
                                0,
                            ),
                        ),
                    ],
                )
            });
            CODE.clone()
        }
    }

    /// IDL `Dynamic::Nodes`.
    pub type Nodes = Vec<Node>;

    /// The TypeCode of IDL `Dynamic::Nodes`.
    pub fn nodes_type_code() -> rt::TypeCode {
        static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
            rt::TypeCode::alias(
                "IDL:Dynamic/Nodes:1.0",
                "Nodes",
                rt::TypeCode::sequence(<Node as rt::Typed>::type_code(), 0),
            )
        });
        CODE.clone()
    }

    /// IDL `Dynamic::Node`.
    #[derive(Debug, Clone, PartialEq, Eq, Hash)]
    pub struct Node {
        /// IDL `onward`.
        pub onward: node::Link,
    }

    impl rt::Encode for Node {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            rt::Encode::encode(&self.onward, out)
        }
    }

    impl<'a> rt::Decode<'a> for Node {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Ok(Self {
                onward: rt::Decode::decode(input)?,
            })
        }
    }

    impl rt::Typed for Node {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::structure(
                    "IDL:Dynamic/Node:1.0",
                    "Node",
                    [
                        (
                            "onward",
                            rt::TypeCode::union(
                                "IDL:Dynamic/Node/Link:1.0",
                                "Link",
                                rt::TypeCode::Boolean,
                                None,
                                [
                                    (
                                        1,
                                        "next",
                                        rt::TypeCode::alias(
                                            "IDL:Dynamic/Nodes:1.0",
                                            "Nodes",
                                            rt::TypeCode::sequence(
                                                rt::TypeCode::recursive("IDL:Dynamic/Node:1.0"),
                                                0,
                                            ),
                                        ),
                                    ),
                                ],
                            ),
                        ),
                    ],
                )
            });
            CODE.clone()
        }
    }

    /// What belongs to [`Node`].
    pub mod node {
        use ::armilla::rt;

        /// IDL `Dynamic::Node::Link`.
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        pub enum Link {
            /// IDL `next`, selected by `true`.
            Next(super::Nodes),
            /// A discriminator that selects no member.
            Unlisted {
                /// The discriminator.
                discriminator: bool,
            },
        }

        impl Link {
            /// The discriminator of the value.
            pub fn discriminator(&self) -> bool {
                match self {
                    Self::Next(_) => true,
                    Self::Unlisted { discriminator } => *discriminator,
                }
            }
        }

        impl rt::Encode for Link {
            fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
                match self {
                    Self::Next(value) => {
                        out.put_bool(true);
                        out.put_sequence(value)
                    }
                    Self::Unlisted { discriminator: true, .. } => {
                        Err(rt::CdrError::invalid_discriminator("Dynamic::Node::Link"))
                    }
                    Self::Unlisted { discriminator } => {
                        out.put_bool(*discriminator);
                        Ok(())
                    }
                }
            }
        }

        impl<'a> rt::Decode<'a> for Link {
            fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
                let discriminator = input.bool()?;
                Ok(
                    match discriminator {
                        true => Self::Next(input.sequence()?),
                        _ => Self::Unlisted { discriminator },
                    },
                )
            }
        }

        impl rt::Typed for Link {
            fn type_code() -> rt::TypeCode {
                static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                    rt::TypeCode::union(
                        "IDL:Dynamic/Node/Link:1.0",
                        "Link",
                        rt::TypeCode::Boolean,
                        None,
                        [
                            (
                                1,
                                "next",
                                rt::TypeCode::alias(
                                    "IDL:Dynamic/Nodes:1.0",
                                    "Nodes",
                                    rt::TypeCode::sequence(
                                        rt::TypeCode::structure(
                                            "IDL:Dynamic/Node:1.0",
                                            "Node",
                                            [
                                                (
                                                    "onward",
                                                    rt::TypeCode::recursive("IDL:Dynamic/Node/Link:1.0"),
                                                ),
                                            ],
                                        ),
                                        0,
                                    ),
                                ),
                            ),
                        ],
                    )
                });
                CODE.clone()
            }
        }
    }

    /// Contains such by way of a typedef, and not itself.
    pub type Graph = Nodes;

    /// The TypeCode of IDL `Dynamic::Graph`.
    pub fn graph_type_code() -> rt::TypeCode {
        static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
            rt::TypeCode::alias(
                "IDL:Dynamic/Graph:1.0",
                "Graph",
                rt::TypeCode::alias(
                    "IDL:Dynamic/Nodes:1.0",
                    "Nodes",
                    rt::TypeCode::sequence(<Node as rt::Typed>::type_code(), 0),
                ),
            )
        });
        CODE.clone()
    }

    /// IDL `Dynamic::Forest`.
    #[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
    pub struct Forest {
        /// IDL `all`.
        pub all: Graph,
    }

    impl rt::Encode for Forest {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            out.put_sequence(&self.all)
        }
    }

    impl<'a> rt::Decode<'a> for Forest {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Ok(Self { all: input.sequence()? })
        }
    }

    impl rt::Typed for Forest {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::structure(
                    "IDL:Dynamic/Forest:1.0",
                    "Forest",
                    [
                        (
                            "all",
                            rt::TypeCode::alias(
                                "IDL:Dynamic/Graph:1.0",
                                "Graph",
                                rt::TypeCode::alias(
                                    "IDL:Dynamic/Nodes:1.0",
                                    "Nodes",
                                    rt::TypeCode::sequence(<Node as rt::Typed>::type_code(), 0),
                                ),
                            ),
                        ),
                    ],
                )
            });
            CODE.clone()
        }
    }

    /// IDL `Dynamic::Base`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct Base {
        /// IDL `first`.
        pub first: i32,
    }

    impl rt::Encode for Base {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            out.put_i32(self.first);
            Ok(())
        }

        fn encode_slice<'p>(
            items: &'p [Self],
            out: &mut rt::Encoder<'p>,
        ) -> rt::CdrResult {
            out.put_fixed(items)
        }
    }

    impl<'a> rt::Decode<'a> for Base {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Ok(Self { first: input.i32()? })
        }

        fn decode_vec(
            input: &mut rt::Decoder<'a>,
            len: usize,
        ) -> rt::CdrResult<Vec<Self>> {
            input.fixed_vec(len)
        }
    }

    impl rt::Fixed for Base {
        const ALIGN: usize = 4;
        const PHASE: usize = 0;
        type Chunk = [u8; 4];

        #[inline(always)]
        fn write<O: rt::Order>(&self, chunk: &mut [u8; 4]) {
            O::put_i32(chunk, 0..4, self.first);
        }

        #[inline(always)]
        fn read<O: rt::Order>(chunk: &[u8; 4]) -> rt::CdrResult<Self> {
            Ok(Self { first: O::i32(chunk, 0) })
        }
    }

    impl rt::Typed for Base {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::structure(
                    "IDL:Dynamic/Base:1.0",
                    "Base",
                    [("first", rt::TypeCode::Long)],
                )
            });
            CODE.clone()
        }
    }

    /// IDL `Dynamic::Derived`.
    #[derive(Debug, Clone, Copy, PartialEq, Default)]
    pub struct Derived {
        /// IDL `first`.
        pub first: i32,
        /// IDL `second`.
        pub second: f64,
    }

    impl rt::Encode for Derived {
        fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
            out.put_i32(self.first);
            out.put_f64(self.second);
            Ok(())
        }

        fn encode_slice<'p>(
            items: &'p [Self],
            out: &mut rt::Encoder<'p>,
        ) -> rt::CdrResult {
            out.put_fixed(items)
        }
    }

    impl<'a> rt::Decode<'a> for Derived {
        fn decode(input: &mut rt::Decoder<'a>) -> rt::CdrResult<Self> {
            Ok(Self {
                first: input.i32()?,
                second: input.f64()?,
            })
        }

        fn decode_vec(
            input: &mut rt::Decoder<'a>,
            len: usize,
        ) -> rt::CdrResult<Vec<Self>> {
            input.fixed_vec(len)
        }
    }

    impl rt::Fixed for Derived {
        const ALIGN: usize = 8;
        const PHASE: usize = 0;
        type Chunk = [u8; 16];

        #[inline(always)]
        fn write<O: rt::Order>(&self, chunk: &mut [u8; 16]) {
            O::put_i32(chunk, 0..8, self.first);
            O::put_f64(chunk, 8..16, self.second);
        }

        #[inline(always)]
        fn read<O: rt::Order>(chunk: &[u8; 16]) -> rt::CdrResult<Self> {
            Ok(Self {
                first: O::i32(chunk, 0),
                second: O::f64(chunk, 8),
            })
        }
    }

    impl rt::Typed for Derived {
        fn type_code() -> rt::TypeCode {
            static CODE: rt::SharedTypeCode = rt::SharedTypeCode::new(|| {
                rt::TypeCode::structure(
                    "IDL:Dynamic/Derived:1.0",
                    "Derived",
                    [("first", rt::TypeCode::Long), ("second", rt::TypeCode::Double)],
                )
            });
            CODE.clone()
        }
    }

    /// IDL interface `Dynamic::Probe`.
    pub trait Probe: Send + Sync + 'static {
        /// IDL operation `echo`.
        fn echo(
            &self,
            given: &rt::Any,
            kept: &mut rt::Any,
        ) -> Result<(rt::Any, rt::TypeCode), rt::Error<probe::EchoRaises>>;

        /// Reads the attribute `shape`.
        fn shape(&self) -> Result<rt::TypeCode, rt::SystemException>;

        /// Sets the attribute [`shape`](Self::shape).
        fn set_shape(&self, value: &rt::TypeCode) -> Result<(), rt::SystemException>;

        /// IDL operation `all`.
        fn all(&self, some: &[rt::Any]) -> Result<Bag, rt::SystemException>;

        /// What answers the operations that every object has in place of the ORB: `Some(self)` of a
        /// servant that is an `armilla::ServantBase`.
        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            None
        }
    }

    /// A reference to an object with the interface [`Probe`].
    pub type ProbeRef = rt::Ref<dyn Probe>;

    impl<I: Probe + rt::Interface + ?Sized> Probe for rt::Ref<I> {
        fn echo(
            &self,
            given: &rt::Any,
            kept: &mut rt::Any,
        ) -> Result<(rt::Any, rt::TypeCode), rt::Error<probe::EchoRaises>> {
            if let Some(done) = self
                .directly(|servant| Probe::echo(servant, given, kept))
            {
                return done;
            }
            self.invoke_raises(
                    "echo",
                    |out| {
                        rt::Encode::encode(given, out)?;
                        rt::Encode::encode(&*kept, out)
                    },
                    |input| Ok((
                        rt::Decode::decode(input)?,
                        rt::Decode::decode(input)?,
                        rt::Decode::decode(input)?,
                    )),
                )
                .map(|(result, new_kept, r#type)| {
                    *kept = new_kept;
                    (result, r#type)
                })
        }

        #[allow(clippy::redundant_closure)]
        fn shape(&self) -> Result<rt::TypeCode, rt::SystemException> {
            if let Some(done) = self.directly(|servant| Probe::shape(servant)) {
                return done;
            }
            self.invoke("_get_shape", |_out| Ok(()), |input| rt::Decode::decode(input))
        }

        fn set_shape(&self, value: &rt::TypeCode) -> Result<(), rt::SystemException> {
            if let Some(done) = self.directly(|servant| Probe::set_shape(servant, value))
            {
                return done;
            }
            self.invoke(
                "_set_shape",
                |out| rt::Encode::encode(value, out),
                |_input| Ok(()),
            )
        }

        fn all(&self, some: &[rt::Any]) -> Result<Bag, rt::SystemException> {
            if let Some(done) = self.directly(|servant| Probe::all(servant, some)) {
                return done;
            }
            self.invoke("all", |out| out.put_sequence(some), |input| input.sequence())
        }
    }

    impl rt::Interface for dyn Probe {
        const REPOSITORY_ID: &'static str = "IDL:Dynamic/Probe:1.0";
        const BASES: &'static [&'static str] = &[];
        const OPERATIONS: &'static [&'static str] = &[
            "echo",
            "_get_shape",
            "_set_shape",
            "all",
        ];

        fn dispatch(&self, call: &mut rt::ServerCall<'_>) -> rt::Dispatched {
            static OPERATIONS: rt::Operations<4, 8> = rt::Operations::new(
                <dyn Probe as rt::Interface>::OPERATIONS,
            );
            match OPERATIONS.find(call.operation()) {
                Some(number) => rt::Interface::perform(self, number, call),
                None => call.unknown_operation(),
            }
        }

        #[inline]
        fn perform(
            &self,
            number: usize,
            call: &mut rt::ServerCall<'_>,
        ) -> rt::Dispatched {
            match number {
                0 => probe::skeleton::echo(self, call),
                1 => probe::skeleton::shape(self, call),
                2 => probe::skeleton::set_shape(self, call),
                3 => probe::skeleton::all(self, call),
                _ => call.unknown_operation(),
            }
        }

        fn servant_base(&self) -> Option<&dyn rt::ServantBase> {
            Probe::servant_base(self)
        }

        fn signature(operation: &str) -> Option<rt::Signature> {
            Some(
                match operation {
                    "echo" => {
                        rt::Signature::new()
                            .with_in("given", rt::TypeCode::Any)
                            .with_inout("kept", rt::TypeCode::Any)
                            .with_out("type", rt::TypeCode::TypeCode)
                            .with_result(rt::TypeCode::Any)
                            .with_exception(<Wrong as rt::Typed>::type_code())
                    }
                    "_get_shape" => {
                        rt::Signature::new().with_result(rt::TypeCode::TypeCode)
                    }
                    "_set_shape" => {
                        rt::Signature::new().with_in("shape", rt::TypeCode::TypeCode)
                    }
                    "all" => {
                        rt::Signature::new()
                            .with_in(
                                "some",
                                rt::TypeCode::alias(
                                    "IDL:Dynamic/Bag:1.0",
                                    "Bag",
                                    rt::TypeCode::sequence(rt::TypeCode::Any, 0),
                                ),
                            )
                            .with_result(
                                rt::TypeCode::alias(
                                    "IDL:Dynamic/Bag:1.0",
                                    "Bag",
                                    rt::TypeCode::sequence(rt::TypeCode::Any, 0),
                                ),
                            )
                    }
                    _ => return None,
                },
            )
        }

        fn upcast(servant: ::std::sync::Arc<Self>, target: &mut rt::Upcast<'_>) {
            target.offer::<dyn Probe>(|| servant.clone());
        }
    }

    impl rt::IsA<dyn Probe> for dyn Probe {}

    /// What belongs to the interface [`Probe`].
    pub mod probe {
        use ::armilla::rt;

        /// Ties the servant to the skeleton of [`Probe`](super::Probe), for an object adapter.
        pub fn tie(servant: impl super::Probe) -> ::std::sync::Arc<dyn super::Probe> {
            ::std::sync::Arc::new(servant)
        }

        /// The exceptions that `echo` may raise.
        #[derive(Debug, Clone, PartialEq)]
        pub enum EchoRaises {
            /// IDL exception `Dynamic::Wrong`.
            Wrong(super::Wrong),
        }

        impl rt::Raises for EchoRaises {
            fn encode<'p>(&'p self, out: &mut rt::Encoder<'p>) -> rt::CdrResult {
                match self {
                    Self::Wrong(exception) => rt::encode_exception(exception, out),
                }
            }

            fn decode(
                repository_id: &str,
                input: &mut rt::Decoder<'_>,
            ) -> rt::CdrResult<Option<Self>> {
                match repository_id {
                    <super::Wrong as rt::UserException>::REPOSITORY_ID => {
                        rt::Decode::decode(input)
                            .map(|exception| Some(Self::Wrong(exception)))
                    }
                    _ => Ok(None),
                }
            }
        }

        impl ::std::fmt::Display for EchoRaises {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                match self {
                    Self::Wrong(exception) => ::std::fmt::Display::fmt(exception, f),
                }
            }
        }

        impl ::std::error::Error for EchoRaises {}

        impl From<super::Wrong> for EchoRaises {
            fn from(exception: super::Wrong) -> Self {
                Self::Wrong(exception)
            }
        }

        #[doc(hidden)]
        pub mod skeleton {
            use ::armilla::rt;

            pub fn echo<T: super::super::Probe + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let given: rt::Any = rt::Decode::decode(input)?;
                let mut kept: rt::Any = rt::Decode::decode(input)?;
                let outcome = servant.echo(&given, &mut kept);
                call.reply(
                    outcome.map(|value| (value, kept)),
                    |((result, r#type), kept), out| {
                        rt::Encode::encode(result, out)?;
                        rt::Encode::encode(kept, out)?;
                        rt::Encode::encode(r#type, out)
                    },
                )
            }

            pub fn shape<T: super::super::Probe + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                call.reply(servant.shape(), rt::Encode::encode)
            }

            pub fn set_shape<T: super::super::Probe + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let value: rt::TypeCode = rt::Decode::decode(input)?;
                call.reply(servant.set_shape(&value), |(), _out| Ok(()))
            }

            pub fn all<T: super::super::Probe + ?Sized>(
                servant: &T,
                call: &mut rt::ServerCall<'_>,
            ) -> rt::Dispatched {
                let input = &mut call.arguments();
                let some: super::super::Bag = input.sequence()?;
                call.reply(servant.all(&some), |result, out| out.put_sequence(result))
            }
        }
    }
}
