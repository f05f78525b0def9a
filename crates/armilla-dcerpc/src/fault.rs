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
    /// The server has no memory left for the call.
    NO_MEMORY = 0x1c00_001b, "the server has no memory left for the call";
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
    /// No class has the program id.
    INVALID_CLASS_STRING = 0x8004_01f3, "no class has the program id";
    /// The caller may not activate or call, at this level of security at least.
    E_ACCESS_DENIED = 0x8007_0005, "access is denied";
    /// An operation that has nothing to say but that the answer is no.
    FALSE = 1, "the answer is no";
    /// The operation is not implemented.
    NOT_IMPLEMENTED = 0x8000_4001, "the operation is not implemented";
    /// A pointer that must not be null is null.
    INVALID_POINTER = 0x8000_4003, "a pointer is null";
    /// The operation failed for a reason that it does not tell.
    FAIL = 0x8000_4005, "the operation failed";
    /// Something happened that the server did not expect.
    UNEXPECTED = 0x8000_ffff, "the server met what it did not expect";
    /// A parameter has a value that it may not have.
    INVALID_ARGUMENT = 0x8007_0057, "a parameter has a value that it may not have";
    /// The server has no memory left.
    OUT_OF_MEMORY = 0x8007_000e, "the server has no memory left";
    /// An object that has to be free-standing would be part of another one.
    NO_AGGREGATION = 0x8004_0110, "the class cannot be part of another object";
    /// The class exists, but not on this server as it is asked for.
    CLASS_NOT_AVAILABLE = 0x8004_0111, "the class does not make objects here";
    /// The connection point does not know the connection.
    NO_CONNECTION = 0x8004_0200, "there is no such connection";
    /// The connection point takes no further connections.
    ADVISE_LIMIT = 0x8004_0201, "no further connection is possible";
    /// The sink does not have the interface that events need.
    CANNOT_CONNECT = 0x8004_0202, "the sink does not have the interface of the events";
    /// The server's program could not be started.
    SERVER_START_FAILED = 0x8008_0005, "the program of the server could not be started";
    /// The account of the server's program cannot log on.
    SERVER_LOGON_FAILED = 0x8000_401a, "the account of the server's program cannot log on";
    /// The host does not answer.
    RPC_UNAVAILABLE = 0x8007_06ba, "the server is not available";
    /// The user or the password is wrong.
    LOGON_FAILURE = 0x8007_052e, "the user or the password is wrong";
    /// The member belongs to an interface that the object does not have.
    UNKNOWN_DISPATCH = 0x8002_0001, "the interface is unknown";
    /// An object has no member of this number.
    MEMBER_NOT_FOUND = 0x8002_0003, "the object has no such member";
    /// A call names a parameter that the member does not have.
    PARAMETER_NOT_FOUND = 0x8002_0004, "the member has no such parameter";
    /// An argument cannot become what the parameter is.
    TYPE_MISMATCH = 0x8002_0005, "an argument has a type that the parameter cannot take";
    /// An object has no member of this name.
    UNKNOWN_NAME = 0x8002_0006, "the object has no member of this name";
    /// The member takes no named arguments.
    NO_NAMED_ARGUMENTS = 0x8002_0007, "the member takes no named arguments";
    /// An argument has a type that no VARIANT has.
    BAD_VARIANT_TYPE = 0x8002_0008, "an argument has a type that is none";
    /// The member failed; EXCEPINFO says why.
    EXCEPTION = 0x8002_0009, "the member failed with an exception";
    /// A value does not fit the type that it is to have.
    OVERFLOW = 0x8002_000a, "a value does not fit its type";
    /// An index is outside of its array.
    BAD_INDEX = 0x8002_000b, "an index is outside of its array";
    /// A call has too many arguments or too few.
    BAD_PARAMETER_COUNT = 0x8002_000e, "the call has too many arguments or too few";
    /// An argument that is not optional is missing.
    PARAMETER_NOT_OPTIONAL = 0x8002_000f, "an argument is missing that is not optional";
    /// A description has no such member.
    ELEMENT_NOT_FOUND = 0x8002_802b, "the description has no such member";
    /// Another kind of type would have it.
    BAD_MODULE_KIND = 0x8002_88bd, "a type of this kind has nothing of the sort";
    /// The resolver does not know the exporter.
    UNKNOWN_OXID = 0x776, "the object exporter is unknown";
    /// The resolver does not know the object.
    UNKNOWN_OID = 0x777, "the object is unknown";
    /// The resolver does not know the ping set.
    UNKNOWN_SET = 0x778, "the ping set is unknown";
}

impl Status {
    /// Whether it is a failure when read as an HRESULT: those of COM have the top bit set.
    pub fn is_failure(self) -> bool {
        self.0 & 0x8000_0000 != 0
    }

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
