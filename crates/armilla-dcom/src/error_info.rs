//! What a failure says besides its HRESULT: an error object (`IErrorInfo`), which travels by value in an
//! extension of the answer (MS-DCOM 2.2.21).

use crate::error::ObjRefError;
use crate::objref::{ObjRef, Reference};
use crate::octets::{Reader, length, put_uuid};
use crate::orpc::{Extension, Extensions};
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use armilla_dcerpc::Uuid;

/// `IErrorInfo`
const ERROR_INFO: Uuid = Uuid::literal("1cf2b120-547d-101b-8e65-08002b2bd119");
/// The class that reads the octets of an error object.
const ERROR_OBJECT: Uuid = Uuid::literal("0000031b-0000-0000-c000-000000000046");
/// The name of the extension.
const ERROR_EXTENSION: Uuid = Uuid::literal("0000031c-0000-0000-c000-000000000046");
/// What stands before a text that is there.
const PRESENT: u32 = u32::MAX;

/// What a failure says besides its HRESULT.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ErrorInfo {
    /// The interface whose method failed.
    pub iid: Uuid,
    /// The program, or the class.
    pub source: String,
    /// What happened.
    pub description: String,
    /// A file that says more.
    pub help_file: String,
    /// Where in the file.
    pub help_context: u32,
}

impl ErrorInfo {
    /// What happened to whom.
    pub fn new(source: impl Into<String>, description: impl Into<String>) -> Self {
        Self { source: source.into(), description: description.into(), ..Self::default() }
    }

    /// The extensions of an answer that has it alone; `None` if a text is too long.
    pub fn to_extensions(&self) -> Option<Extensions> {
        let data = self.encode().ok()?;
        let reference = Reference::Custom { class: ERROR_OBJECT, extensions: 0, data };
        let octets = ObjRef { iid: ERROR_INFO, reference }.encode().ok()?;
        Some(Extensions::new(vec![Extension::new(ERROR_EXTENSION, octets)?]))
    }

    /// What the extensions of an answer say; `None` if they say nothing of a failure, or in another way.
    pub fn of_extensions(extensions: &Extensions) -> Option<Self> {
        let all = extensions.list.get()?.0.iter().filter_map(|it| it.get());
        let octets = all.filter(|it| it.id == ERROR_EXTENSION).find_map(Extension::octets)?;
        match ObjRef::decode(octets).ok()?.reference {
            Reference::Custom { class: ERROR_OBJECT, extensions, data } => {
                Self::decode(data.get(extensions as usize..)?).ok()
            }
            _ => None,
        }
    }

    fn encode(&self) -> Result<Vec<u8>, ObjRefError> {
        let mut out = 0u32.to_le_bytes().to_vec();
        out.extend(self.help_context.to_le_bytes());
        put_uuid(&mut out, self.iid);
        for text in [&self.source, &self.description, &self.help_file] {
            // A NUL ends a text.
            let units: Vec<u16> = text.encode_utf16().take_while(|unit| *unit != 0).collect();
            if units.is_empty() {
                out.extend(0u32.to_le_bytes());
                continue;
            }
            let count = length(units.len() + 1)?;
            for field in [PRESENT, count, 0, count] {
                out.extend(field.to_le_bytes());
            }
            units.iter().chain(&[0]).for_each(|unit| out.extend(unit.to_le_bytes()));
        }
        Ok(out)
    }

    fn decode(octets: &[u8]) -> Result<Self, ObjRefError> {
        let mut input = Reader(octets);
        input.u32()?;
        let (help_context, iid) = (input.u32()?, input.uuid()?);
        let mut text = || text(&mut input, octets.len());
        let (source, description, help_file) = (text()?, text()?, text()?);
        Ok(Self { iid, source, description, help_file, help_context })
    }
}

/// A text, if there is one. The specification names no padding behind texts with an odd number of units; a
/// peer that aligns what follows is understood, too.
fn text(input: &mut Reader<'_>, whole: usize) -> Result<String, ObjRefError> {
    let mut ahead = Reader(input.0);
    let mut present = ahead.u32()?;
    if present != 0 && present != PRESENT {
        let at = whole - input.0.len();
        input.octets(at.next_multiple_of(4) - at)?;
        ahead = Reader(input.0);
        present = ahead.u32()?;
    }
    *input = ahead;
    match present {
        0 => return Ok(String::new()),
        PRESENT => {}
        _ => return Err(ObjRefError::Text),
    }
    let (_most, _offset, count) = (input.u32()?, input.u32()?, input.u32()?);
    let octets = (count as usize).checked_mul(2).ok_or(ObjRefError::Truncated)?;
    let units = input.octets(octets)?.chunks_exact(2).map(|it| u16::from_le_bytes([it[0], it[1]]));
    let units: Vec<u16> = units.take_while(|unit| *unit != 0).collect();
    Ok(String::from_utf16_lossy(&units))
}

#[cfg(test)]
mod tests {
    use super::*;
    use armilla_dcerpc::ByteOrder;
    use armilla_dcerpc::ndr::{Decoder, Encoder, Ndr, Unique};

    fn broken() -> ErrorInfo {
        ErrorInfo {
            iid: Uuid::literal("6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1d01"),
            help_context: 7,
            ..ErrorInfo::new("Plant.Boiler", "das Wasser ist kalt: 4 °C")
        }
    }

    #[test]
    fn what_a_failure_says_comes_through_an_answer() {
        let that = crate::OrpcThat { flags: 0, extensions: Unique::from(broken().to_extensions()) };
        for order in [ByteOrder::Little, ByteOrder::Big] {
            let mut out = Encoder::new(order);
            that.write(&mut out).unwrap();
            let octets = out.into_octets();
            let read = crate::OrpcThat::read(&mut Decoder::new(&octets, order)).unwrap();
            assert_eq!(ErrorInfo::of_extensions(read.extensions.get().unwrap()), Some(broken()));
        }
    }

    #[test]
    fn the_octets_are_those_of_the_specification() {
        let octets = ErrorInfo::new("A", "").encode().unwrap();
        let head = [0; 24];
        let source = [0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, b'A', 0, 0, 0];
        assert_eq!(octets, [&head[..], &source, &[0; 8]].concat());
    }

    #[test]
    fn texts_of_odd_length_may_be_padded_or_not() {
        let info = ErrorInfo::new("odd!", "text");
        let plain = info.encode().unwrap();
        // "odd!" and its NUL are ten octets behind 40.
        let padded = [&plain[..50], &[0, 0], &plain[50..]].concat();
        assert_eq!(ErrorInfo::decode(&plain).unwrap(), info);
        assert_eq!(ErrorInfo::decode(&padded).unwrap(), info);
    }

    #[test]
    fn octets_of_strangers_are_read_or_refused() {
        let whole = broken().encode().unwrap();
        for end in 0..whole.len() {
            assert!(ErrorInfo::decode(&whole[..end]).is_err(), "{end}");
        }
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 0x81;
            let _ = ErrorInfo::decode(&changed);
        }
        let others = Extensions::new(vec![Extension::new(ERROR_OBJECT, whole).unwrap()]);
        assert_eq!(ErrorInfo::of_extensions(&others), None);
    }
}
