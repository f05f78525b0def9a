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

/// The first octet of a change of a transaction.
const PUT: u8 = 1;
const REMOVE: u8 = 2;
const PUT_TYPE: u8 = 3;
const REMOVE_TYPE: u8 = 4;
const PUT_LINK: u8 = 5;
const REMOVE_LINK: u8 = 6;

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
        Change::Prepare { token, changes } => encode_changes(token, changes),
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

/// The record of what a transaction will change; the checksum covers what names the transaction, too.
fn encode_changes(token: &str, changes: &[Change]) -> Result<Vec<u8>, String> {
    let mut out = vec![0; 4];
    for change in changes {
        let (kind, number, name) = match change {
            Change::PutOffer(offer) => (PUT, Some(offer.number), None),
            Change::RemoveOffer(number) => (REMOVE, Some(*number), None),
            Change::PutType(name, _) => (PUT_TYPE, None, Some(name)),
            Change::RemoveType(name) => (REMOVE_TYPE, None, Some(name)),
            Change::PutLink(name, _) => (PUT_LINK, None, Some(name)),
            Change::RemoveLink(name) => (REMOVE_LINK, None, Some(name)),
            _ => return Err("a transaction changes no attributes".to_owned()),
        };
        out.push(kind);
        out.extend(number.into_iter().flat_map(u64::to_be_bytes));
        name.into_iter().try_for_each(|name| put_octets(&mut out, name.as_bytes()))?;
        if matches!(kind, PUT | PUT_TYPE | PUT_LINK) {
            put_octets(&mut out, &record_of(change)?)?;
        }
    }
    let sum = checksum(&[token.as_bytes(), &out[4..]]);
    out[..4].copy_from_slice(&sum.to_be_bytes());
    Ok(out)
}

/// Adds octets, and before them how many they are.
fn put_octets(out: &mut Vec<u8>, octets: &[u8]) -> Result<(), String> {
    let length = u32::try_from(octets.len()).map_err(|_| "a change is too long")?;
    out.extend(length.to_be_bytes());
    out.extend(octets);
    Ok(())
}

/// Such octets at the beginning of others, and what is behind.
fn take_octets(octets: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = octets.split_first_chunk()?;
    rest.split_at_checked(usize::try_from(u32::from_be_bytes(*length)).ok()?)
}

/// The changes of such a record.
pub(super) fn decode_changes(token: &str, record: &[u8], orb: &Orb) -> Result<Change, String> {
    let sealed = record.split_first_chunk::<4>();
    let sealed = sealed
        .filter(|(sum, rest)| u32::from_be_bytes(**sum) == checksum(&[token.as_bytes(), rest]));
    let (_, mut rest) = sealed.ok_or("its checksum is wrong")?;
    let mut changes = Vec::new();
    while !rest.is_empty() {
        let (kind, behind) = rest.split_first().ok_or("it is malformed")?;
        let decoded = match *kind {
            PUT | REMOVE => decode_of_offer(*kind, behind, orb),
            _ => decode_of_name(*kind, behind, orb),
        };
        let (change, behind) = decoded.ok_or("a change in it is malformed")?;
        changes.push(change?);
        rest = behind;
    }
    Ok(Change::Prepare { token: token.into(), changes: changes.into() })
}

/// A change, and the octets behind it; `None` if they are malformed.
type Decoded<'o> = Option<(Result<Change, String>, &'o [u8])>;

/// The change of an offer behind its kind.
fn decode_of_offer<'o>(kind: u8, octets: &'o [u8], orb: &Orb) -> Decoded<'o> {
    let (number, rest) = octets.split_first_chunk()?;
    let number = u64::from_be_bytes(*number);
    match kind {
        PUT => {
            let (record, rest) = take_octets(rest)?;
            Some((decode_offer(number, record, orb).map(Change::PutOffer), rest))
        }
        _ => Some((Ok(Change::RemoveOffer(number)), rest)),
    }
}

/// The change of a service type or a link behind its kind.
fn decode_of_name<'o>(kind: u8, octets: &'o [u8], orb: &Orb) -> Decoded<'o> {
    let (name, rest) = take_octets(octets)?;
    let key = str::from_utf8(name).ok()?.to_owned();
    match kind {
        PUT_TYPE => {
            let (record, rest) = take_octets(rest)?;
            let declared = decode(name, record, orb).map(Box::new);
            Some((declared.map(|declared| Change::PutType(key, declared)), rest))
        }
        REMOVE_TYPE => Some((Ok(Change::RemoveType(key)), rest)),
        PUT_LINK => {
            let (record, rest) = take_octets(rest)?;
            let info = decode(name, record, orb).map(Box::new);
            Some((info.map(|info| Change::PutLink(key, info)), rest))
        }
        REMOVE_LINK => Some((Ok(Change::RemoveLink(key)), rest)),
        _ => None,
    }
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
    fn changes_of_transactions_survive_and_their_damage_is_seen() {
        let orb = Orb::new().unwrap();
        let reference = orb.string_to_object("corbaloc::printers.invalid/one").unwrap();
        let info = OfferInfo { reference, r#type: "Printer".to_owned(), properties: Vec::new() };
        let put = Change::PutOffer(Arc::new(Offer::of_object(7, info)));
        let name = || "Drucker für Öl".to_owned();
        let all = [
            put,
            Change::RemoveOffer(3),
            Change::PutType(name(), Box::default()),
            Change::RemoveType(name()),
            Change::PutLink(name(), Box::default()),
            Change::RemoveLink(name()),
        ];
        let record = encode_changes("token", &all).unwrap();
        let read = decode_changes("token", &record, &orb).unwrap();
        assert_eq!(record_of(&read).unwrap(), record);
        let Change::Prepare { changes, .. } = &read else { panic!("{read:?}") };
        assert_eq!(format!("{changes:?}"), format!("{all:?}"));
        assert!(decode_changes("other", &record, &orb).is_err());
        for end in 0..record.len() {
            assert!(decode_changes("token", &record[..end], &orb).is_err(), "cut to {end}");
        }
        let of_attribute = [Change::SetRequestIdStem(vec![1])];
        assert!(encode_changes("token", &of_attribute).is_err());
    }

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
