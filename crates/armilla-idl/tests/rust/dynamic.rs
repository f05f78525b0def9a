// TypeCodes, `any` and types that contain themselves.

//= mod dynamic > struct Entry
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

//= mod dynamic > impl rt::Typed for Entry
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
                        rt::TypeCode::object_reference("IDL:Dynamic/Probe:1.0", "Probe"),
                    ),
                    ("other", <rt::Object as rt::Typed>::type_code()),
                ],
            )
        });
        CODE.clone()
    }
}

//= mod dynamic > impl rt::Typed for Tree
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

//= mod dynamic > impl rt::Typed for Node
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

//= mod dynamic > trait Probe > fn echo
/// IDL operation `echo`.
fn echo(
    &self,
    given: &rt::Any,
    kept: &mut rt::Any,
) -> Result<(rt::Any, rt::TypeCode), rt::Error<probe::EchoRaises>>;
