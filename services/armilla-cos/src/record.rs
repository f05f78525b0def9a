//! Records of files: a value of IDL in CDR behind a checksum, which covers the key, too.

use armilla::{ByteOrder, CodeSet, Decode, Decoder, Encode, Encoder, Orb};
use armilla_store::checksum;

/// The record of a value under a key.
pub(crate) fn encode(key: &[u8], value: &impl Encode) -> Result<Vec<u8>, String> {
    let mut out = Encoder::with_buffer(Vec::new(), ByteOrder::Big, CodeSet::Utf8);
    value.encode(&mut out).map_err(|error| error.to_string())?;
    let octets = out.to_vec();
    let mut record = checksum(&[key, &octets]).to_be_bytes().to_vec();
    record.extend(octets);
    Ok(record)
}

/// The value of a record, if it was encoded under this key.
pub(crate) fn read<T: for<'d> Decode<'d>>(
    key: &[u8],
    record: &[u8],
    orb: &Orb,
) -> Result<T, String> {
    let sum = record.split_first_chunk::<4>();
    let sound = sum.filter(|(sum, octets)| u32::from_be_bytes(**sum) == checksum(&[key, octets]));
    let (_, octets) = sound.ok_or("its checksum is wrong")?;
    let input = Decoder::new(octets, ByteOrder::Big).with_code_set(CodeSet::Utf8);
    let mut input = input.with_context(orb);
    let value = T::decode(&mut input).map_err(|error| error.to_string())?;
    match input.remaining() {
        0 => Ok(value),
        count => Err(format!("{count} octets are left over")),
    }
}
