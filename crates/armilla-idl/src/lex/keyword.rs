//! The keywords of OMG IDL.

/// The keywords that every IDL compiler reserves (CORBA 2.3 and later).
const RESERVED: &[&str] = &[
    "abstract",
    "any",
    "attribute",
    "boolean",
    "case",
    "char",
    "const",
    "context",
    "custom",
    "default",
    "double",
    "enum",
    "exception",
    "factory",
    "FALSE",
    "fixed",
    "float",
    "in",
    "inout",
    "interface",
    "local",
    "long",
    "module",
    "native",
    "Object",
    "octet",
    "oneway",
    "out",
    "private",
    "public",
    "raises",
    "readonly",
    "sequence",
    "short",
    "string",
    "struct",
    "supports",
    "switch",
    "TRUE",
    "truncatable",
    "typedef",
    "union",
    "unsigned",
    "ValueBase",
    "valuetype",
    "void",
    "wchar",
    "wstring",
];

/// The keywords that CORBA 3 added. Older IDL uses them as names, so they are keywords only where a
/// declaration may begin.
const CORBA3: &[&str] = &[
    "component",
    "consumes",
    "emits",
    "eventtype",
    "finder",
    "getraises",
    "home",
    "import",
    "manages",
    "multiple",
    "primarykey",
    "provides",
    "publishes",
    "setraises",
    "typeid",
    "typeprefix",
    "uses",
];

/// The keyword that equals `word`; case does not matter.
pub(crate) fn reserved(word: &str) -> Option<&'static str> {
    RESERVED.iter().copied().find(|keyword| keyword.eq_ignore_ascii_case(word))
}

/// Whether `word` is a keyword of CORBA 3 but not of older versions.
pub(crate) fn is_corba3(word: &str) -> bool {
    CORBA3.iter().any(|keyword| keyword.eq_ignore_ascii_case(word))
}
