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
    pub value: codegen::Any,
    /// IDL `type`.
    pub r#type: codegen::TypeCode,
    /// IDL `few`.
    pub few: Vec<i32>,
    /// IDL `target`.
    pub target: ProbeRef,
    /// IDL `other`.
    pub other: codegen::Object,
}

//= mod dynamic > impl codegen::Typed for Entry
impl codegen::Typed for Entry {
    fn type_code() -> codegen::TypeCode {
        static CODE: codegen::SharedTypeCode = codegen::SharedTypeCode::new(|| {
            codegen::TypeCode::structure(
                "IDL:Dynamic/Entry:1.0",
                "Entry",
                [
                    (
                        "key",
                        codegen::TypeCode::alias(
                            "IDL:Dynamic/Code:1.0",
                            "Code",
                            codegen::TypeCode::String(8),
                        ),
                    ),
                    (
                        "letters",
                        codegen::TypeCode::alias(
                            "IDL:Dynamic/Grid:1.0",
                            "Grid",
                            codegen::TypeCode::array(
                                codegen::TypeCode::array(codegen::TypeCode::Char, 3),
                                2,
                            ),
                        ),
                    ),
                    ("value", codegen::TypeCode::Any),
                    ("type", codegen::TypeCode::TypeCode),
                    ("few", codegen::TypeCode::sequence(codegen::TypeCode::Long, 3)),
                    (
                        "target",
                        codegen::TypeCode::object_reference(
                            "IDL:Dynamic/Probe:1.0",
                            "Probe",
                        ),
                    ),
                    ("other", <codegen::Object as codegen::Typed>::type_code()),
                ],
            )
        });
        CODE.clone()
    }
}

//= mod dynamic > impl codegen::Typed for Tree
impl codegen::Typed for Tree {
    fn type_code() -> codegen::TypeCode {
        static CODE: codegen::SharedTypeCode = codegen::SharedTypeCode::new(|| {
            codegen::TypeCode::structure(
                "IDL:Dynamic/Tree:1.0",
                "Tree",
                [
                    ("name", codegen::TypeCode::String(0)),
                    (
                        "children",
                        codegen::TypeCode::sequence(
                            codegen::TypeCode::recursive("IDL:Dynamic/Tree:1.0"),
                            0,
                        ),
                    ),
                ],
            )
        });
        CODE.clone()
    }
}

//= mod dynamic > impl codegen::Typed for Node
impl codegen::Typed for Node {
    fn type_code() -> codegen::TypeCode {
        static CODE: codegen::SharedTypeCode = codegen::SharedTypeCode::new(|| {
            codegen::TypeCode::structure(
                "IDL:Dynamic/Node:1.0",
                "Node",
                [
                    (
                        "onward",
                        codegen::TypeCode::union(
                            "IDL:Dynamic/Node/Link:1.0",
                            "Link",
                            codegen::TypeCode::Boolean,
                            None,
                            [
                                (
                                    1,
                                    "next",
                                    codegen::TypeCode::alias(
                                        "IDL:Dynamic/Nodes:1.0",
                                        "Nodes",
                                        codegen::TypeCode::sequence(
                                            codegen::TypeCode::recursive("IDL:Dynamic/Node:1.0"),
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
    given: &codegen::Any,
    kept: &mut codegen::Any,
) -> Result<(codegen::Any, codegen::TypeCode), codegen::Error<probe::EchoRaises>>;
