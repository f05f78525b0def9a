//! Object keys: the identification of an object within its server, which references carry.

use armilla_ipc::memory::Slot;
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

/// The octets of a key. A key of usual length takes no heap memory, because each collocated call
/// through the POA builds one.
pub type KeyOctets = SmallVec<[u8; 64]>;

/// The octets with which every key of this ORB begins.
const MAGIC: [u8; 3] = *b"\xa5AR";

/// An object of a transient POA with system ids: found by one table access.
const ACTIVE: u8 = 1;

/// Any other object: found by the names of its POA and its object id, or by the hint.
const NAMED: u8 = 2;

/// Set in the kind of a key that ends in room for the number of an operation.
const NUMBERED: u8 = 1 << 7;

/// The number of octets of that room.
const NUMBER: usize = 4;

/// The position of the hint in a named key.
const HINT: std::ops::Range<usize> = 16..24;

fn slot_to_octets(slot: Slot) -> [u8; 8] {
    (u64::from(slot.index) << 32 | u64::from(slot.generation)).to_be_bytes()
}

#[inline]
fn slot_from_octets(octets: [u8; 8]) -> Slot {
    let place = u64::from_be_bytes(octets);
    Slot { index: (place >> 32) as u32, generation: place as u32 }
}

/// The object id in a key.
#[derive(Debug, Clone, Copy)]
pub enum KeyId<'k> {
    /// A system id, which contains the slot of the object.
    Place([u8; SYSTEM_ID]),
    /// An id that the program assigned.
    Named(&'k [u8]),
}

impl Deref for KeyId<'_> {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match self {
            Self::Place(id) => id,
            Self::Named(id) => id,
        }
    }
}

/// A parsed key. It borrows the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObjectKey<'k> {
    /// A transient object of this or another incarnation of the server, by its slot.
    Active {
        /// The incarnation number of the ORB that created the key.
        incarnation: u64,
        /// Where the object stands.
        slot: Slot,
    },
    /// An object by its adapter and its object id.
    Named(NamedKey<'k>),
}

/// An object by its adapter and its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamedKey<'k> {
    /// The incarnation number of the ORB that created the key; 0 for persistent adapters.
    pub incarnation: u64,
    /// The number of the adapter among those that had this path in that ORB; 0 if persistent.
    pub serial: u32,
    /// Where the object stood when the key was made. It may be elsewhere by current, or nowhere.
    pub hint: Slot,
    /// The path of the adapter, encoded.
    pub adapter: &'k [u8],
    /// The object id.
    pub id: &'k [u8],
}

impl<'k> ObjectKey<'k> {
    /// Parses a key; `None` for a key of another ORB.
    #[inline(always)]
    pub fn parse(key: &'k [u8]) -> Option<Self> {
        let ([a, b, c, kind], rest) = key.split_first_chunk::<4>()?;
        match [*a, *b, *c] == MAGIC {
            true if kind & NUMBERED != 0 => Self::parse_numbered(*kind, rest),
            true => Self::parse_rest(*kind, rest),
            false => None,
        }
    }

    /// The likely slot index of the object, valid only if the key is one of this ORB.
    #[inline(always)]
    pub fn likely_index(key: &[u8]) -> Option<u32> {
        let [_, _, _, kind, .., a, b, c, d, e, f, g, h] = key.first_chunk::<20>()?;
        let index = if *kind == NAMED { [e, f, g, h] } else { [a, b, c, d] };
        Some(u32::from_be_bytes(index.map(|octet| *octet)))
    }

    #[inline(always)]
    fn parse_rest(kind: u8, octets: &'k [u8]) -> Option<Self> {
        let (incarnation, rest) = octets.split_first_chunk::<8>()?;
        let incarnation = u64::from_be_bytes(*incarnation);
        match kind {
            ACTIVE => {
                let slot = slot_from_octets(rest.try_into().ok()?);
                Some(Self::Active { incarnation, slot })
            }
            NAMED => {
                let (serial, rest) = rest.split_first_chunk::<4>()?;
                let (hint, rest) = rest.split_first_chunk::<8>()?;
                let (length, rest) = rest.split_first_chunk::<2>()?;
                let (adapter, id) = rest.split_at_checked(u16::from_be_bytes(*length).into())?;
                let (serial, hint) = (u32::from_be_bytes(*serial), slot_from_octets(*hint));
                Some(Self::Named(NamedKey { incarnation, serial, hint, adapter, id }))
            }
            _ => None,
        }
    }

    #[inline(never)]
    fn parse_numbered(kind: u8, octets: &'k [u8]) -> Option<Self> {
        let (octets, _) = octets.split_last_chunk::<NUMBER>()?;
        Self::parse_rest(kind & !NUMBERED, octets)
    }

    /// The octets of the key.
    pub fn encode(&self) -> KeyOctets {
        match self {
            Self::Active { incarnation, slot } => {
                let mut key = [0; 20];
                key[..3].copy_from_slice(&MAGIC);
                key[3] = ACTIVE;
                key[4..12].copy_from_slice(&incarnation.to_be_bytes());
                key[12..].copy_from_slice(&slot_to_octets(*slot));
                KeyOctets::from_slice(&key)
            }
            Self::Named(named) => named.encode(),
        }
    }

    /// Whether two keys name the same object. Hints are not compared.
    pub fn is_same(one: &[u8], other: &[u8]) -> bool {
        let named = |key| matches!(ObjectKey::parse(key), Some(ObjectKey::Named(_)));
        let but_hint = |key: &[u8]| key.len() == one.len() && key[HINT.end..] == one[HINT.end..];
        one == other
            || named(one)
                && named(other)
                && one[..HINT.start] == other[..HINT.start]
                && but_hint(other)
    }
}

impl NamedKey<'_> {
    fn encode(&self) -> KeyOctets {
        let Self { incarnation, serial, hint, adapter, id } = self;
        let mut key = KeyOctets::with_capacity(HINT.end + 2 + adapter.len() + id.len() + NUMBER);
        key.extend_from_slice(&MAGIC);
        key.push(NAMED);
        key.extend_from_slice(&incarnation.to_be_bytes());
        key.extend_from_slice(&serial.to_be_bytes());
        key.extend_from_slice(&slot_to_octets(*hint));
        // The creation of a POA limits the length of its path, so it fits.
        key.extend_from_slice(&(adapter.len() as u16).to_be_bytes());
        key.extend_from_slice(adapter);
        key.extend_from_slice(id);
        key
    }
}

impl ObjectKey<'_> {
    /// Hashes what [`is_same`](ObjectKey::is_same) compares.
    pub fn hash_same<H: Hasher>(key: &[u8], state: &mut H) {
        match ObjectKey::parse(key) {
            Some(ObjectKey::Named(named)) => {
                (named.incarnation, named.serial, named.adapter, named.id).hash(state);
            }
            _ => key.hash(state),
        }
    }
}

/// The number in a key before a client has put in that of an operation.
const NO_NUMBER: u32 = u32::MAX;

/// The key with room for the number of an operation, which the client fills in.
pub fn with_room_for_number(mut key: KeyOctets) -> KeyOctets {
    if let Some(kind) = key.get_mut(MAGIC.len()) {
        *kind |= NUMBERED;
        key.extend_from_slice(&NO_NUMBER.to_be_bytes());
    }
    key
}

/// The operation number in a key that has room for one.
#[inline]
pub fn operation_number(key: &[u8]) -> Option<u32> {
    let head = key.first_chunk::<4>()?;
    let has_room = head[..3] == MAGIC && head[3] & NUMBERED != 0;
    let number = key.get(head.len()..)?.last_chunk::<NUMBER>()?;
    has_room.then(|| u32::from_be_bytes(*number))
}

/// Puts the number of an operation into a key with room for one.
pub fn put_operation_number(key: &mut [u8], number: u32) {
    if operation_number(key).is_some()
        && let Some(room) = key.last_chunk_mut::<NUMBER>()
    {
        *room = number.to_be_bytes();
    }
}

/// The size in octets of an object id that a POA assigns.
pub const SYSTEM_ID: usize = 16;

/// Marks a system id that contains a counter instead of a slot.
const COUNTED: u64 = 1 << 63;

/// The id that a POA assigns to the object in `slot`. No other object ever has the same id.
pub fn system_id(incarnation: u64, slot: Slot) -> [u8; SYSTEM_ID] {
    join(incarnation, slot_to_octets(slot))
}

/// The id with this number, for an object that has no slot yet.
pub fn counted_id(incarnation: u64, number: u64) -> [u8; SYSTEM_ID] {
    join(incarnation, (COUNTED | number).to_be_bytes())
}

/// The incarnation and the slot in an id that a POA assigned; [`Slot::NONE`] if it contains a
/// counter.
pub fn parse_system_id(id: &[u8]) -> Option<(u64, Slot)> {
    let (incarnation, place) = id.split_first_chunk::<8>()?;
    let place: [u8; 8] = place.try_into().ok()?;
    let counted = u64::from_be_bytes(place) & COUNTED != 0;
    let slot = if counted { Slot::NONE } else { slot_from_octets(place) };
    Some((u64::from_be_bytes(*incarnation), slot))
}

/// The counter in an id that a POA assigned; `None` if it contains a slot.
pub fn counted_number(id: &[u8]) -> Option<u64> {
    let place = id.last_chunk::<8>().filter(|_| id.len() == SYSTEM_ID)?;
    let number = u64::from_be_bytes(*place);
    (number & COUNTED != 0).then_some(number & !COUNTED)
}

fn join(incarnation: u64, place: [u8; 8]) -> [u8; SYSTEM_ID] {
    let mut id = [0; SYSTEM_ID];
    id[..8].copy_from_slice(&incarnation.to_be_bytes());
    id[8..].copy_from_slice(&place);
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOT: Slot = Slot { index: 3, generation: 0x8000_0001 };

    fn named(hint: Slot) -> KeyOctets {
        let key = NamedKey { incarnation: 0, serial: 9, hint, adapter: b"bank", id: b"\x00\xff" };
        ObjectKey::Named(key).encode()
    }

    #[test]
    fn keys_survive_the_wire() {
        let active = ObjectKey::Active { incarnation: 7, slot: SLOT };
        assert_eq!(ObjectKey::parse(&active.encode()), Some(active));
        let named = named(SLOT);
        let Some(ObjectKey::Named(parsed)) = ObjectKey::parse(&named) else { panic!("a key") };
        assert_eq!((parsed.serial, parsed.hint, parsed.id), (9, SLOT, &b"\x00\xff"[..]));
        assert_eq!(ObjectKey::Named(parsed).encode(), named);
    }

    #[test]
    fn a_key_with_room_for_a_number_names_the_same_object() {
        for key in [ObjectKey::Active { incarnation: 7, slot: SLOT }.encode(), named(SLOT)] {
            assert_eq!(operation_number(&key), None);
            let mut roomy = with_room_for_number(key.clone());
            assert_eq!(operation_number(&roomy), Some(NO_NUMBER));
            put_operation_number(&mut roomy, 17);
            assert_eq!(operation_number(&roomy), Some(17));
            assert_eq!(ObjectKey::parse(&roomy), ObjectKey::parse(&key));
            assert_eq!(ObjectKey::parse(&roomy[..roomy.len().min(20) - 1]), None);
        }
    }

    #[test]
    fn strange_keys_are_nobodys() {
        let key = named(Slot::NONE);
        for end in 0..key.len() - 2 {
            assert_eq!(ObjectKey::parse(&key[..end]), None, "cut to {end} octets");
        }
        let mut long = ObjectKey::Active { incarnation: 1, slot: SLOT }.encode();
        long.push(0);
        assert_eq!(ObjectKey::parse(&long), None);
        assert_eq!(ObjectKey::parse(b"NameService"), None);
    }

    #[test]
    fn a_hint_makes_no_other_object() {
        assert!(ObjectKey::is_same(&named(SLOT), &named(Slot::NONE)));
        let active = ObjectKey::Active { incarnation: 7, slot: SLOT }.encode();
        let mut other = active.clone();
        other[19] ^= 1;
        assert!(ObjectKey::is_same(&active, &active) && !ObjectKey::is_same(&active, &other));
        assert!(!ObjectKey::is_same(&active, &named(SLOT)));
        let mut other = named(SLOT);
        *other.last_mut().unwrap() ^= 1;
        assert!(!ObjectKey::is_same(&other, &named(SLOT)));
    }

    #[test]
    fn ids_lead_back_to_places() {
        assert_eq!(
            parse_system_id(&system_id(5, SLOT)),
            Some((5, Slot { generation: 0x8000_0001, ..SLOT }))
        );
        assert_eq!(parse_system_id(&counted_id(5, 1)), Some((5, Slot::NONE)));
        assert_eq!(parse_system_id(b"short"), None);
        assert_eq!(counted_number(&counted_id(5, 9)), Some(9));
        assert_eq!(counted_number(&system_id(5, SLOT)), None);
    }
}
