//! Strings of Automation (MS-OAUT 2.2.23).

use alloc::string::String;
use alloc::vec::Vec;
use armilla_dcerpc::ndr::{Conformant, Decoder, Encoder, Ndr, NdrError, Unique};
use core::fmt;

/// How many octets a string has that is null.
const NULL: u32 = u32::MAX;

armilla_dcerpc::ndr_struct! {
    /// What travels: `FLAGGED_WORD_BLOB`.
    struct Words {
        octets: u32,
        count: u32,
        units: Conformant<u16>,
    }
}

/// A string with a length (`BSTR`): UTF-16, or any octets. It may have NULs in it, and it may be
/// null, which most programs take as empty.
#[derive(Clone, PartialEq)]
pub struct Bstr(Unique<Words>);

impl Bstr {
    /// The string that is null.
    pub fn null() -> Self {
        Self(Unique::new(Words { octets: NULL, count: 0, units: Conformant(Vec::new()) }))
    }

    /// These UTF-16 units, which need not be text.
    pub fn from_units(units: Vec<u16>) -> Self {
        // The encoder refuses what 32 bits do not count.
        let (octets, count) = ((units.len() * 2) as u32, units.len() as u32);
        Self(Unique::new(Words { octets, count, units: units.into() }))
    }

    /// These octets, which need not be text.
    pub fn from_octets(octets: &[u8]) -> Self {
        let unit = |pair: &[u8]| u16::from_le_bytes([pair[0], pair.get(1).copied().unwrap_or(0)]);
        let units: Vec<u16> = octets.chunks(2).map(unit).collect();
        let (count, octets) = (units.len() as u32, octets.len() as u32);
        Self(Unique::new(Words { octets, count, units: units.into() }))
    }

    /// Whether it is null.
    pub fn is_null(&self) -> bool {
        self.0.get().is_none_or(|words| words.octets == NULL)
    }

    /// Its UTF-16 units; none if it is null.
    pub fn units(&self) -> &[u16] {
        self.0.get().map_or(&[], |words| &words.units.0)
    }

    /// Its octets, little-endian as in Windows.
    pub fn octets(&self) -> Vec<u8> {
        let count =
            self.0.get().map_or(0, |words| if words.octets == NULL { 0 } else { words.octets });
        let mut octets: Vec<u8> = self.units().iter().flat_map(|unit| unit.to_le_bytes()).collect();
        octets.truncate(count as usize);
        octets
    }

    /// As text; halves of characters become U+FFFD.
    pub fn to_text(&self) -> String {
        String::from_utf16_lossy(self.units())
    }
}

impl Default for Bstr {
    fn default() -> Self {
        Self::null()
    }
}

impl From<&str> for Bstr {
    fn from(text: &str) -> Self {
        Self::from_units(text.encode_utf16().collect())
    }
}

impl fmt::Debug for Bstr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.is_null() {
            true => f.write_str("null"),
            false => fmt::Debug::fmt(&self.to_text(), f),
        }
    }
}

impl Ndr for Bstr {
    const ALIGNMENT: usize = 4;

    fn encode(&self, out: &mut Encoder) -> Result<(), NdrError> {
        self.0.encode(out)
    }

    fn encode_referents(&self, out: &mut Encoder) -> Result<(), NdrError> {
        self.0.encode_referents(out)
    }

    fn decode(input: &mut Decoder<'_>) -> Result<Self, NdrError> {
        Unique::decode(input).map(Self)
    }

    fn decode_referents(&mut self, input: &mut Decoder<'_>) -> Result<(), NdrError> {
        self.0.decode_referents(input)
    }
}
