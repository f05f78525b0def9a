//! Object references (MS-DCOM 2.2.18): always little-endian, whatever a call is.

use crate::error::ObjRefError;
use crate::octets::{Reader, length, put_uuid};
use crate::string_array::DualStringArray;
use alloc::vec::Vec;
use armilla_dcerpc::Uuid;
use armilla_dcerpc::ndr::{Conformant, Decoder, Encoder, Ndr, NdrError};

const SIGNATURE: u32 = u32::from_le_bytes(*b"MEOW");
const EXTENDED: u32 = 0x4e53_5956;

/// A reference to an interface of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjRef {
    /// The interface.
    pub iid: Uuid,
    /// Where the object is, or what it consists of.
    pub reference: Reference,
}

/// The four kinds of references.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reference {
    /// The object is at its exporter.
    Standard {
        /// Which object, of which exporter.
        standard: StandardReference,
        /// Where the exporter's resolver is.
        resolver: DualStringArray,
    },
    /// The same, with the class of a handler at the client that calls it.
    Handler {
        /// Which object, of which exporter.
        standard: StandardReference,
        /// The handler.
        class: Uuid,
        /// Where the exporter's resolver is.
        resolver: DualStringArray,
    },
    /// Octets that a class reads, which the object has chosen.
    Custom {
        /// The class.
        class: Uuid,
        /// How many octets extensions have; they come first in `data`.
        extensions: u32,
        /// The octets.
        data: Vec<u8>,
    },
    /// As a standard one, with data that says more of the context.
    Extended {
        /// Which object, of which exporter.
        standard: StandardReference,
        /// Where the exporter's resolver is.
        resolver: DualStringArray,
        /// The element: its name and its octets.
        element: (Uuid, Vec<u8>),
    },
}

/// Which object, of which exporter (MS-DCOM 2.2.18.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StandardReference {
    /// See [`StandardReference::NO_PING`].
    pub flags: u32,
    /// How many references to the object the receiver gets.
    pub public_references: u32,
    /// The exporter.
    pub oxid: u64,
    /// The object.
    pub oid: u64,
    /// The interface of the object, which calls name.
    pub ipid: Uuid,
}

armilla_dcerpc::ndr_struct! {
    /// A reference as a parameter of a call: its octets.
    pub struct InterfacePointer {
        /// How many octets there are.
        pub length: u32,
        /// The octets: those of an [`ObjRef`].
        pub octets: Conformant<u8>,
    }
}

impl InterfacePointer {
    /// The reference as a parameter.
    ///
    /// # Errors
    ///
    /// If it cannot be encoded.
    pub fn new(reference: &ObjRef) -> Result<Self, ObjRefError> {
        let octets = reference.encode()?;
        Ok(Self { length: length(octets.len())?, octets: octets.into() })
    }

    /// The reference that it holds.
    ///
    /// # Errors
    ///
    /// If it holds none.
    pub fn reference(&self) -> Result<ObjRef, ObjRefError> {
        ObjRef::decode(&self.octets.0)
    }
}

impl Ndr for StandardReference {
    const ALIGNMENT: usize = 8;

    fn encode(&self, out: &mut Encoder) -> Result<(), NdrError> {
        out.align(8);
        self.flags.encode(out)?;
        self.public_references.encode(out)?;
        self.oxid.encode(out)?;
        self.oid.encode(out)?;
        self.ipid.encode(out)
    }

    fn decode(input: &mut Decoder<'_>) -> Result<Self, NdrError> {
        input.align(8)?;
        Ok(Self {
            flags: u32::decode(input)?,
            public_references: u32::decode(input)?,
            oxid: u64::decode(input)?,
            oid: u64::decode(input)?,
            ipid: Uuid::decode(input)?,
        })
    }
}

impl StandardReference {
    /// The flag of objects that live without pings.
    pub const NO_PING: u32 = 0x1000;

    fn take(input: &mut Reader<'_>) -> Result<Self, ObjRefError> {
        Ok(Self {
            flags: input.u32()?,
            public_references: input.u32()?,
            oxid: input.u64()?,
            oid: input.u64()?,
            ipid: input.uuid()?,
        })
    }

    fn put(&self, out: &mut Vec<u8>) {
        out.extend(self.flags.to_le_bytes());
        out.extend(self.public_references.to_le_bytes());
        out.extend(self.oxid.to_le_bytes());
        out.extend(self.oid.to_le_bytes());
        put_uuid(out, self.ipid);
    }
}

impl Reference {
    fn kind(&self) -> u32 {
        match self {
            Self::Standard { .. } => 1,
            Self::Handler { .. } => 2,
            Self::Custom { .. } => 4,
            Self::Extended { .. } => 8,
        }
    }
}

impl ObjRef {
    /// Reads a reference; octets that follow it are ignored, as peers pad it.
    ///
    /// # Errors
    ///
    /// If the octets are none.
    pub fn decode(octets: &[u8]) -> Result<Self, ObjRefError> {
        let mut input = Reader(octets);
        if input.u32()? != SIGNATURE {
            return Err(ObjRefError::Signature);
        }
        let (kind, iid) = (input.u32()?, input.uuid()?);
        let input = &mut input;
        let reference = match kind {
            1 => Reference::Standard {
                standard: StandardReference::take(input)?,
                resolver: DualStringArray::take(input)?,
            },
            2 => Reference::Handler {
                standard: StandardReference::take(input)?,
                class: input.uuid()?,
                resolver: DualStringArray::take(input)?,
            },
            4 => custom(input)?,
            8 => extended(input)?,
            other => return Err(ObjRefError::Kind(other)),
        };
        Ok(Self { iid, reference })
    }

    /// Writes the reference.
    ///
    /// # Errors
    ///
    /// If a name has a NUL, or something is too long for its field.
    pub fn encode(&self) -> Result<Vec<u8>, ObjRefError> {
        let mut out = Vec::new();
        out.extend(SIGNATURE.to_le_bytes());
        out.extend(self.reference.kind().to_le_bytes());
        put_uuid(&mut out, self.iid);
        match &self.reference {
            Reference::Standard { standard, resolver } => {
                standard.put(&mut out);
                resolver.put(&mut out)?;
            }
            Reference::Handler { standard, class, resolver } => {
                standard.put(&mut out);
                put_uuid(&mut out, *class);
                resolver.put(&mut out)?;
            }
            Reference::Custom { class, extensions, data } => {
                put_uuid(&mut out, *class);
                out.extend(extensions.to_le_bytes());
                // Windows counts the class and the sizes among them in part: eight more.
                out.extend(length(data.len() + 8)?.to_le_bytes());
                out.extend(data);
            }
            Reference::Extended { standard, resolver, element: (name, data) } => {
                standard.put(&mut out);
                out.extend(EXTENDED.to_le_bytes());
                resolver.put(&mut out)?;
                out.extend(1u32.to_le_bytes());
                out.extend(EXTENDED.to_le_bytes());
                put_uuid(&mut out, *name);
                out.extend(length(data.len())?.to_le_bytes());
                out.extend(length(data.len().next_multiple_of(8))?.to_le_bytes());
                out.extend(data);
                out.resize(out.len() + data.len().next_multiple_of(8) - data.len(), 0);
            }
        }
        Ok(out)
    }
}

fn custom(input: &mut Reader<'_>) -> Result<Reference, ObjRefError> {
    let (class, extensions) = (input.uuid()?, input.u32()?);
    // The receiver ignores the size (MS-DCOM 2.2.18.6): peers count differently.
    input.u32()?;
    let data = core::mem::take(&mut input.0).to_vec();
    Ok(Reference::Custom { class, extensions, data })
}

fn extended(input: &mut Reader<'_>) -> Result<Reference, ObjRefError> {
    let standard = StandardReference::take(input)?;
    let signed = |signature| match signature {
        EXTENDED => Ok(()),
        _ => Err(ObjRefError::ExtendedSignature),
    };
    signed(input.u32()?)?;
    let resolver = DualStringArray::take(input)?;
    if input.u32()? != 1 {
        return Err(ObjRefError::Sizes);
    }
    signed(input.u32()?)?;
    let (name, length, rounded) = (input.uuid()?, input.u32()?, input.u32()?);
    let data = input.octets(rounded as usize)?.get(..length as usize);
    let data = data.ok_or(ObjRefError::Sizes)?.to_vec();
    Ok(Reference::Extended { standard, resolver, element: (name, data) })
}
