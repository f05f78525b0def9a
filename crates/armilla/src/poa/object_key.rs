//! Object keys: what a reference carries so that its server finds the servant again.

use super::ObjectId;

/// The four octets every key of ours begins with.
const MAGIC: [u8; 3] = *b"\xa5AR";

/// An object of a transient POA with system ids: found by one table access.
const ACTIVE: u8 = 1;

/// Any other object: found by the names of its POA and its object id.
const NAMED: u8 = 2;

/// A place in the active object map with the generation that it had when the object was activated,
/// so that a key to an object that is gone fails even when its place is taken again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Slot {
    pub(crate) index: u32,
    pub(crate) generation: u32,
}

/// A parsed key. It borrows the key.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ObjectKey<'k> {
    /// An object of this incarnation of the server, or of another: transient, by place.
    Active { incarnation: u64, slot: Slot },
    /// An object by its adapter and its id. `incarnation` is 0 for persistent adapters.
    Named { incarnation: u64, adapter: &'k [u8], id: &'k [u8] },
}

impl<'k> ObjectKey<'k> {
    /// Parses a key; `None` when it is not one of ours.
    #[inline]
    pub(crate) fn parse(key: &'k [u8]) -> Option<Self> {
        let (head, rest) = key.split_first_chunk::<4>()?;
        let (incarnation, rest) = rest.split_first_chunk::<8>()?;
        let incarnation = u64::from_be_bytes(*incarnation);
        match *head {
            [a, b, c, ACTIVE] if [a, b, c] == MAGIC => {
                let place = u64::from_be_bytes(rest.try_into().ok()?);
                let slot = Slot { index: (place >> 32) as u32, generation: place as u32 };
                Some(Self::Active { incarnation, slot })
            }
            [a, b, c, NAMED] if [a, b, c] == MAGIC => {
                let (length, rest) = rest.split_first_chunk::<2>()?;
                let (adapter, id) = rest.split_at_checked(u16::from_be_bytes(*length).into())?;
                Some(Self::Named { incarnation, adapter, id })
            }
            _ => None,
        }
    }

    /// The octets of the key.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut key = MAGIC.to_vec();
        match self {
            Self::Active { incarnation, slot } => {
                key.push(ACTIVE);
                key.extend(incarnation.to_be_bytes());
                key.extend(slot.index.to_be_bytes());
                key.extend(slot.generation.to_be_bytes());
            }
            Self::Named { incarnation, adapter, id } => {
                key.push(NAMED);
                key.extend(incarnation.to_be_bytes());
                // Adapter paths are limited to this when a POA is made.
                key.extend((adapter.len() as u16).to_be_bytes());
                key.extend_from_slice(adapter);
                key.extend_from_slice(id);
            }
        }
        key
    }
}

impl Slot {
    /// The object id that a POA with system ids gives to the object at this place.
    pub(crate) fn object_id(self, incarnation: u64) -> ObjectId {
        let mut id = incarnation.to_be_bytes().to_vec();
        id.extend(self.index.to_be_bytes());
        id.extend(self.generation.to_be_bytes());
        ObjectId::new(id)
    }

    /// The place that an id made by [`object_id`](Self::object_id) names.
    pub(crate) fn from_object_id(id: &ObjectId) -> Option<Self> {
        let (_, place) = id.as_bytes().split_first_chunk::<8>()?;
        let place = u64::from_be_bytes(place.try_into().ok()?);
        Some(Self { index: (place >> 32) as u32, generation: place as u32 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_survive_the_wire() {
        let active =
            ObjectKey::Active { incarnation: 7, slot: Slot { index: 3, generation: 0x8000_0001 } };
        assert_eq!(ObjectKey::parse(&active.encode()), Some(active));
        let named = ObjectKey::Named { incarnation: 0, adapter: b"bank/retail", id: b"\x00\xff" };
        assert_eq!(ObjectKey::parse(&named.encode()), Some(named));
    }

    #[test]
    fn strange_keys_are_nobodys() {
        let key = ObjectKey::Named { incarnation: 1, adapter: b"bank", id: b"" }.encode();
        for end in 0..key.len() {
            assert_eq!(ObjectKey::parse(&key[..end]), None, "cut to {end} octets");
        }
        let long = ObjectKey::Active { incarnation: 1, slot: Slot { index: 0, generation: 0 } };
        let mut long = long.encode();
        long.push(0);
        assert_eq!(ObjectKey::parse(&long), None);
        assert_eq!(ObjectKey::parse(b"NameService"), None);
    }
}
