//! Where an exporter or a resolver is reached, and how it proves who it is (MS-DCOM 2.2.19).

use crate::error::ObjRefError;
use crate::octets::Reader;
use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use armilla_dcerpc::ndr::Conformant;

/// String bindings and security bindings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DualStringArray {
    /// Where it is reached, in the order in which clients try them.
    pub strings: Vec<StringBinding>,
    /// How it proves who it is.
    pub security: Vec<SecurityBinding>,
}

/// An address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StringBinding {
    /// The protocol; see [`StringBinding::TCP`].
    pub tower: u16,
    /// A host, or `host[port]`.
    pub address: String,
}

/// A service of security.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecurityBinding {
    /// The authentication service.
    pub service: u16,
    /// The name that it proves; may be empty.
    pub principal: String,
}

armilla_dcerpc::ndr_struct! {
    /// The same as a parameter of a call: units, and where security begins.
    pub struct StringArrayUnits {
        /// How many units there are.
        pub count: u16,
        /// At which unit the security bindings begin.
        pub security_offset: u16,
        /// The units.
        pub units: Conformant<u16>,
    }
}

impl StringBinding {
    /// The tower of TCP over IP.
    pub const TCP: u16 = 7;

    /// An address of TCP.
    pub fn tcp(address: &str) -> Self {
        Self { tower: Self::TCP, address: address.to_owned() }
    }

    /// The host and the port, if there is one.
    pub fn host_and_port(&self) -> (&str, Option<u16>) {
        let split = self.address.strip_suffix(']').and_then(|rest| rest.rsplit_once('['));
        match split.map(|(host, port)| (host, port.parse())) {
            Some((host, Ok(port))) => (host, Some(port)),
            _ => (&self.address, None),
        }
    }
}

fn put_text(units: &mut Vec<u16>, text: &str) -> Result<(), ObjRefError> {
    if text.contains('\0') {
        return Err(ObjRefError::Text);
    }
    units.extend(text.encode_utf16());
    units.push(0);
    Ok(())
}

/// Takes the text off up to its NUL.
fn text(units: &mut &[u16]) -> Result<String, ObjRefError> {
    let end = units.iter().position(|unit| *unit == 0).ok_or(ObjRefError::Bindings)?;
    let text = String::from_utf16(&units[..end]).map_err(|_| ObjRefError::Text)?;
    *units = &units[end + 1..];
    Ok(text)
}

/// Takes the next unit off; `None` if it is the NUL that ends a list.
fn next(units: &mut &[u16]) -> Result<Option<u16>, ObjRefError> {
    let (first, rest) = units.split_first().ok_or(ObjRefError::Bindings)?;
    *units = rest;
    Ok((*first != 0).then_some(*first))
}

impl DualStringArray {
    /// As a parameter of a call.
    ///
    /// # Errors
    ///
    /// If a name has a NUL, or they are too long.
    pub fn to_units(&self) -> Result<StringArrayUnits, ObjRefError> {
        let mut units = Vec::new();
        for binding in &self.strings {
            units.push(binding.tower);
            put_text(&mut units, &binding.address)?;
        }
        units.push(0);
        let small = |count: usize| u16::try_from(count).map_err(|_| ObjRefError::TooLong);
        let security_offset = small(units.len())?;
        for binding in &self.security {
            units.push(binding.service);
            // What would be the service of authorization.
            units.push(0xffff);
            put_text(&mut units, &binding.principal)?;
        }
        units.push(0);
        Ok(StringArrayUnits { count: small(units.len())?, security_offset, units: units.into() })
    }

    /// From a parameter of a call.
    ///
    /// # Errors
    ///
    /// If the lists do not end, or names are not UTF-16.
    pub fn from_units(array: &StringArrayUnits) -> Result<Self, ObjRefError> {
        let units = array.units.0.get(..array.count.into()).ok_or(ObjRefError::Bindings)?;
        let split = units.split_at_checked(array.security_offset.into());
        let (mut strings, mut security) = split.ok_or(ObjRefError::Bindings)?;
        let mut found = Self::default();
        // Some peers send nothing instead of two empty lists.
        while !strings.is_empty()
            && let Some(tower) = next(&mut strings)?
        {
            found.strings.push(StringBinding { tower, address: text(&mut strings)? });
        }
        while !security.is_empty()
            && let Some(service) = next(&mut security)?
        {
            next(&mut security)?;
            found.security.push(SecurityBinding { service, principal: text(&mut security)? });
        }
        Ok(found)
    }

    /// Appends it as it stands in an object reference.
    pub(crate) fn put(&self, out: &mut Vec<u8>) -> Result<(), ObjRefError> {
        let array = self.to_units()?;
        out.extend(array.count.to_le_bytes());
        out.extend(array.security_offset.to_le_bytes());
        out.extend(array.units.0.iter().flat_map(|unit| unit.to_le_bytes()));
        Ok(())
    }

    /// Reads it as it stands in an object reference.
    pub(crate) fn take(input: &mut Reader<'_>) -> Result<Self, ObjRefError> {
        let (count, security_offset) = (input.u16()?, input.u16()?);
        let octets = input.octets(usize::from(count) * 2)?;
        let units: Vec<u16> =
            octets.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]])).collect();
        Self::from_units(&StringArrayUnits { count, security_offset, units: units.into() })
    }
}
