//! The numbers that calls fail with, by name.

use core::fmt;

/// Why a call failed: the status of a fault, or the one that an operation returns (C706 appendix
/// E, MS-ERREF 2.1 to 2.3). Any number may come; the known ones have names.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Status(pub u32);

macro_rules! statuses {
    ($($(#[$attribute:meta])* $name:ident = $value:literal, $text:literal;)*) => {
        impl Status {
            $($(#[$attribute])* pub const $name: Self = Self($value);)*
        }

        /// Each status with its name and what it says.
        const KNOWN: &[(Status, &str, &str)] =
            &[$((Status::$name, stringify!($name), $text),)*];
    };
}

statuses! {
    /// No failure.
    OK = 0, "no failure";
    /// The caller may not do this, or its PDU was not authentic.
    ACCESS_DENIED = 5, "access is denied";
    /// Memory, threads or other means are used up.
    OUT_OF_RESOURCES = 0x1c00_001f, "the server has no resources left";
    /// The stub does not hold the parameters of the operation.
    BAD_STUB = 1783, "the stub does not hold the parameters of the operation";
    /// The server does not have the interface.
    UNKNOWN_INTERFACE_WINDOWS = 1717, "the server does not have the interface";
    /// The server does not know the level or service of security.
    UNKNOWN_SECURITY = 1747, "the server does not know the authentication service";
    /// The call was cancelled.
    CALL_CANCELLED = 1818, "the call was cancelled";
    /// The call failed, and was not executed.
    CALL_FAILED_UNEXECUTED = 1727, "the call failed and was not executed";
    /// What happened with a security package is told by the two parties only.
    SECURITY_PACKAGE = 1825, "the security package failed";
    /// A server without an endpoint for the interface.
    NOT_REGISTERED = 0x16c9_a0d6, "the endpoint mapper knows no endpoint for the interface";
    /// The operation number is beyond those of the interface.
    OPERATION_OUT_OF_RANGE = 0x1c01_0002, "the interface has no operation of this number";
    /// The server does not have the interface.
    UNKNOWN_INTERFACE = 0x1c01_0003, "the server does not have the interface";
    /// The boot time of the server differs.
    WRONG_BOOT_TIME = 0x1c01_0006, "the server was started anew";
    /// The peer broke the protocol.
    PROTOCOL_ERROR = 0x1c01_000b, "the peer broke the protocol";
    /// The output parameters are too large.
    OUTPUT_TOO_LARGE = 0x1c01_0013, "the output parameters are too large";
    /// The server is busy.
    SERVER_TOO_BUSY = 0x1c01_0014, "the server is too busy";
    /// The interface does not support the type.
    UNSUPPORTED_TYPE = 0x1c01_0017, "the server does not support the type";
    /// A value that no pointer can have.
    NULL_REFERENCE = 0x1c00_000a, "a reference pointer was null";
    /// A tag for which a union has no arm.
    INVALID_TAG = 0x1c00_0006, "a union has no arm for its discriminant";
    /// The bounds of an array do not hold.
    INVALID_BOUND = 0x1c00_0007, "the bounds of an array do not hold";
    /// The context handle is unknown.
    CONTEXT_MISMATCH = 0x1c00_001a, "the context handle is unknown";
    /// The peer cancelled.
    CANCELLED = 0x1c00_000d, "the call was cancelled";
    /// Nobody says why.
    UNSPECIFIED = 0x1c00_0012, "the server failed for a reason that it does not tell";
    /// The object that was called is gone: its IPID is unknown.
    DISCONNECTED = 0x8001_0108, "the object has disconnected from its clients";
    /// The versions of DCOM do not match.
    VERSION_MISMATCH = 0x8001_0110, "the versions of DCOM do not match";
    /// The server's implementation of the operation failed.
    SERVER_FAULT = 0x8001_0105, "the server failed";
    /// A COM object does not have the interface.
    NO_INTERFACE = 0x8000_4002, "the object does not have the interface";
    /// The class is not registered.
    CLASS_NOT_REGISTERED = 0x8004_0154, "the class is not registered";
    /// The caller may not activate or call, at this level of security at least.
    E_ACCESS_DENIED = 0x8007_0005, "access is denied";
    /// The resolver does not know the exporter.
    UNKNOWN_OXID = 0x776, "the object exporter is unknown";
    /// The resolver does not know the object.
    UNKNOWN_OID = 0x777, "the object is unknown";
    /// The resolver does not know the ping set.
    UNKNOWN_SET = 0x778, "the ping set is unknown";
}

impl Status {
    /// The name of a known status, as that of the constant here.
    pub fn name(self) -> Option<&'static str> {
        self.entry().map(|(_, name, _)| *name)
    }

    fn entry(self) -> Option<&'static (Self, &'static str, &'static str)> {
        KNOWN.iter().find(|(status, _, _)| *status == self)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.entry() {
            Some((_, name, text)) => write!(f, "{text} ({name}, {:#010x})", self.0),
            None => write!(f, "status {:#010x}", self.0),
        }
    }
}

impl fmt::Debug for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "Status({:#010x})", self.0),
        }
    }
}

impl core::error::Error for Status {}
