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

/// The keywords with which a type can begin.
pub(crate) const TYPES: &[&str] = &[
    "any",
    "boolean",
    "char",
    "double",
    "fixed",
    "float",
    "long",
    "Object",
    "octet",
    "sequence",
    "short",
    "string",
    "unsigned",
    "ValueBase",
    "void",
    "wchar",
    "wstring",
];

/// The keywords with which a declaration can begin.
pub(crate) const DECLARATIONS: &[&str] = &[
    "abstract",
    "attribute",
    "component",
    "const",
    "custom",
    "enum",
    "eventtype",
    "exception",
    "factory",
    "home",
    "import",
    "interface",
    "local",
    "module",
    "native",
    "oneway",
    "private",
    "public",
    "readonly",
    "struct",
    "typedef",
    "typeid",
    "typeprefix",
    "union",
    "valuetype",
];

/// Types of other languages, and their IDL names.
const FOREIGN_TYPES: &[(&str, &str)] = &[
    ("bool", "boolean"),
    ("byte", "octet"),
    ("int", "long"),
    ("uint8_t", "octet"),
    ("int16_t", "short"),
    ("uint16_t", "unsigned short"),
    ("int32_t", "long"),
    ("uint32_t", "unsigned long"),
    ("int64_t", "long long"),
    ("uint64_t", "unsigned long long"),
    ("size_t", "unsigned long long"),
    ("str", "string"),
];

/// The system exceptions of CORBA, which no IDL declares, and what they are in other languages.
const SYSTEM_EXCEPTIONS: &[&str] = &[
    "SystemException",
    "UserException",
    "ACTIVITY_COMPLETED",
    "ACTIVITY_REQUIRED",
    "BAD_CONTEXT",
    "BAD_INV_ORDER",
    "BAD_OPERATION",
    "BAD_PARAM",
    "BAD_QOS",
    "BAD_TYPECODE",
    "CODESET_INCOMPATIBLE",
    "COMM_FAILURE",
    "DATA_CONVERSION",
    "FREE_MEM",
    "IMP_LIMIT",
    "INITIALIZE",
    "INTERNAL",
    "INTF_REPOS",
    "INVALID_ACTIVITY",
    "INVALID_TRANSACTION",
    "INV_FLAG",
    "INV_IDENT",
    "INV_OBJREF",
    "INV_POLICY",
    "MARSHAL",
    "NO_IMPLEMENT",
    "NO_MEMORY",
    "NO_PERMISSION",
    "NO_RESOURCES",
    "NO_RESPONSE",
    "OBJECT_NOT_EXIST",
    "OBJ_ADAPTER",
    "PERSIST_STORE",
    "REBIND",
    "TIMEOUT",
    "TRANSACTION_MODE",
    "TRANSACTION_REQUIRED",
    "TRANSACTION_ROLLEDBACK",
    "TRANSACTION_UNAVAILABLE",
    "TRANSIENT",
    "UNKNOWN",
];

/// Whether `name` is that of a system exception in the module `CORBA`.
pub(crate) fn is_system_exception(name: &str) -> bool {
    SYSTEM_EXCEPTIONS.contains(&name)
}

/// What IDL calls the type of another language.
pub(crate) fn of_foreign_type(name: &str) -> Option<&'static str> {
    FOREIGN_TYPES.iter().find(|(foreign, _)| *foreign == name).map(|(_, idl)| *idl)
}

/// The keyword that equals `word` except for its case.
pub(crate) fn of_another_case(word: &str) -> Option<&'static str> {
    reserved(word).filter(|keyword| *keyword != word)
}
