//! Which mechanism a check is about.

/// All mechanisms, in the order of the document.
pub(super) const TITLES: [&str; 29] = [
    BASIC,
    STRUCTS,
    UNIONS,
    ARRAYS,
    SEQUENCES,
    UTF8,
    WIDE,
    FIXED,
    ANY,
    TYPE_CODES,
    VALUES,
    SHAPES,
    TRUNCATION,
    PARAMETERS,
    ONEWAY,
    USER_EXCEPTIONS,
    SYSTEM_EXCEPTIONS,
    REFERENCES,
    STANDARD,
    LOCATE,
    LIVES,
    CALLBACKS,
    BIDIRECTIONAL,
    PARALLEL,
    FORWARD,
    FRAGMENTS,
    RESTART,
    NAMING,
    WELL_FORMED,
];

const BASIC: &str = "basic types, strings and enums";
const STRUCTS: &str = "structs";
const UNIONS: &str = "unions";
const ARRAYS: &str = "arrays";
const SEQUENCES: &str = "sequences";
const UTF8: &str = "all of it with texts in UTF-8";
const WIDE: &str = "`wchar` and `wstring`";
const FIXED: &str = "`fixed`";
const ANY: &str = "`any` with values of every kind";
const TYPE_CODES: &str = "TypeCodes, recursive ones too";
const VALUES: &str = "valuetypes: shared, in cycles, null, boxed, chunked, custom";
const SHAPES: &str = "generated graphs of valuetypes, returned as they came";
const TRUNCATION: &str = "truncated valuetypes";
const PARAMETERS: &str = "parameters in all directions, attributes, constants, reserved words";
const ONEWAY: &str = "oneway calls";
const USER_EXCEPTIONS: &str = "user exceptions with members";
const SYSTEM_EXCEPTIONS: &str = "system exceptions";
const REFERENCES: &str = "object references as parameters";
const STANDARD: &str = "`_is_a`, `_non_existent`";
const LOCATE: &str = "LocateRequest";
const LIVES: &str = "objects made and destroyed";
const CALLBACKS: &str = "callbacks and nested calls";
const BIDIRECTIONAL: &str = "callbacks over the client's own connection";
const PARALLEL: &str = "calls in parallel";
const FORWARD: &str = "LOCATION_FORWARD";
const FRAGMENTS: &str = "fragments";
const RESTART: &str = "references that outlive the server";
const NAMING: &str = "the naming service, `corbaname`, initial references";
const WELL_FORMED: &str = "well-formed frames, as tshark and catior see them";

/// The mechanism that a check of a family of groups is about; those without a family are told apart
/// by what they call.
pub(super) fn mechanism_of(family: &str, check: &str) -> Option<&'static str> {
    Some(match family {
        "" => of_operation(check.split('/').next()?)?,
        "values" => of_value(check.split('/').next()?),
        "shapes" => SHAPES,
        "utf8" => UTF8,
        "truncation" => TRUNCATION,
        "forward" => FORWARD,
        "restart" => RESTART,
        "naming" => NAMING,
        "catior" => WELL_FORMED,
        // All else was checked without a dissector already.
        "wire" if check == "tshark/well_formed" => WELL_FORMED,
        "wire" if check.starts_with("tshark/Locate") => LOCATE,
        "fragments" => FRAGMENTS,
        "bidirectional" => BIDIRECTIONAL,
        _ => return None,
    })
}

fn of_operation(operation: &str) -> Option<&'static str> {
    Some(match operation {
        "server" => return None,
        "raise_system" => SYSTEM_EXCEPTIONS,
        "notify" | "notify_mixed" | "ping" => ONEWAY,
        "choose" => USER_EXCEPTIONS,
        "_is_a" | "_non_existent" => STANDARD,
        "_locate" => LOCATE,
        "myself" | "as_object" | "as_common" => REFERENCES,
        "create_counter" | "no_counter" | "advance" | "destroy" | "unknown_operation" => LIVES,
        "callback" | "call_back" | "call_all" | "descend" => CALLBACKS,
        "parallel" | "pause" => PARALLEL,
        "echo_at_offset" => PARAMETERS,
        _ if operation.starts_with("raise_") => USER_EXCEPTIONS,
        _ => operation.strip_prefix("echo_").map_or(PARAMETERS, of_echo),
    })
}

fn of_echo(ty: &str) -> &'static str {
    match ty {
        "object" | "callback" | "callback_seq" | "registration" | "registration_seq" => REFERENCES,
        "triple" | "digest" | "matrix" | "bin_array" | "text_array" => ARRAYS,
        "text_cube" | "short_list" | "codes" => SEQUENCES,
        _ if ty.ends_with("_seq") => SEQUENCES,
        _ if ty.starts_with("by_") || ty == "expression" => UNIONS,
        "bin" | "octet_double_octet" | "long_octet" | "char_short" | "nested" | "enum_boolean"
        | "small_arrays" | "basics" | "line" | "person" | "keywords" | "folder" => STRUCTS,
        _ => BASIC,
    }
}

fn of_value(operation: &str) -> &'static str {
    match operation {
        "echo_wchar" | "echo_wstring" | "echo_caption" | "echo_wchar_seq" | "echo_wstring_seq" => {
            WIDE
        }
        "echo_price" | "echo_whole" | "echo_fraction" | "echo_price_seq" | "echo_label" => FIXED,
        "make_any" | "is_made" | "echo_any" => ANY,
        "echo_type" => TYPE_CODES,
        "raise_rejected" => USER_EXCEPTIONS,
        _ => VALUES,
    }
}
