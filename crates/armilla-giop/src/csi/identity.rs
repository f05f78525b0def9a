//! Identity tokens: for whom a client acts (`CSI::IdentityToken`, CORBA 3.4 Part 2, 10.2.2).

use super::MAX_TOKEN;
use crate::encapsulation::unpack;
use alloc::vec::Vec;
use armilla_cdr::{CdrErrorKind, CdrResult, Decode, Decoder, Encode, Encoder};

/// The kinds of identity tokens, a set of bits, as
/// [`AttributeLayer::identity_types`](crate::ior::AttributeLayer::identity_types) has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct IdentityTypes(pub u32);

impl IdentityTypes {
    /// Nobody else is named, `ITTAbsent`: no bit.
    pub const ABSENT: Self = Self(0);
    /// Somebody without a name, `ITTAnonymous`.
    pub const ANONYMOUS: Self = Self(1);
    /// A name, `ITTPrincipalName`.
    pub const PRINCIPAL_NAME: Self = Self(2);
    /// A chain of certificates, `ITTX509CertChain`.
    pub const CERTIFICATES: Self = Self(4);
    /// A distinguished name, `ITTDistinguishedName`.
    pub const DISTINGUISHED_NAME: Self = Self(8);
    /// All that have a name.
    pub const ALL: Self = Self(15);

    /// Whether all of `other` are in the set.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// The set with those of `other`.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// For whom a client acts. It borrows the octets of the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IdentityToken<'t> {
    /// For itself, as whom it has authenticated.
    Absent,
    /// For somebody who has not told their name.
    Anonymous,
    /// For the user with this name, an [`ExportedName`](super::ExportedName).
    PrincipalName(&'t [u8]),
    /// For the subject of the first of these certificates, a DER sequence.
    Certificates(&'t [u8]),
    /// For the user with this name of X.501 in DER.
    DistinguishedName(&'t [u8]),
    /// Something of another kind.
    Other(u32, &'t [u8]),
}

impl IdentityToken<'_> {
    /// The kind of the token, one bit or none.
    pub const fn kind(&self) -> IdentityTypes {
        match self {
            Self::Absent => IdentityTypes::ABSENT,
            Self::Anonymous => IdentityTypes::ANONYMOUS,
            Self::PrincipalName(_) => IdentityTypes::PRINCIPAL_NAME,
            Self::Certificates(_) => IdentityTypes::CERTIFICATES,
            Self::DistinguishedName(_) => IdentityTypes::DISTINGUISHED_NAME,
            Self::Other(kind, _) => IdentityTypes(*kind),
        }
    }

    /// The octets of a name or a chain in an encapsulation of their own, as some products expect
    /// them in a token.
    ///
    /// # Errors
    /// When their length does not fit 32 bits.
    pub fn wrap(octets: &[u8]) -> CdrResult<Vec<u8>> {
        crate::encapsulation::pack(&Octets(octets))
    }
}

/// Octets as the value of an encapsulation.
struct Octets<'t>(&'t [u8]);

impl<'a> Decode<'a> for Octets<'a> {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        input.octets().map(Self)
    }
}

impl Encode for Octets<'_> {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        out.put_sequence(self.0)
    }
}

/// The octets of a name or a chain, in however many encapsulations of their own they stand. An exported
/// name begins with 4, and DER with 48, a byte order with 0 or 1.
fn unwrapped(mut octets: &[u8]) -> &[u8] {
    while let Some(0 | 1) = octets.first()
        && let Ok(Octets(inner)) = unpack(octets)
    {
        octets = inner;
    }
    octets
}

impl<'a> Decode<'a> for IdentityToken<'a> {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        let kind = input.u32()?;
        if kind <= 1 {
            // `TRUE` by the specification; some write `FALSE`, and it means nothing.
            input.u8()?;
            return Ok(if kind == 0 { Self::Absent } else { Self::Anonymous });
        }
        let octets = input.octets()?;
        if octets.len() > MAX_TOKEN {
            return Err(input.error(CdrErrorKind::Invalid("an identity token is too long")));
        }
        Ok(match kind {
            2 => Self::PrincipalName(unwrapped(octets)),
            4 => Self::Certificates(unwrapped(octets)),
            8 => Self::DistinguishedName(unwrapped(octets)),
            kind => Self::Other(kind, octets),
        })
    }
}

impl Encode for IdentityToken<'_> {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        out.put_u32(self.kind().0);
        match self {
            Self::Absent | Self::Anonymous => {
                out.put_u8(1);
                Ok(())
            }
            Self::PrincipalName(octets)
            | Self::Certificates(octets)
            | Self::DistinguishedName(octets)
            | Self::Other(_, octets) => out.put_sequence(octets),
        }
    }
}
