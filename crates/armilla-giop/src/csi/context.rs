//! The service context of the security attribute service (`CSI::SASContextBody`, CORBA 3.4 Part 2,
//! 10.2.2).

use super::MAX_TOKEN;
use super::identity::IdentityToken;
use crate::ServiceContext;
use crate::encapsulation::{pack, unpack};
use alloc::vec::Vec;
use armilla_cdr::{CdrErrorKind, CdrResult, Decode, Decoder, Encode, Encoder};
use core::fmt;

/// The id of the context (`SecurityAttributeService`).
pub const SECURITY_ATTRIBUTES_CONTEXT: u32 = 15;

/// The most authorization elements that are read.
const MAX_ELEMENTS: u32 = 64;

/// A message between the security services of a client and a server, which a request or its reply
/// carries. It borrows the octets of the message.
///
/// ```
/// use armilla_giop::csi::SasMessage;
///
/// let message = SasMessage::InContext { context: 7, discard: false };
/// let data = message.to_data()?;
/// assert_eq!(SasMessage::decode_data(&data)?, message);
/// # Ok::<(), armilla_cdr::CdrError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SasMessage<'m> {
    /// The client authenticates, or says for whom it acts.
    Establish(EstablishContext<'m>),
    /// The server agrees (`CompleteEstablishContext`).
    Complete {
        /// The number of the context that the client has chosen.
        context: u64,
        /// Whether the server keeps the context for later requests.
        stateful: bool,
        /// The last token of the mechanism, or nothing.
        token: &'m [u8],
    },
    /// The server refuses.
    Error(ContextError<'m>),
    /// The client refers to a context of before (`MessageInContext`).
    InContext {
        /// The number of the context.
        context: u64,
        /// Whether the server may forget it after this request.
        discard: bool,
    },
}

/// A client authenticates, or says for whom it acts (`EstablishContext`).
#[derive(Clone, PartialEq, Eq)]
pub struct EstablishContext<'m> {
    /// The number that the client has chosen for the context; 0 if none is to be kept.
    pub context: u64,
    /// Privileges that an authority has granted: kinds and octets.
    pub authorization: Vec<(u32, &'m [u8])>,
    /// For whom the client acts.
    pub identity: IdentityToken<'m>,
    /// The first token of the mechanism with which the client authenticates, or nothing.
    pub authentication: &'m [u8],
}

impl fmt::Debug for EstablishContext<'_> {
    /// Without the token, which may have a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EstablishContext")
            .field("context", &self.context)
            .field("identity", &self.identity)
            .field("authentication", &format_args!("{} octets", self.authentication.len()))
            .finish_non_exhaustive()
    }
}

/// A server refuses a context (`ContextError`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContextError<'m> {
    /// The number of the context.
    pub context: u64,
    /// The kind of error.
    pub major: i32,
    /// More about it.
    pub minor: i32,
    /// The error token of the mechanism, or nothing.
    pub token: &'m [u8],
}

/// The kinds of errors, with their major and minor numbers (CORBA 3.4 Part 2, 10.3.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContextErrorKind {
    /// The name, the password or what else was shown is not accepted: 1, 1.
    InvalidEvidence,
    /// The server does not have this mechanism: 2, 1.
    InvalidMechanism,
    /// The context has been established with something else: 3, 1.
    ConflictingEvidence,
    /// The server has no such context: 4, 1.
    NoContext,
}

impl ContextErrorKind {
    /// Its major and minor number.
    pub const fn numbers(self) -> (i32, i32) {
        match self {
            Self::InvalidEvidence => (1, 1),
            Self::InvalidMechanism => (2, 1),
            Self::ConflictingEvidence => (3, 1),
            Self::NoContext => (4, 1),
        }
    }

    /// The kind with this major number. The minor number says no more.
    pub const fn of(major: i32) -> Option<Self> {
        match major {
            1 => Some(Self::InvalidEvidence),
            2 => Some(Self::InvalidMechanism),
            3 => Some(Self::ConflictingEvidence),
            4 => Some(Self::NoContext),
            _ => None,
        }
    }
}

impl<'m> SasMessage<'m> {
    /// The data of the service context.
    ///
    /// # Errors
    /// When a length does not fit 32 bits.
    pub fn to_data(&self) -> CdrResult<Vec<u8>> {
        pack(self)
    }

    /// A service context with `data`, which [`to_data`](Self::to_data) made.
    pub const fn service_context(data: &[u8]) -> ServiceContext<'_> {
        ServiceContext { id: SECURITY_ATTRIBUTES_CONTEXT, data }
    }

    /// Reads the data of the service context.
    ///
    /// # Errors
    /// When it ends too early, is of an unknown kind, or a part is longer than
    /// [`MAX_TOKEN`](super::MAX_TOKEN).
    pub fn decode_data(data: &'m [u8]) -> CdrResult<Self> {
        unpack(data)
    }
}

/// Octets of a token.
fn token<'a>(input: &mut Decoder<'a>) -> CdrResult<&'a [u8]> {
    let octets = input.octets()?;
    match octets.len() {
        0..=MAX_TOKEN => Ok(octets),
        _ => Err(input.error(CdrErrorKind::Invalid("a security token is too long"))),
    }
}

/// A privilege: its kind and its octets.
struct Element<'m>(u32, &'m [u8]);

impl<'a> Decode<'a> for Element<'a> {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        Ok(Self(input.u32()?, token(input)?))
    }
}

impl<'a> Decode<'a> for SasMessage<'a> {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        Ok(match input.i16()? {
            0 => {
                let context = input.u64()?;
                let elements: Vec<Element<'_>> = input.bounded_sequence(MAX_ELEMENTS)?;
                Self::Establish(EstablishContext {
                    context,
                    authorization: elements.into_iter().map(|it| (it.0, it.1)).collect(),
                    identity: Decode::decode(input)?,
                    authentication: token(input)?,
                })
            }
            1 => Self::Complete {
                context: input.u64()?,
                stateful: input.bool()?,
                token: token(input)?,
            },
            4 => Self::Error(ContextError {
                context: input.u64()?,
                major: input.i32()?,
                minor: input.i32()?,
                token: token(input)?,
            }),
            5 => Self::InContext { context: input.u64()?, discard: input.bool()? },
            _ => return Err(input.invalid_discriminator("CSI::SASContextBody")),
        })
    }
}

impl Encode for SasMessage<'_> {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        match self {
            Self::Establish(establish) => {
                out.put_i16(0);
                out.put_u64(establish.context);
                out.put_length(establish.authorization.len())?;
                for (kind, octets) in &establish.authorization {
                    out.put_u32(*kind);
                    out.put_sequence(octets)?;
                }
                establish.identity.encode(out)?;
                out.put_sequence(establish.authentication)
            }
            Self::Complete { context, stateful, token } => {
                out.put_i16(1);
                out.put_u64(*context);
                stateful.encode(out)?;
                out.put_sequence(token)
            }
            Self::Error(error) => {
                out.put_i16(4);
                out.put_u64(error.context);
                out.put_i32(error.major);
                out.put_i32(error.minor);
                out.put_sequence(error.token)
            }
            Self::InContext { context, discard } => {
                out.put_i16(5);
                out.put_u64(*context);
                discard.encode(out)
            }
        }
    }
}
