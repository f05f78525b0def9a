//! Components for secured connections: `TAG_SSL_SEC_TRANS`, `TAG_TLS_SEC_TRANS` and
//! `TAG_CSI_SEC_MECH_LIST` (CORBA 3.4 Part 2, 10.5).

use super::{AlternateAddress, Component, TaggedComponent};
use crate::encapsulation::unpack;
use alloc::vec::Vec;
use armilla_cdr::{CdrResult, Decode, Decoder, Encode, Encoder};

/// A set of properties of a secured association (`AssociationOptions`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct AssociationOptions(pub u16);

impl AssociationOptions {
    /// The names of the options, from that of the lowest bit on.
    const NAMES: [&'static str; 12] = [
        "NoProtection",
        "Integrity",
        "Confidentiality",
        "DetectReplay",
        "DetectMisordering",
        "EstablishTrustInTarget",
        "EstablishTrustInClient",
        "NoDelegation",
        "SimpleDelegation",
        "CompositeDelegation",
        "IdentityAssertion",
        "DelegationByClient",
    ];

    /// The octets are protected against change.
    pub const INTEGRITY: Self = Self(2);
    /// The octets are encrypted.
    pub const CONFIDENTIALITY: Self = Self(4);
    /// Nothing is accepted twice.
    pub const DETECT_REPLAY: Self = Self(8);
    /// Nothing is accepted in another order.
    pub const DETECT_MISORDERING: Self = Self(16);
    /// The server proves who it is.
    pub const ESTABLISH_TRUST_IN_TARGET: Self = Self(32);
    /// The client proves who it is.
    pub const ESTABLISH_TRUST_IN_CLIENT: Self = Self(64);

    /// What TLS gives to every connection.
    pub const TLS: Self = Self(
        Self::INTEGRITY.0
            | Self::CONFIDENTIALITY.0
            | Self::DETECT_REPLAY.0
            | Self::DETECT_MISORDERING.0
            | Self::ESTABLISH_TRUST_IN_TARGET.0,
    );

    /// The options of both sets.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether all `others` are in the set.
    pub const fn contains(self, others: Self) -> bool {
        self.0 & others.0 == others.0
    }

    /// The names of the options in the set, as the IDL has them.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let names = Self::NAMES.iter().enumerate();
        names.filter(move |(bit, _)| self.0 >> bit & 1 != 0).map(|(_, name)| *name)
    }

    /// The bits that have no name.
    pub const fn unnamed(self) -> u16 {
        self.0 & (u16::MAX << Self::NAMES.len())
    }
}

/// `TAG_SSL_SEC_TRANS`: the port for SSL of the host in the profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SslSecTrans {
    /// What the server supports.
    pub target_supports: AssociationOptions,
    /// What the server requires.
    pub target_requires: AssociationOptions,
    /// The TCP port.
    pub port: u16,
}

/// `TAG_TLS_SEC_TRANS`: addresses for TLS, in a [`CompoundSecMech`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TlsSecTrans {
    /// What the server supports.
    pub target_supports: AssociationOptions,
    /// What the server requires.
    pub target_requires: AssociationOptions,
    /// Where it listens.
    pub addresses: Vec<AlternateAddress>,
}

/// `TAG_CSI_SEC_MECH_LIST`: the mechanisms of the server for secured calls, the preferred first.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CsiSecMechList {
    /// Whether the server keeps security contexts between requests.
    pub stateful: bool,
    /// The mechanisms.
    pub mechanisms: Vec<CompoundSecMech>,
}

/// One mechanism: what each of its layers supports and requires.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CompoundSecMech {
    /// What all layers together require.
    pub target_requires: AssociationOptions,
    /// The transport: a [`TlsSecTrans`], or `TAG_NULL_TAG` for none.
    pub transport: TaggedComponent,
    /// How the client is authenticated.
    pub authentication: AuthenticationLayer,
    /// How the client asserts an identity or privileges.
    pub attributes: AttributeLayer,
}

/// The layer of authentication (`AS_ContextSec`).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct AuthenticationLayer {
    /// What the server supports.
    pub target_supports: AssociationOptions,
    /// What the server requires.
    pub target_requires: AssociationOptions,
    /// The mechanism, an encoded object identifier.
    pub mechanism: Vec<u8>,
    /// The name of the server, an exported GSS name.
    pub target_name: Vec<u8>,
}

/// The layer of security attributes (`SAS_ContextSec`).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct AttributeLayer {
    /// What the server supports.
    pub target_supports: AssociationOptions,
    /// What the server requires.
    pub target_requires: AssociationOptions,
    /// Services from which the server takes privileges: the syntax of each name, and the name.
    pub privilege_authorities: Vec<(u32, Vec<u8>)>,
    /// The naming mechanisms that the server knows, encoded object identifiers.
    pub naming_mechanisms: Vec<Vec<u8>>,
    /// The kinds of identity tokens that the server accepts, a set.
    pub identity_types: u32,
}

impl CompoundSecMech {
    /// `TAG_NULL_TAG`: the [transport](Self::transport) of a mechanism that has none of its own.
    pub const NO_TRANSPORT: u32 = 34;

    /// What the transport supports and requires; `None` for one that is neither TLS nor absent, or
    /// whose data is malformed.
    pub fn transport_options(&self) -> Option<[AssociationOptions; 2]> {
        match self.transport.id {
            Self::NO_TRANSPORT => Some(Default::default()),
            SslSecTrans::ID => {
                let ssl = SslSecTrans::from_tagged(&self.transport).ok()??;
                Some([ssl.target_supports, ssl.target_requires])
            }
            TlsSecTrans::ID => {
                let tls = TlsSecTrans::from_tagged(&self.transport).ok()??;
                Some([tls.target_supports, tls.target_requires])
            }
            _ => None,
        }
    }

    /// Whether a connection that protects nothing is not enough: the transport, or all layers
    /// together, require that octets are protected, or the transport that an end proves who it is.
    pub fn requires_protection(&self) -> bool {
        let Some([_, of_transport]) = self.transport_options() else { return true };
        let octets = AssociationOptions::INTEGRITY.with(AssociationOptions::CONFIDENTIALITY);
        let ends = AssociationOptions::TLS.with(AssociationOptions::ESTABLISH_TRUST_IN_CLIENT);
        self.target_requires.0 & octets.0 != 0 || of_transport.0 & ends.0 != 0
    }
}

impl SslSecTrans {
    /// TLS at this port, of a server of which only that is known: integrity and confidentiality are
    /// required.
    pub const fn at(port: u16) -> Self {
        let required = AssociationOptions::INTEGRITY.with(AssociationOptions::CONFIDENTIALITY);
        Self { target_supports: AssociationOptions::TLS, target_requires: required, port }
    }
}

impl Component for SslSecTrans {
    const ID: u32 = 20;

    /// Reads the component, and that of VisiBroker too, whose options have 32 bits.
    fn from_tagged(component: &TaggedComponent) -> CdrResult<Option<Self>> {
        /// Byte order, padding and three numbers of 16 bits.
        const LEN: usize = 8;
        if component.id != Self::ID {
            return Ok(None);
        }
        if component.data.len() <= LEN {
            return unpack(&component.data).map(Some);
        }
        let Wide([target_supports, target_requires], port) = unpack(&component.data)?;
        Ok(Some(Self { target_supports, target_requires, port }))
    }
}

/// The options and the port, as VisiBroker writes them.
struct Wide([AssociationOptions; 2], u16);

impl<'a> Decode<'a> for Wide {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        let options = [input.u32()?, input.u32()?].map(|set| AssociationOptions(set as u16));
        Ok(Self(options, input.u16()?))
    }
}

impl Component for TlsSecTrans {
    const ID: u32 = 36;
}

impl Component for CsiSecMechList {
    const ID: u32 = 33;
}

impl<'a> Decode<'a> for AssociationOptions {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        input.u16().map(Self)
    }
}

impl Encode for AssociationOptions {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        self.0.encode(out)
    }
}

impl<'a> Decode<'a> for SslSecTrans {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        Ok(Self {
            target_supports: Decode::decode(input)?,
            target_requires: Decode::decode(input)?,
            port: input.u16()?,
        })
    }
}

impl Encode for SslSecTrans {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        self.target_supports.encode(out)?;
        self.target_requires.encode(out)?;
        self.port.encode(out)
    }
}

impl<'a> Decode<'a> for TlsSecTrans {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        Ok(Self {
            target_supports: Decode::decode(input)?,
            target_requires: Decode::decode(input)?,
            addresses: input.sequence()?,
        })
    }
}

impl Encode for TlsSecTrans {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        self.target_supports.encode(out)?;
        self.target_requires.encode(out)?;
        out.put_sequence(&self.addresses)
    }
}

impl<'a> Decode<'a> for CsiSecMechList {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        Ok(Self { stateful: input.bool()?, mechanisms: input.sequence()? })
    }
}

impl Encode for CsiSecMechList {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        self.stateful.encode(out)?;
        out.put_sequence(&self.mechanisms)
    }
}

impl<'a> Decode<'a> for CompoundSecMech {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        Ok(Self {
            target_requires: Decode::decode(input)?,
            transport: Decode::decode(input)?,
            authentication: Decode::decode(input)?,
            attributes: Decode::decode(input)?,
        })
    }
}

impl Encode for CompoundSecMech {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        self.target_requires.encode(out)?;
        self.transport.encode(out)?;
        self.authentication.encode(out)?;
        self.attributes.encode(out)
    }
}

impl<'a> Decode<'a> for AuthenticationLayer {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        Ok(Self {
            target_supports: Decode::decode(input)?,
            target_requires: Decode::decode(input)?,
            mechanism: input.octets()?.to_vec(),
            target_name: input.octets()?.to_vec(),
        })
    }
}

impl Encode for AuthenticationLayer {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        self.target_supports.encode(out)?;
        self.target_requires.encode(out)?;
        out.put_sequence(&self.mechanism)?;
        out.put_sequence(&self.target_name)
    }
}

/// An element of [`AttributeLayer::privilege_authorities`].
struct Authority(u32, Vec<u8>);

impl<'a> Decode<'a> for Authority {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        Ok(Self(input.u32()?, input.octets()?.to_vec()))
    }
}

impl<'a> Decode<'a> for AttributeLayer {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        let [target_supports, target_requires] = [Decode::decode(input)?, Decode::decode(input)?];
        let authorities: Vec<Authority> = input.sequence()?;
        Ok(Self {
            target_supports,
            target_requires,
            privilege_authorities: authorities.into_iter().map(|it| (it.0, it.1)).collect(),
            naming_mechanisms: input.sequence()?,
            identity_types: input.u32()?,
        })
    }
}

impl Encode for AttributeLayer {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        self.target_supports.encode(out)?;
        self.target_requires.encode(out)?;
        out.put_length(self.privilege_authorities.len())?;
        for (syntax, name) in &self.privilege_authorities {
            out.put_u32(*syntax);
            out.put_sequence(name)?;
        }
        out.put_sequence(&self.naming_mechanisms)?;
        self.identity_types.encode(out)
    }
}
