//! Equivalence and hashes of references: whether they denote the same object, as far as the
//! references themselves tell (CORBA 3.4 Part 1, 8.3.5 and 8.3.6).

use super::Object;
use crate::object_key::ObjectKey;
use armilla_giop::ior::IiopProfile;
use std::hash::{DefaultHasher, Hash, Hasher};

impl Object {
    /// Whether both references denote the same object, as far as they themselves tell:
    /// `_is_equivalent`. The same as `==`. Does not call the object: different references may
    /// denote the same object.
    ///
    /// ```
    /// # use armilla::Orb;
    /// let orb = Orb::new()?;
    /// let account = orb.string_to_object("corbaloc::bank.example.org/account")?;
    /// let same = orb.string_to_object(&orb.object_to_string(&account)?)?;
    /// assert!(account.is_equivalent(&same));
    /// assert_eq!(account.hash_up_to(100), same.hash_up_to(100));
    /// # Ok::<(), armilla::SystemException>(())
    /// ```
    pub fn is_equivalent(&self, other: &Self) -> bool {
        self == other
    }

    /// A number up to `maximum` that is the same for equivalent references, in every process of
    /// this build: `_hash`.
    pub fn hash_up_to(&self, maximum: u32) -> u32 {
        let mut hasher = DefaultHasher::new();
        self.hash(&mut hasher);
        // The remainder is not larger than `maximum`.
        (hasher.finish() % (u64::from(maximum) + 1)) as u32
    }
}

impl Eq for Object {}

impl Hash for Object {
    /// Hashes addresses and keys, but not the hints in keys of this ORB. Calls change none of
    /// these. A reference is therefore a valid key of a map, although clippy warns
    /// (`mutable_key_type`).
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Ok(reference) = self.reference() else { return };
        for profile in &reference.ior().profiles {
            profile.id.hash(state);
            match IiopProfile::decode_data(&profile.data) {
                Ok(read) => {
                    (&read.host, read.port).hash(state);
                    ObjectKey::hash_same(&read.object_key, state);
                }
                Err(_) => profile.data.hash(state),
            }
        }
    }
}
