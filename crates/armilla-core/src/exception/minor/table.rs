//! The table of minor codes: one row per code, with its number, the name of its constant and its
//! meaning. The constants of [`Minor`], and the words that explain them, are generated from it.
//!
//! The specification numbers its codes anew for each exception (CORBA 3.4 Part 1, annex A), so a
//! standard row names the exception that it belongs to. Armilla's codes are numbered once for all
//! exceptions. The codes of other ORBs have no constants; see [`vendors`](super::vendors).
//!
//! The numbers travel in replies. A number keeps its meaning forever and is never used again.

use super::{ARMILLA, ExceptionKind, Minor, OMG};

/// A standard code: what `number` means in an exception of `kind`.
pub(super) struct Standard {
    pub(super) kind: ExceptionKind,
    pub(super) number: u32,
    #[cfg(test)]
    pub(super) name: &'static str,
    pub(super) description: &'static str,
}

/// A code of Armilla.
pub(super) struct Own {
    pub(super) number: u32,
    #[cfg(test)]
    pub(super) name: &'static str,
    pub(super) description: &'static str,
}

macro_rules! standard {
    ($($kind:ident $number:literal $name:ident $description:literal)*) => {
        /// The standard codes, as far as an ORB or its client meets them.
        pub(super) const STANDARD: &[Standard] = &[$(
            Standard {
                kind: ExceptionKind::$kind,
                number: $number,
                #[cfg(test)]
                name: stringify!($name),
                description: $description,
            },
        )*];

        /// The standard minor codes (CORBA 3.4 Part 1, annex A). The name of a code begins with
        /// that of its exception; in another exception the same number means something else.
        impl Minor {
            $(
                #[doc = concat!(
                    "[`", stringify!($kind), "`](ExceptionKind::", stringify!($kind), "), code ",
                    stringify!($number), ": ", $description, "."
                )]
                pub const $name: Self = Self(OMG | $number);
            )*
        }
    };
}

macro_rules! own {
    ($($number:literal $name:ident $description:literal)*) => {
        /// The codes of Armilla.
        pub(super) const OWN: &[Own] = &[$(
            Own {
                number: $number,
                #[cfg(test)]
                name: stringify!($name),
                description: $description,
            },
        )*];

        /// The minor codes of Armilla.
        impl Minor {
            $(
                #[doc = concat!("Armilla's code ", stringify!($number), ": ", $description, ".")]
                pub const $name: Self = Self(ARMILLA | $number);
            )*
        }
    };
}

standard! {
    Unknown 1 UNKNOWN_UNLISTED_USER_EXCEPTION "a user exception that the IDL does not declare"
    Unknown 2 UNKNOWN_NONSTANDARD_SYSTEM_EXCEPTION "a system exception that is not a standard one"

    BadParam 1 BAD_PARAM_NO_VALUE_FACTORY "no value factory is registered"
    BadParam 2 BAD_PARAM_REPOSITORY_ID_EXISTS "the repository has a definition with this id"
    BadParam 3 BAD_PARAM_NAME_EXISTS "the container has a definition with this name"
    BadParam 4 BAD_PARAM_INVALID_CONTAINER "the target cannot contain the definition"
    BadParam 5 BAD_PARAM_INHERITED_NAME_EXISTS "an inherited definition has this name"
    BadParam 7 BAD_PARAM_INVALID_URL_SCHEME "the object URL has an unknown scheme"
    BadParam 8 BAD_PARAM_INVALID_URL_ADDRESS "the address in the object URL is malformed"
    BadParam 9 BAD_PARAM_INVALID_URL_SCHEME_PART
        "what follows the scheme of the object URL is malformed"
    BadParam 10 BAD_PARAM_INVALID_URL "the object URL is malformed"
    BadParam 13 BAD_PARAM_INCOMPLETE_TYPECODE "a TypeCode is not complete"
    BadParam 14 BAD_PARAM_INVALID_OBJECT_ID "the object id is not valid in this POA"
    BadParam 15 BAD_PARAM_INVALID_TYPE_NAME "a name in a TypeCode is not valid"
    BadParam 16 BAD_PARAM_INVALID_REPOSITORY_ID "a repository id in a TypeCode is not valid"
    BadParam 17 BAD_PARAM_INVALID_MEMBER_NAME "a member name in a TypeCode is not valid"
    BadParam 18 BAD_PARAM_DUPLICATE_LABEL "a union has two members with the same label"
    BadParam 19 BAD_PARAM_INCOMPATIBLE_LABEL "a label does not fit the discriminator of its union"
    BadParam 20 BAD_PARAM_INVALID_DISCRIMINATOR "a union cannot have a discriminator of this type"
    BadParam 21 BAD_PARAM_NOT_AN_EXCEPTION "an any does not hold an exception"
    BadParam 22 BAD_PARAM_UNLISTED_USER_EXCEPTION
        "a user exception that the operation does not declare"
    BadParam 23 BAD_PARAM_NO_WCHAR_CODE_SET "the client stated no code set for wide characters"
    BadParam 24 BAD_PARAM_SERVICE_CONTEXT_NOT_OMG
        "the id of a service context is not in the range of the OMG"
    BadParam 25 BAD_PARAM_INVALID_ENUMERATOR "a number names no enumerator"
    BadParam 26 BAD_PARAM_INVALID_SERVICE_CONTEXT_ID "there is no service context with this id"
    BadParam 27 BAD_PARAM_NIL_INITIAL_REFERENCE "an initial reference cannot be nil"
    BadParam 28 BAD_PARAM_INVALID_COMPONENT_ID "there is no component with this id"
    BadParam 29 BAD_PARAM_INVALID_PROFILE_ID "there is no profile with this id"
    BadParam 30 BAD_PARAM_DUPLICATE_POLICY_TYPE "two policies are of the same type"
    BadParam 31 BAD_PARAM_INVALID_ONEWAY
        "a oneway operation has no result, no out parameters and no exceptions"
    BadParam 32 BAD_PARAM_IMPLICIT_OPERATION
        "an operation that every object has cannot be called dynamically"
    BadParam 35 BAD_PARAM_INVALID_PROPERTY_NAME "a property of a context cannot have this name"
    BadParam 36 BAD_PARAM_INVALID_PROPERTY_PATTERN
        "no property of a context can match this pattern"
    BadParam 37 BAD_PARAM_INVALID_CONTEXT_NAME "a context cannot have this name"
    BadParam 38 BAD_PARAM_CONTEXT_HAS_CHILDREN "the context has contexts in it"

    ImpLimit 1 IMP_LIMIT_NO_USABLE_PROFILE "no profile of the reference can be used"

    InvObjref 1 INV_OBJREF_NO_WCHAR_CODE_SET "the server has no code set for wide characters"
    InvObjref 2 INV_OBJREF_NO_CODE_SET_COMPONENT
        "the reference names no code sets, which wide characters need"

    Marshal 1 MARSHAL_NO_VALUE_FACTORY "no value factory is known"
    Marshal 2 MARSHAL_CONTEXT_NOT_REQUESTED
        "the dynamic servant did not ask for the context that was sent"
    Marshal 3 MARSHAL_ARGUMENTS_NOT_DESCRIBED
        "the dynamic servant did not describe all arguments that were sent"
    Marshal 4 MARSHAL_LOCAL_OBJECT "a local object cannot leave its process"
    Marshal 5 MARSHAL_WCHAR_FROM_GIOP_1_0_CLIENT "the client sent wide characters in GIOP 1.0"
    Marshal 6 MARSHAL_WCHAR_FROM_GIOP_1_0_SERVER
        "the server would send wide characters in GIOP 1.0"

    NoImplement 1 NO_IMPLEMENT_NO_VALUE_IMPLEMENTATION "the valuetype is not implemented here"
    NoImplement 2 NO_IMPLEMENT_INCOMPATIBLE_VALUE_VERSION
        "the valuetype is implemented here in another version"
    NoImplement 3 NO_IMPLEMENT_NO_USABLE_PROFILE "no profile of the reference can be used"
    NoImplement 4 NO_IMPLEMENT_DII_ON_LOCAL_OBJECT "a local object cannot be called dynamically"

    BadTypecode 1 BAD_TYPECODE_INCOMPLETE "a TypeCode is not complete"
    BadTypecode 2 BAD_TYPECODE_INVALID_MEMBER
        "a TypeCode has a member of a type that it cannot have"

    BadOperation 1 BAD_OPERATION_WRONG_SERVANT_TYPE
        "the servant manager returned a servant of the wrong type"
    BadOperation 2 BAD_OPERATION_UNKNOWN_OPERATION "the object does not have this operation"

    NoResources 1 NO_RESOURCES_NOT_SUPPORTED_BY_BINDING
        "portable interceptors cannot do this in this language"

    BadInvOrder 1 BAD_INV_ORDER_DEPENDENCY_EXISTS "another definition needs this one"
    BadInvOrder 2 BAD_INV_ORDER_INDESTRUCTIBLE_OBJECT
        "the repository and the basic types cannot be destroyed"
    BadInvOrder 3 BAD_INV_ORDER_WOULD_DEADLOCK "the call would wait for itself"
    BadInvOrder 4 BAD_INV_ORDER_ORB_SHUT_DOWN "the ORB was shut down"
    BadInvOrder 5 BAD_INV_ORDER_REQUEST_REUSED "the request was invoked already"
    BadInvOrder 6 BAD_INV_ORDER_SERVANT_MANAGER_EXISTS "the POA has a servant manager already"
    BadInvOrder 7 BAD_INV_ORDER_ARGUMENTS_OUT_OF_ORDER
        "the dynamic servant asked for the arguments before, or has raised"
    BadInvOrder 8 BAD_INV_ORDER_CONTEXT_OUT_OF_ORDER
        "the dynamic servant cannot ask for the context at this point"
    BadInvOrder 9 BAD_INV_ORDER_RESULT_OUT_OF_ORDER
        "the dynamic servant cannot set the result at this point"
    BadInvOrder 10 BAD_INV_ORDER_REQUEST_ALREADY_SENT "the request was sent already"
    BadInvOrder 11 BAD_INV_ORDER_REQUEST_NOT_SENT "the request was not sent yet"
    BadInvOrder 12 BAD_INV_ORDER_RESULT_ALREADY_RETRIEVED "the result was taken already"
    BadInvOrder 14 BAD_INV_ORDER_INVALID_INTERCEPTOR_CALL
        "interceptors cannot ask for this at this point"
    BadInvOrder 15 BAD_INV_ORDER_SERVICE_CONTEXT_EXISTS
        "there is a service context with this id already"
    BadInvOrder 16 BAD_INV_ORDER_POLICY_FACTORY_EXISTS
        "there is a policy factory for this type already"
    BadInvOrder 17 BAD_INV_ORDER_POA_BEING_DESTROYED "the POA is being destroyed"

    Transient 1 TRANSIENT_REQUEST_DISCARDED "the POA discards requests, or has no room for more"
    Transient 2 TRANSIENT_NO_USABLE_PROFILE "no profile of the reference can be used now"
    Transient 3 TRANSIENT_REQUEST_CANCELLED "the request was cancelled"
    Transient 4 TRANSIENT_POA_DESTROYED "the POA was destroyed"

    IntfRepos 1 INTF_REPOS_UNAVAILABLE "there is no interface repository"
    IntfRepos 2 INTF_REPOS_UNKNOWN_INTERFACE
        "the interface repository does not know the interface"

    BadContext 1 BAD_CONTEXT_SCOPE_NOT_FOUND "no context has this name"
    BadContext 2 BAD_CONTEXT_NO_MATCHING_PROPERTY "the context has no such property"

    ObjAdapter 1 OBJ_ADAPTER_UNAVAILABLE
        "an adapter activator failed, or the POA manager is inactive"
    ObjAdapter 2 OBJ_ADAPTER_WRONG_SERVANT_TYPE "a servant is of the wrong type"
    ObjAdapter 3 OBJ_ADAPTER_NO_DEFAULT_SERVANT "the POA has no default servant"
    ObjAdapter 4 OBJ_ADAPTER_NO_SERVANT_MANAGER "the POA has no servant manager"
    ObjAdapter 5 OBJ_ADAPTER_INCARNATE_POLICY_VIOLATION
        "a servant activator broke the policies of the POA"
    ObjAdapter 6 OBJ_ADAPTER_IOR_INTERCEPTOR_FAILED "an interceptor refused the reference"
    ObjAdapter 7 OBJ_ADAPTER_NIL_SERVANT "a servant manager returned no servant"

    DataConversion 1 DATA_CONVERSION_UNMAPPABLE_CHARACTER
        "the code set of the connection lacks a character"

    ObjectNotExist 1 OBJECT_NOT_EXIST_NOT_ACTIVE "no object is active under this key"
    ObjectNotExist 2 OBJECT_NOT_EXIST_NO_ADAPTER "the object adapter could not be made or found"

    InvPolicy 1 INV_POLICY_CANNOT_RECONCILE
        "the policies of the reference and of the client contradict each other"
    InvPolicy 2 INV_POLICY_INVALID_TYPE "there is no such policy"
    InvPolicy 3 INV_POLICY_NO_FACTORY "the policy is not known here"

    CodesetIncompatible 1 CODESET_INCOMPATIBLE_NEGOTIATION_FAILED
        "client and server could not agree on code sets"
    CodesetIncompatible 2 CODESET_INCOMPATIBLE_UNSUPPORTED_CODE_SET
        "the server does not know the code set that was chosen"

    Timeout 1 TIMEOUT_NO_REPLY "no answer came within the time allowed"
}

own! {
    1 CONNECT_FAILED "no connection could be made"
    2 SEND_FAILED "the request could not be sent whole"
    3 CONNECTION_LOST "the connection ended before the reply came"
    4 REPLY_TIMED_OUT "no reply came within the time allowed"
    5 PROTOCOL_ERROR "the peer broke the protocol"
    6 MESSAGE_ERROR_RECEIVED "the peer could not understand the message"
    7 CONNECTION_CLOSING "the peer closes the connection and has not begun the call"
    8 ENCODING_FAILED "a value could not be encoded"
    9 DECODING_FAILED "a value could not be decoded"
    10 NIL_REFERENCE "the reference is nil"
    11 NO_USABLE_PROFILE "the reference has no address that this ORB can use"
    12 TOO_MANY_FORWARDS "the call was forwarded too often"
    13 WRONG_INTERFACE "the object has another interface"
    15 NO_INITIAL_REFERENCE "no initial reference has this name"
    16 LISTEN_FAILED "the endpoint could not be opened"
    17 BAD_ARGUMENT "an argument of the ORB is malformed"
    19 SERVANT_PANICKED "the servant panicked"
    20 OBJECT_NOT_ACTIVE "no object is active under this key"
    22 MESSAGE_TOO_LARGE "the message is larger than the limit (max_message)"
    24 ADAPTER_ALREADY_EXISTS "a POA, or a POA manager, of this name exists already"
    25 WRONG_POLICY "the policies of the POA do not allow this"
    26 OBJECT_ALREADY_ACTIVE "an object is active under this id already"
    27 THREAD_NOT_STARTED "a thread could not be started"
    28 NAMING_FAILED "the naming service refused"
    29 SEND_TIMED_OUT "the request could not be sent within the time allowed"
    40 POA_MANAGER_INACTIVE "the POA manager was deactivated"
    50 REBIND_NOT_ALLOWED "the policy Rebind does not allow what the call would need"
    51 TOO_MANY_REQUESTS_IN_FLIGHT
        "too many requests on the connection wait for a reply (requests_in_flight)"
    52 CONNECTION_NOT_BIDIRECTIONAL
        "the object cannot be called over a connection that its ORB has made"
    53 CALL_CANCELLED "the program cancelled the call"
    60 REPLY_ABANDONED "the servant gave up the right to reply"
    61 TOO_MANY_REQUESTS_IN_PROGRESS
        "too many requests of one connection are in progress (requests_in_progress)"
    62 POA_NOT_CREATED_YET "the server is starting and has not created the object's POA yet"
    63 OBJECT_NOT_ACTIVE_YET "the server is starting and has not activated the object yet"
    64 SERVANT_NOT_SET_YET
        "the server is starting and has not set the servant manager or default servant yet"
    65 NAME_NOT_PUBLISHED_YET "the server is starting and has not published the name yet"
    66 SHUT_DOWN_WHILE_STARTING "the server was shut down while it was starting"
    67 KEY_NOT_LOCATED "the locator of keys has not said where the object is"
    68 IMR_REFUSED "the implementation repository refuses the server"
    69 SERVER_NOT_RUNNING "the implementation repository cannot forward to the server"
    70 NO_MESSAGE_MEMORY "there is no memory for a message of this size now (message_memory)"
    71 DEADLINE_CANNOT_BE_MET "the operation could no longer end before its deadline"
    72 CALLS_NESTED_TOO_DEEP
        "calls within the process nest deeper than the stack of the thread allows"
    73 SERVER_NOT_REGISTERED
        "the implementation repository knows no server that has the object"
    74 TLS_NEEDED "the object is reached over TLS, and the ORB has none or may use nothing else"
    75 TLS_CERTIFICATE_REFUSED "a certificate was refused when the connection was made"
    76 TLS_HANDSHAKE_FAILED "client and server could not agree on TLS"
    77 SHARE_USED_UP
        "the client, its host or its user, has used up its share: call again later, or give back what it holds"
    78 LOCK_DEADLOCK "holders of locks waited for each other, and this one had to give way"
    79 LOCK_WAIT_ENDED "others have had the lock for as long as clients may wait"
}
