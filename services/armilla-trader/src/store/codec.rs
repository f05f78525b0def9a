//! Records: the IDL types of the specification as CDR in big-endian order with texts in UTF-8,
//! behind a checksum that covers the key, too.

use crate::model::{Change, Offer};
use armilla::{ByteOrder, CodeSet, Decode, Decoder, Encode, Encoder, Orb};
use armilla_cos_trading::proxy::ProxyInfo;
use armilla_cos_trading::register::OfferInfo;
use armilla_store::checksum;
use std::sync::Arc;

/// The first octet of an offer of an object, and of a proxy offer.
const OBJECT: u8 = 1;
const PROXY: u8 = 2;

/// The record of a value under a key.
fn encode(key: &[u8], value: &impl Encode) -> Result<Vec<u8>, String> {
    record(key, 0, value)
}

/// The value of a record, if it was encoded under this key.
pub(super) fn decode<T: for<'d> Decode<'d>>(
    key: &[u8],
    record: &[u8],
    orb: &Orb,
) -> Result<T, String> {
    match contents(key, record)? {
        (0, octets) => read(octets, orb),
        _ => Err("it is of an unknown kind".to_owned()),
    }
}

/// The record of what a change puts; empty for other changes.
pub(super) fn record_of(change: &Change) -> Result<Vec<u8>, String> {
    match change {
        Change::PutType(name, declared) => encode(name.as_bytes(), &**declared),
        Change::PutOffer(offer) => encode_offer(offer),
        Change::PutLink(name, info) => encode(name.as_bytes(), &**info),
        _ => Ok(Vec::new()),
    }
}

/// The record of an offer.
fn encode_offer(offer: &Offer) -> Result<Vec<u8>, String> {
    let key = offer.number.to_be_bytes();
    match (offer.info(), offer.proxy_info()) {
        (Some(info), _) => record(&key, OBJECT, &info),
        (None, Some(info)) => record(&key, PROXY, &info),
        // An offer is one or the other.
        (None, None) => Err("it leads to nothing".to_owned()),
    }
}

/// The offer of a record.
pub(super) fn decode_offer(number: u64, record: &[u8], orb: &Orb) -> Result<Arc<Offer>, String> {
    let (kind, octets) = contents(&number.to_be_bytes(), record)?;
    Ok(Arc::new(match kind {
        OBJECT => Offer::of_object(number, read::<OfferInfo>(octets, orb)?),
        PROXY => Offer::of_proxy(number, read::<ProxyInfo>(octets, orb)?),
        _ => return Err("it is of an unknown kind".to_owned()),
    }))
}

fn record(key: &[u8], kind: u8, value: &impl Encode) -> Result<Vec<u8>, String> {
    let mut out = Encoder::with_buffer(Vec::new(), ByteOrder::Big, CodeSet::Utf8);
    value.encode(&mut out).map_err(|error| error.to_string())?;
    let octets = out.to_vec();
    let mut record = checksum(&[key, &[kind], &octets]).to_be_bytes().to_vec();
    record.push(kind);
    record.extend(octets);
    Ok(record)
}

/// The kind and the octets of a record.
fn contents<'r>(key: &[u8], record: &'r [u8]) -> Result<(u8, &'r [u8]), String> {
    if let Some((sum, [kind, octets @ ..])) = record.split_first_chunk::<4>()
        && u32::from_be_bytes(*sum) == checksum(&[key, &[*kind], octets])
    {
        return Ok((*kind, octets));
    }
    Err("its checksum is wrong".to_owned())
}

fn read<T: for<'d> Decode<'d>>(octets: &[u8], orb: &Orb) -> Result<T, String> {
    let input = Decoder::new(octets, ByteOrder::Big).with_code_set(CodeSet::Utf8);
    let mut input = input.with_context(orb);
    let value = T::decode(&mut input).map_err(|error| error.to_string())?;
    match input.remaining() {
        0 => Ok(value),
        count => Err(format!("{count} octets are left over")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_is_seen() {
        let orb = Orb::new().unwrap();
        let record = encode(b"key", &"täxt".to_owned()).unwrap();
        assert_eq!(decode::<String>(b"key", &record, &orb), Ok("täxt".to_owned()));
        assert!(decode::<String>(b"kez", &record, &orb).is_err());
        for end in 0..record.len() {
            assert!(decode::<String>(b"key", &record[..end], &orb).is_err());
        }
        for bit in 0..record.len() * 8 {
            let mut damaged = record.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(decode::<String>(b"key", &damaged, &orb).is_err(), "bit {bit}");
        }
    }
}
