// Structs and unions that contain themselves through others.

//= mod recursion > type FooSeq
/// IDL `Recursion::FooSeq`.
pub type FooSeq = Vec<Foo>;

//= mod recursion > struct Bar
/// IDL `Recursion::Bar`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Bar {
    /// IDL `c`.
    pub c: FooSeq,
}

//= mod recursion > struct Foo
/// IDL `Recursion::Foo`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Foo {
    /// IDL `b`.
    pub b: Bar,
}

//= mod recursion > enum Tree
/// IDL `Recursion::Tree`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Tree {
    /// IDL `part`, selected by `1`.
    Part(Branch),
    /// IDL `leaf`, selected by all other discriminators.
    Leaf {
        /// The discriminator, one of those that select this member.
        discriminator: i32,
        /// The member.
        value: i32,
    },
}

//= mod recursion > impl codegen::Typed for Bar
impl codegen::Typed for Bar {
    fn type_code() -> codegen::TypeCode {
        static CODE: codegen::SharedTypeCode = codegen::SharedTypeCode::new(|| {
            codegen::TypeCode::structure(
                "IDL:Recursion/Bar:1.0",
                "Bar",
                [
                    (
                        "c",
                        codegen::TypeCode::alias(
                            "IDL:Recursion/FooSeq:1.0",
                            "FooSeq",
                            codegen::TypeCode::sequence(
                                codegen::TypeCode::structure(
                                    "IDL:Recursion/Foo:1.0",
                                    "Foo",
                                    [
                                        ("b", codegen::TypeCode::recursive("IDL:Recursion/Bar:1.0")),
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

//= mod recursion > impl codegen::Typed for Foo
impl codegen::Typed for Foo {
    fn type_code() -> codegen::TypeCode {
        static CODE: codegen::SharedTypeCode = codegen::SharedTypeCode::new(|| {
            codegen::TypeCode::structure(
                "IDL:Recursion/Foo:1.0",
                "Foo",
                [
                    (
                        "b",
                        codegen::TypeCode::structure(
                            "IDL:Recursion/Bar:1.0",
                            "Bar",
                            [
                                (
                                    "c",
                                    codegen::TypeCode::alias(
                                        "IDL:Recursion/FooSeq:1.0",
                                        "FooSeq",
                                        codegen::TypeCode::sequence(
                                            codegen::TypeCode::recursive("IDL:Recursion/Foo:1.0"),
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

//= mod recursion > impl codegen::Decode for Branch
impl<'a> codegen::Decode<'a> for Branch {
    fn decode(input: &mut codegen::Decoder<'a>) -> codegen::CdrResult<Self> {
        Ok(Self {
            name: input.string().map(Into::into)?,
            below: input.bounded_sequence(4)?,
        })
    }
}
