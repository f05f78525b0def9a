//! What the minor codes of other ORBs mean, as far as clients meet them.

use super::ExceptionKind;
use std::borrow::Cow;

/// The vendor numbers of omniORB, TAO and JacORB.
const OMNIORB: u32 = 0x4154_0000;
const TAO: u32 = 0x5441_0000;
const JACORB: u32 = 0x4a43_0000;

/// What the code `number` of `vendor` means in an exception of `kind`; `None` for vendors and codes
/// that are not known.
pub(super) fn describe(vendor: u32, kind: ExceptionKind, number: u32) -> Option<Cow<'static, str>> {
    match vendor {
        OMNIORB => omniorb(kind, number).map(|reason| format!("omniORB: {reason}").into()),
        TAO => Some(tao(number).into()),
        JACORB => Some(format!("JacORB's reason {number}").into()),
        _ => None,
    }
}

/// The codes of omniORB.
fn omniorb(kind: ExceptionKind, number: u32) -> Option<&'static str> {
    use ExceptionKind as Kind;
    Some(match (kind, number) {
        (Kind::Unknown, 98) => "a Python exception that is none of CORBA",
        (Kind::CommFailure, 3) => "the arguments could not be sent",
        (Kind::CommFailure, 4) => "the arguments could not be received",
        (Kind::CommFailure, 5) => "the results could not be sent",
        (Kind::CommFailure, 6) => "the results could not be received",
        (Kind::CommFailure, 7) => "the connection ended before the reply came",
        (Kind::Transient, 1) => "the call failed where it had been forwarded to",
        (Kind::Transient, 2) => "no connection could be made",
        (Kind::Transient | Kind::Timeout, 8) => "the time allowed for the call has passed",
        (Kind::Timeout, 124) => "the time allowed for the call has passed at the server",
        (Kind::Transient, 14) => "the bidirectional connection is gone",
        (Kind::Transient, 17) => "the connection was closed",
        (Kind::Transient, 62) => "the object was deactivated while its POA held requests",
        (Kind::ObjAdapter, 15) => "bidirectional connections are not allowed",
        (Kind::ObjAdapter, 97) => "the servant is of the wrong type",
        (Kind::DataConversion, 40) => "a number is out of range",
        (Kind::DataConversion, 41) => "a text is malformed in its code set",
        (Kind::Marshal, 9) => "a length is out of range",
        (Kind::Marshal, 10) => "the message ends too early",
        (Kind::Marshal, 11 | 12 | 69) => "the message is larger than the limit (giopMaxMsgSize)",
        (Kind::Marshal, 18) => "a sequence is longer than its bound",
        (Kind::Marshal, 19 | 20) => "a string is longer than its bound",
        (Kind::Marshal, 22) => "a string does not end in NUL",
        (Kind::Marshal, 26) => "a number names no enumerator",
        (Kind::Marshal, 42) => "a fixed-point number is malformed",
        (Kind::Marshal, 47) => "a wide character has the wrong size",
        (Kind::Marshal, 52) => "a reference is malformed",
        (Kind::Marshal, 90) => "an indirection leads nowhere",
        (Kind::Marshal, 91) => "a TypeCode is of an unknown kind",
        (Kind::Marshal, 111) => "the chunks of a value are malformed",
        (Kind::Marshal, 112) => "the tag of a value is malformed",
        (Kind::BadOperation, 38) => "the object does not have this operation",
        (Kind::ObjectNotExist, 34 | 58) => "no object adapter is ready",
        (Kind::InvObjref, 48) => "the reference is nil",
        (Kind::InvObjref, 54) => "the reference is damaged",
        (Kind::InvObjref, 55) => "the object has another interface",
        (Kind::NoImplement, 36) => "this is not supported",
        (Kind::BadParam, 100) => "a string is longer than its bound",
        (Kind::BadParam, 101) => "a sequence is longer than its bound",
        _ => return None,
    })
}

/// The codes of TAO: five bits say where the call failed, seven which error the system reported.
fn tao(number: u32) -> String {
    let error = match number & 0x7f {
        0 => return format!("TAO's reason {:#x}", number),
        1 => "a timeout",
        2 | 3 => "no more file descriptors",
        4 => "a broken pipe",
        5 => "the connection was refused",
        6 => "no such file",
        7 => "a bad file descriptor",
        8 | 0x14 => "not supported",
        9 | 0xd => "permission denied",
        0xa => "the address family is not supported",
        0xb => "try again",
        0xc => "out of memory",
        0x12 => "a communication error",
        0x13 => "the connection was reset",
        other => return format!("TAO's reason {:#x} (error {other:#x})", number),
    };
    format!("TAO: {error} (at place {:#x})", number >> 7)
}

#[cfg(test)]
mod tests {
    use super::super::Minor;
    use super::*;

    #[test]
    fn codes_are_explained_by_the_exception_that_they_come_with() {
        for (kind, code, words) in [
            (ExceptionKind::Transient, 0x4f4d_0001, "the POA discards requests"),
            (ExceptionKind::InvObjref, 0x4f4d_0001, "no code set for wide characters"),
            (ExceptionKind::Transient, 0x4154_0002, "omniORB: no connection could be made"),
            (ExceptionKind::CommFailure, 0x5441_0085, "TAO: the connection was refused"),
            (
                ExceptionKind::Transient,
                Minor::CONNECTION_CLOSING.0,
                "the peer closes the connection",
            ),
            (ExceptionKind::Unknown, 0x4a43_0003, "JacORB's reason 3"),
            (ExceptionKind::Unknown, 0x1234_5678, "minor code 0x12345678"),
            (ExceptionKind::Unknown, 0x4f4d_0fff, "minor code 0x4f4d0fff"),
        ] {
            let said = Minor(code).explain(kind);
            assert!(said.contains(words), "{code:#x}: {said}");
        }
    }
}
