//! What minor codes mean of which exception: the specification's list, and what other ORBs use.

use super::{ExceptionKind, Minor};
use std::borrow::Cow;

/// The vendor number of a minor code: its upper 20 bits.
const VENDOR: u32 = 0xffff_f000;

/// Of the specification, omniORB, TAO and JacORB.
const OMG: u32 = 0x4f4d_0000;
const OMNIORB: u32 = 0x4154_0000;
const TAO: u32 = 0x5441_0000;
const JACORB: u32 = 0x4a43_0000;

impl Minor {
    /// What the code means in an exception of `kind`, in words: of the specification (CORBA 3.4 Part 1,
    /// annex A), of Armilla, or of an ORB that is known.
    pub fn explain(self, kind: ExceptionKind) -> Cow<'static, str> {
        let number = self.0 & !VENDOR;
        let words = match self.0 & VENDOR {
            OMG => standard(kind, number).map(Cow::Borrowed),
            OMNIORB => omniorb(kind, number).map(|words| format!("omniORB: {words}").into()),
            TAO => Some(tao(number).into()),
            JACORB => Some(format!("JacORB's reason {number}").into()),
            _ => None,
        };
        words.unwrap_or_else(|| self.to_string().into())
    }
}

/// The list of the specification, as far as an ORB or a client meets it.
fn standard(kind: ExceptionKind, number: u32) -> Option<&'static str> {
    use ExceptionKind as Kind;
    Some(match (kind, number) {
        (Kind::Unknown, 1) => "a user exception that the IDL does not declare",
        (Kind::Unknown, 2) => "a system exception that is not a standard one",
        (Kind::BadParam, 1) => "no value factory is registered",
        (Kind::BadParam, 7) => "the object URL has an unknown scheme",
        (Kind::BadParam, 8) => "the address in the object URL is malformed",
        (Kind::BadParam, 9) => "what follows the scheme of the object URL is malformed",
        (Kind::BadParam, 10) => "the object URL is malformed",
        (Kind::BadParam, 13) => "a TypeCode is not complete",
        (Kind::BadParam, 14) => "the object id is not valid in this POA",
        (Kind::BadParam, 15) => "a name in a TypeCode is not valid",
        (Kind::BadParam, 16) => "a repository id in a TypeCode is not valid",
        (Kind::BadParam, 17) => "a member name in a TypeCode is not valid",
        (Kind::BadParam, 18) => "a union has two members with the same label",
        (Kind::BadParam, 19) => "a label does not fit the discriminator of its union",
        (Kind::BadParam, 20) => "a union cannot have a discriminator of this type",
        (Kind::BadParam, 21) => "an any does not hold an exception",
        (Kind::BadParam, 22) => "a user exception that the operation does not declare",
        (Kind::BadParam, 23) => "the client stated no code set for wide characters",
        (Kind::BadParam, 24) => "the id of a service context is not in the range of the OMG",
        (Kind::BadParam, 25) => "a number names no enumerator",
        (Kind::BadParam, 26) => "there is no service context with this id",
        (Kind::BadParam, 27) => "an initial reference cannot be nil",
        (Kind::BadParam, 28) => "there is no component with this id",
        (Kind::BadParam, 29) => "there is no profile with this id",
        (Kind::BadParam, 30) => "two policies are of the same type",
        (Kind::BadParam, 32) => "an operation that every object has cannot be called dynamically",
        (Kind::BadParam, 35) => "a property of a context cannot have this name",
        (Kind::BadParam, 36) => "properties of a context cannot be looked for by this",
        (Kind::BadParam, 37) => "a context cannot have this name",
        (Kind::BadParam, 38) => "the context has contexts in it",
        (Kind::BadContext, 1) => "no context has this name",
        (Kind::BadContext, 2) => "the context has no such property",
        (Kind::ImpLimit, 1) => "no profile of the reference can be used",
        (Kind::InvObjref, 1) => "the server has no code set for wide characters",
        (Kind::InvObjref, 2) => "the reference names no code sets, which wide characters need",
        (Kind::Marshal, 1) => "no value factory is known",
        (Kind::Marshal, 2) => "the dynamic servant did not ask for the context that was sent",
        (Kind::Marshal, 3) => "the dynamic servant did not describe all arguments that were sent",
        (Kind::Marshal, 4) => "a local object cannot leave its process",
        (Kind::Marshal, 5) => "the client sent wide characters in GIOP 1.0",
        (Kind::Marshal, 6) => "the server would send wide characters in GIOP 1.0",
        (Kind::NoImplement, 1) => "the valuetype is not implemented here",
        (Kind::NoImplement, 2) => "the valuetype is implemented here in another version",
        (Kind::NoImplement, 3) => "no profile of the reference can be used",
        (Kind::NoImplement, 4) => "a local object cannot be called dynamically",
        (Kind::BadTypecode, 1) => "a TypeCode is not complete",
        (Kind::BadTypecode, 2) => "a TypeCode has a member of a type that it cannot have",
        (Kind::BadOperation, 1) => "the servant manager returned a servant of the wrong type",
        (Kind::BadOperation, 2) => "the object does not have this operation",
        (Kind::NoResources, 1) => "portable interceptors cannot do this in this language",
        (Kind::BadInvOrder, 3) => "the call would wait for itself",
        (Kind::BadInvOrder, 4) => "the ORB was shut down",
        (Kind::BadInvOrder, 5 | 10) => "the request was sent already",
        (Kind::BadInvOrder, 6) => "the POA has a servant manager already",
        (Kind::BadInvOrder, 7) => {
            "the dynamic servant asked for the arguments before, or has raised"
        }
        (Kind::BadInvOrder, 8) => "the dynamic servant cannot ask for the context at this point",
        (Kind::BadInvOrder, 9) => "the dynamic servant cannot set the result at this point",
        (Kind::BadInvOrder, 11) => "the request was not sent yet",
        (Kind::BadInvOrder, 12) => "the result was taken already",
        (Kind::BadInvOrder, 14) => "interceptors cannot ask for this at this point",
        (Kind::BadInvOrder, 15) => "there is a service context with this id already",
        (Kind::BadInvOrder, 17) => "the POA is being destroyed",
        (Kind::Transient, 1) => "the POA discards requests, or has no room for more",
        (Kind::Transient, 2) => "no profile of the reference can be used now",
        (Kind::Transient, 3) => "the request was cancelled",
        (Kind::Transient, 4) => "the POA was destroyed",
        (Kind::ObjAdapter, 1) => "an adapter activator failed",
        (Kind::ObjAdapter, 2) => "a servant is of the wrong type",
        (Kind::ObjAdapter, 3) => "the POA has no default servant",
        (Kind::ObjAdapter, 4) => "the POA has no servant manager",
        (Kind::ObjAdapter, 5) => "a servant activator broke the policies of the POA",
        (Kind::ObjAdapter, 6) => "an interceptor refused the reference",
        (Kind::ObjAdapter, 7) => "a servant manager returned no servant",
        (Kind::DataConversion, 1) => "the code set of the connection lacks a character",
        (Kind::CodesetIncompatible, 1) => "client and server could not agree on code sets",
        (Kind::CodesetIncompatible, 2) => "the server does not know the code set that was chosen",
        (Kind::ObjectNotExist, 1) => "no object is active under this key",
        (Kind::ObjectNotExist, 2) => "the object adapter could not be made or found",
        (Kind::InvPolicy, 1) => {
            "the policies of the reference and of the client contradict each other"
        }
        (Kind::InvPolicy, 2) => "there is no such policy",
        (Kind::InvPolicy, 3) => "the policy is not known here",
        (Kind::IntfRepos, 1) => "there is no interface repository",
        (Kind::IntfRepos, 2) => "the interface repository does not know the interface",
        (Kind::Timeout, 1) => "no answer came within the time allowed",
        _ => return None,
    })
}

/// Those of omniORB that a client meets.
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

/// TAO's codes say where it failed, in five bits, and with which error of the system, in seven.
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
    use super::*;

    #[test]
    fn codes_are_explained_by_the_exception_that_they_come_with() {
        for (kind, code, words) in [
            (ExceptionKind::Transient, 0x4f4d_0001, "the POA discards requests"),
            (ExceptionKind::InvObjref, 0x4f4d_0001, "no code set for wide characters"),
            (ExceptionKind::Transient, 0x4154_0002, "omniORB: no connection could be made"),
            (ExceptionKind::CommFailure, 0x5441_0085, "TAO: the connection was refused"),
            (ExceptionKind::Transient, Minor::CLOSING.0, "the peer closes the connection"),
            (ExceptionKind::Unknown, 0x4a43_0003, "JacORB's reason 3"),
            (ExceptionKind::Unknown, 0x1234_5678, "minor code 0x12345678"),
            (ExceptionKind::Unknown, 0x4f4d_0fff, "minor code 0x4f4d0fff"),
        ] {
            let said = Minor(code).explain(kind);
            assert!(said.contains(words), "{code:#x}: {said}");
        }
    }
}
