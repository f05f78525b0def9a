//! What OPC servers say of failures (OPC DA 2.05a, Appendix A).

use armilla_dcerpc::Status;

macro_rules! statuses {
    ($($(#[$attribute:meta])* $name:ident = $value:literal, $text:literal;)*) => {
        $($(#[$attribute])* pub const $name: Status = Status($value);)*

        const KNOWN: &[(Status, &str, &str)] = &[$(($name, stringify!($name), $text),)*];
    };
}

statuses! {
    /// The handle is of no item or group.
    INVALID_HANDLE = 0xc004_0001, "the handle is of no item or group";
    /// The value cannot be had as that type.
    BAD_TYPE = 0xc004_0004, "the value cannot be had as that type";
    /// The item cannot be read or written.
    BAD_RIGHTS = 0xc004_0006, "the access rights of the item do not allow this";
    /// No item has the name.
    UNKNOWN_ITEM = 0xc004_0007, "no item has this name: browse shows those that there are";
    /// The name does not have the form that the server wants.
    INVALID_ITEM = 0xc004_0008, "the name of the item does not have the form that the server wants";
    /// The filter of a browse is none.
    INVALID_FILTER = 0xc004_0009, "the filter is none that the server understands";
    /// The server does not know the access path.
    UNKNOWN_PATH = 0xc004_000a, "the server does not know the access path";
    /// The value is out of range.
    RANGE = 0xc004_000b, "the value is out of the range of the item";
    /// A group of that name exists.
    DUPLICATE_NAME = 0xc004_000c, "a group of this name exists";
    /// The server updates less often than it was asked to.
    UNSUPPORTED_RATE = 0x0004_000d, "the server updates at another rate than it was asked for";
    /// The value was written after it was brought into the range.
    CLAMPED = 0x0004_000e, "the value was brought into the range of the item";
    /// The group is in use.
    IN_USE = 0x0004_000f, "the group is still referred to";
    /// The server's configuration is wrong.
    INVALID_CONFIGURATION = 0xc004_0010, "the configuration of the server is wrong";
    /// What was asked for is not there.
    NOT_FOUND = 0xc004_0011, "what was asked for is not there";
    /// The item has no such property.
    INVALID_PROPERTY = 0xc004_0203, "the item does not have this property";
}

/// What a status says, with the words of OPC where it is one of OPC's.
pub fn text(status: Status) -> String {
    let known = KNOWN.iter().find(|(known, _, _)| *known == status);
    known.map_or_else(
        || status.to_string(),
        |(_, name, text)| format!("{text} (OPC_{name}, {:#010x})", status.0),
    )
}

/// What a call says that did something for each of several items: S_FALSE if something failed.
pub(crate) fn overall(errors: &[u32]) -> Status {
    match errors.iter().all(|error| *error == 0) {
        true => Status::OK,
        false => Status::FALSE,
    }
}

/// A result and its status, as both travel.
pub(crate) fn split<T>(result: Result<T, Status>, none: T) -> (T, u32) {
    match result {
        Ok(value) => (value, Status::OK.0),
        Err(status) => (none, status.0),
    }
}
