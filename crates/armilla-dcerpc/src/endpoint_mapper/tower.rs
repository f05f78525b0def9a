//! Towers: an interface with all protocols down to the address (C706 appendix I).

use crate::cursor::{Reader, Writer};
use crate::order::ByteOrder;
use crate::uuid::SyntaxId;
use alloc::vec::Vec;
use core::net::Ipv4Addr;

const UUID: u8 = 0x0d;
const CONNECTION_ORIENTED: u8 = 0x0b;
const TCP: u8 = 7;
const IP: u8 = 9;

/// An interface at a TCP port. Its numbers are little-endian, ports and addresses big-endian.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tower {
    /// The interface.
    pub interface: SyntaxId,
    /// The encoding.
    pub transfer: SyntaxId,
    /// The port; 0 in a question.
    pub port: u16,
    /// The address; 0.0.0.0 in a question.
    pub address: Ipv4Addr,
}

impl Tower {
    /// Reads it; `None` if it is malformed, or of other protocols than TCP over IPv4.
    pub fn decode(octets: &[u8]) -> Option<Self> {
        let mut input = Reader::new(octets, 0, ByteOrder::Little);
        if input.u16().ok()? != 5 {
            return None;
        }
        let interface = syntax(&mut input)?;
        let transfer = syntax(&mut input)?;
        floor(&mut input, CONNECTION_ORIENTED)?;
        let port = floor(&mut input, TCP)?.try_into().ok()?;
        let address: [u8; 4] = floor(&mut input, IP)?.try_into().ok()?;
        Some(Self { interface, transfer, port: u16::from_be_bytes(port), address: address.into() })
    }

    /// Writes it.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Writer::new(ByteOrder::Little);
        out.u16(5);
        for syntax in [self.interface, self.transfer] {
            out.u16(19);
            out.u8(UUID);
            out.uuid(syntax.uuid);
            out.u16(syntax.major);
            out.u16(2);
            out.u16(syntax.minor);
        }
        for (protocol, address) in [
            (CONNECTION_ORIENTED, &[0, 0][..]),
            (TCP, &self.port.to_be_bytes()),
            (IP, &self.address.octets()),
        ] {
            out.u16(1);
            out.u8(protocol);
            out.u16(address.len() as u16);
            out.put(address);
        }
        out.octets
    }
}

/// The right-hand side of a floor that is a protocol.
fn floor<'a>(input: &mut Reader<'a>, protocol: u8) -> Option<&'a [u8]> {
    let length = input.u16().ok()?;
    if input.octets(length.into()).ok()? != [protocol] {
        return None;
    }
    let length = input.u16().ok()?;
    input.octets(length.into()).ok()
}

fn syntax(input: &mut Reader<'_>) -> Option<SyntaxId> {
    if input.u16().ok()? != 19 || input.u8().ok()? != UUID {
        return None;
    }
    let (uuid, major) = (input.uuid().ok()?, input.u16().ok()?);
    let length = input.u16().ok()?;
    let rest = input.octets(length.into()).ok()?;
    let minor = rest.first_chunk().map_or(0, |minor| u16::from_le_bytes(*minor));
    Some(SyntaxId { uuid, major, minor })
}
