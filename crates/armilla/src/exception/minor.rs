//! Minor codes: why a system exception was raised, one table.

use std::fmt;

/// The minor code of a system exception: a vendor's number in the upper 20 bits, the reason in the
/// lower 12 (CORBA 3.4 Part 1, 8.3.4).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Minor(pub u32);

/// The vendor number of the codes that the specification itself defines.
const OMG: u32 = 0x4f4d_0000;

/// The vendor number of Armilla's own codes.
const ARMILLA: u32 = 0x4152_4000;

macro_rules! minors {
    ($($vendor:ident $number:literal $name:ident $words:literal)*) => {
        impl Minor {
            $(
                #[doc = concat!($words, ".")]
                pub const $name: Self = Self($vendor | $number);
            )*

            /// What the code means, where it is one of the specification's or of ours.
            pub const fn words(self) -> Option<&'static str> {
                match self {
                    $(Self::$name => Some($words),)*
                    _ => None,
                }
            }
        }
    };
}

minors! {
    OMG 1 OMG_1 "the first reason that the specification lists for this exception"
    OMG 2 OMG_2 "the second reason that the specification lists for this exception"
    OMG 3 OMG_3 "the third reason that the specification lists for this exception"
    OMG 4 OMG_4 "the fourth reason that the specification lists for this exception"
    OMG 5 OMG_5 "the fifth reason that the specification lists for this exception"
    OMG 6 OMG_6 "the sixth reason that the specification lists for this exception"
    OMG 14 OMG_14 "the fourteenth reason that the specification lists for this exception"
    OMG 17 OMG_17 "the seventeenth reason that the specification lists for this exception"
    ARMILLA 1 CONNECT_FAILED "no connection could be made"
    ARMILLA 2 SEND_FAILED "the request could not be sent whole"
    ARMILLA 3 CONNECTION_LOST "the connection ended before the reply came"
    ARMILLA 4 REPLY_LATE "no reply came within the time allowed"
    ARMILLA 5 PROTOCOL_ERROR "the peer broke the protocol"
    ARMILLA 6 MESSAGE_ERROR "the peer could not understand the message"
    ARMILLA 7 CLOSING "the peer closes the connection and has not begun the call"
    ARMILLA 8 ENCODING "a value could not be encoded"
    ARMILLA 9 DECODING "a value could not be decoded"
    ARMILLA 10 NIL "the reference is nil"
    ARMILLA 11 NO_PROFILE "the reference has no address that this ORB can use"
    ARMILLA 12 TOO_MANY_FORWARDS "the call was forwarded too often"
    ARMILLA 13 WRONG_TYPE "the object has another interface"
    ARMILLA 15 NO_INITIAL_REFERENCE "no initial reference has this name"
    ARMILLA 16 LISTEN_FAILED "the endpoint could not be opened"
    ARMILLA 17 BAD_ARGUMENT "an argument of the ORB is malformed"
    ARMILLA 19 PANICKED "the servant panicked"
    ARMILLA 20 NOT_ACTIVE "no object is active under this key"
    ARMILLA 22 MESSAGE_TOO_LARGE "the message is larger than the limit (max_message)"
    ARMILLA 24 ADAPTER_EXISTS "a POA, or a POA manager, of this name exists already"
    ARMILLA 25 WRONG_POLICY "the policies of the POA do not allow this"
    ARMILLA 26 ALREADY_ACTIVE "an object is active under this id already"
    ARMILLA 27 THREAD_FAILED "a thread could not be started"
    ARMILLA 28 NAMING "the naming service refused"
    ARMILLA 29 SEND_LATE "the request could not be sent within the time allowed"
    ARMILLA 50 WOULD_REBIND "the policy Rebind does not allow what the call would need"
    ARMILLA 51 TOO_MANY_IN_FLIGHT "too many requests on the connection wait for a reply (requests_in_flight)"
    ARMILLA 52 ONE_WAY "the object cannot be called over a connection that its ORB has made"
    ARMILLA 53 GIVEN_UP "the program wants the reply no more"
    ARMILLA 60 ABANDONED "the servant gave up the right to reply"
    ARMILLA 61 TOO_MANY_REQUESTS "too many requests of one connection are in progress (requests_in_progress)"
    ARMILLA 40 MANAGER_INACTIVE "the POA manager was deactivated"
}

impl Minor {
    /// The ORB was shut down, of `BAD_INV_ORDER`.
    pub const SHUT_DOWN: Self = Self::OMG_4;
    /// The interface has no operation of this name, of `BAD_OPERATION`.
    pub const NO_OPERATION: Self = Self::OMG_2;
    /// The object URL has an unknown scheme, of `BAD_PARAM`.
    pub const BAD_URL_SCHEME: Self = Self::omg(7);
    /// An address in the object URL is malformed, of `BAD_PARAM`.
    pub const BAD_URL_ADDRESS: Self = Self::omg(8);
    /// What else follows the scheme of the object URL is malformed, of `BAD_PARAM`.
    pub const BAD_URL_REST: Self = Self::omg(9);
    /// The object URL is no reference for another reason, of `BAD_PARAM`.
    pub const BAD_URL: Self = Self::omg(10);

    /// The reason of this number in the specification's list for an exception.
    pub const fn omg(number: u32) -> Self {
        Self(OMG | number)
    }
}

impl fmt::Debug for Minor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Minor({:#010x})", self.0)
    }
}

impl fmt::Display for Minor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.words() {
            Some(words) => f.write_str(words),
            None => write!(f, "minor code {:#010x}", self.0),
        }
    }
}
