//! The table of the standard system exceptions.

use std::fmt;

macro_rules! kinds {
    ($($variant:ident $name:literal $meaning:literal)*) => {
        /// Which of the standard system exceptions it is (CORBA 3.4 Part 1, A.5.1).
        ///
        /// A later version of the specification may add one.
        ///
        /// ```
        /// use armilla::ExceptionKind;
        ///
        /// let kind = ExceptionKind::from_repository_id("IDL:omg.org/CORBA/TIMEOUT:1.0");
        /// assert_eq!(kind, ExceptionKind::Timeout);
        /// assert_eq!(kind.to_string(), "TIMEOUT");
        /// assert_eq!(kind.meaning(), "the time allowed for the call has passed");
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ExceptionKind {
            $(
                #[doc = concat!("`", $name, "`: ", $meaning, ".")]
                $variant,
            )*
        }

        impl ExceptionKind {
            const ALL: &[Self] = &[$(Self::$variant),*];

            /// The name, as CORBA spells it.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }

            /// What the exception means, in words.
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning),* }
            }

            /// The repository id, which travels in a reply.
            pub const fn repository_id(self) -> &'static str {
                match self {
                    $(Self::$variant => concat!("IDL:omg.org/CORBA/", $name, ":1.0"),)*
                }
            }
        }
    };
}

kinds! {
    Unknown "UNKNOWN" "the server raised an exception that the operation does not declare"
    BadParam "BAD_PARAM" "a parameter has a value that is not accepted"
    NoMemory "NO_MEMORY" "memory ran out"
    ImpLimit "IMP_LIMIT" "a limit of the implementation was reached"
    CommFailure "COMM_FAILURE" "the connection was lost while the call was under way"
    InvObjref "INV_OBJREF" "the object reference is nil or malformed"
    NoPermission "NO_PERMISSION" "the caller may not do this"
    Internal "INTERNAL" "the ORB or the server is at fault"
    Marshal "MARSHAL" "the octets of a message do not hold the values that they should"
    Initialize "INITIALIZE" "the ORB could not be set up"
    NoImplement "NO_IMPLEMENT" "the operation exists but is not implemented"
    BadTypecode "BAD_TYPECODE" "a TypeCode is malformed"
    BadOperation "BAD_OPERATION" "the object has no operation of this name"
    NoResources "NO_RESOURCES" "a resource ran out"
    NoResponse "NO_RESPONSE" "the answer is not there yet"
    PersistStore "PERSIST_STORE" "persistent storage failed"
    BadInvOrder "BAD_INV_ORDER" "this call is not allowed at this moment"
    Transient "TRANSIENT" "the object could not be reached; it may be there later"
    FreeMem "FREE_MEM" "memory could not be freed"
    InvIdent "INV_IDENT" "an identifier is malformed"
    InvFlag "INV_FLAG" "a flag is invalid"
    IntfRepos "INTF_REPOS" "the interface repository failed"
    BadContext "BAD_CONTEXT" "a context object is malformed"
    ObjAdapter "OBJ_ADAPTER" "the object adapter failed"
    DataConversion "DATA_CONVERSION"
        "a character cannot be converted to the code set of the connection"
    ObjectNotExist "OBJECT_NOT_EXIST" "the server has no such object, and will not have it again"
    TransactionRequired "TRANSACTION_REQUIRED" "the operation needs a transaction"
    TransactionRolledback "TRANSACTION_ROLLEDBACK" "the transaction was rolled back"
    InvalidTransaction "INVALID_TRANSACTION" "the transaction is invalid"
    InvPolicy "INV_POLICY" "policies contradict each other"
    CodesetIncompatible "CODESET_INCOMPATIBLE" "client and server have no code set in common"
    Rebind "REBIND" "the reference would have to be bound anew"
    Timeout "TIMEOUT" "the time allowed for the call has passed"
    TransactionUnavailable "TRANSACTION_UNAVAILABLE" "there is no transaction service"
    TransactionMode "TRANSACTION_MODE" "the transaction is of the wrong mode"
    BadQos "BAD_QOS" "the quality of service cannot be had"
    InvalidActivity "INVALID_ACTIVITY" "the activity is invalid"
    ActivityCompleted "ACTIVITY_COMPLETED" "the activity was completed"
    ActivityRequired "ACTIVITY_REQUIRED" "the operation needs an activity"
    ThreadCancelled "THREAD_CANCELLED" "the thread was cancelled"
}

impl ExceptionKind {
    /// The kind with this repository id. An id that is not known gives
    /// [`Unknown`](Self::Unknown), as the specification demands for exceptions of later versions.
    pub fn from_repository_id(repository_id: &str) -> Self {
        let found = Self::ALL.iter().find(|kind| kind.repository_id() == repository_id);
        found.copied().unwrap_or(Self::Unknown)
    }
}

impl fmt::Display for ExceptionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
