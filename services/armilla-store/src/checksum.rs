//! The checksum of records.

/// The checksum of a record, given in parts: FNV-1a over 64 bits, folded to 32. It tells damage
/// from data, not an attacker from an owner.
///
/// ```
/// use armilla_store::checksum;
///
/// assert_eq!(checksum(&[b"key", b"value"]), checksum(&[b"keyvalue"]));
/// assert_ne!(checksum(&[b"key", b"value"]), checksum(&[b"key", b"valuf"]));
/// ```
pub fn checksum(parts: &[&[u8]]) -> u32 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for octet in parts.iter().copied().flatten() {
        hash = (hash ^ u64::from(*octet)).wrapping_mul(0x0100_0000_01b3);
    }
    (hash ^ hash >> 32) as u32
}
