//! Tagged components: additional information in a profile (CORBA 3.4 Part 2, 7.6.6).

use crate::encapsulation::{pack, unpack};
use alloc::string::String;
use alloc::vec::Vec;
use armilla_cdr::{CdrResult, Decode, Decoder, Encode, Encoder};

/// A component, understood or not.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TaggedComponent {
    /// What it is about.
    pub id: u32,
    /// Its octets; an encapsulation for every id of the OMG.
    pub data: Vec<u8>,
}

impl<'a> Decode<'a> for TaggedComponent {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        Ok(Self { id: input.u32()?, data: input.octets()?.to_vec() })
    }
}

impl Encode for TaggedComponent {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        out.put_u32(self.id);
        out.put_sequence(&self.data)
    }
}

/// A component that is understood: what is in the encapsulation of the id.
///
/// ```
/// use armilla_giop::ior::{AlternateAddress, Component, OrbType};
///
/// let address = AlternateAddress { host: "backup.example.org".into(), port: 2809 };
/// let tagged = address.to_tagged()?;
/// assert_eq!(AlternateAddress::from_tagged(&tagged)?, Some(address));
/// assert_eq!(OrbType::from_tagged(&tagged)?, None);
/// # Ok::<(), armilla_cdr::CdrError>(())
/// ```
pub trait Component: Encode + for<'a> Decode<'a> {
    /// The id.
    const ID: u32;

    /// The component in its encoded form.
    ///
    /// # Errors
    /// When a string in it contains a NUL, or a length does not fit 32 bits.
    fn to_tagged(&self) -> CdrResult<TaggedComponent>
    where
        Self: Sized,
    {
        Ok(TaggedComponent { id: Self::ID, data: pack(self)? })
    }

    /// Decodes a component of this type; `None` for another type.
    ///
    /// # Errors
    /// When it is malformed.
    fn from_tagged(component: &TaggedComponent) -> CdrResult<Option<Self>>
    where
        Self: Sized,
    {
        (component.id == Self::ID).then(|| unpack(&component.data)).transpose()
    }
}

/// `TAG_ORB_TYPE`: which ORB made the reference, by a number that the OMG assigns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct OrbType(pub u32);

impl Component for OrbType {
    const ID: u32 = 0;
}

impl<'a> Decode<'a> for OrbType {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        input.u32().map(Self)
    }
}

impl Encode for OrbType {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        self.0.encode(out)
    }
}

/// `TAG_CODE_SETS`: the code sets of the server (CORBA 3.4 Part 2, 7.10.2.4).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CodeSetComponentInfo {
    /// For `char` and `string`.
    pub char: CodeSetComponent,
    /// For `wchar` and `wstring`.
    pub wchar: CodeSetComponent,
}

/// The code sets for one kind of character, by their registry numbers.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct CodeSetComponent {
    /// The native code set of the server, 0 for none.
    pub native: u32,
    /// The conversion code sets of the server.
    pub conversion: Vec<u32>,
}

impl Component for CodeSetComponentInfo {
    const ID: u32 = 1;
}

impl<'a> Decode<'a> for CodeSetComponentInfo {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        Ok(Self { char: CodeSetComponent::decode(input)?, wchar: CodeSetComponent::decode(input)? })
    }
}

impl Encode for CodeSetComponentInfo {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        self.char.encode(out)?;
        self.wchar.encode(out)
    }
}

impl<'a> Decode<'a> for CodeSetComponent {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        Ok(Self { native: input.u32()?, conversion: input.sequence()? })
    }
}

impl Encode for CodeSetComponent {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        out.put_u32(self.native);
        out.put_sequence(&self.conversion)
    }
}

/// `TAG_ALTERNATE_IIOP_ADDRESS`: one more address of the same object (CORBA 3.4 Part 2, 9.7.3).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AlternateAddress {
    /// A host name or an address; IPv6 without brackets.
    pub host: String,
    /// The TCP port.
    pub port: u16,
}

impl Component for AlternateAddress {
    const ID: u32 = 3;
}

impl<'a> Decode<'a> for AlternateAddress {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        Ok(Self { host: input.string()?.into_owned(), port: input.u16()? })
    }
}

impl Encode for AlternateAddress {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        out.put_string(&self.host)?;
        out.put_u16(self.port);
        Ok(())
    }
}
