//! The table of objects.

use super::sets::{PingSet, PingSets};
use crate::objref::StandardReference;
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::sync::Arc;
use alloc::vec::Vec;
use armilla_dcerpc::{ByteOrder, Status, Uuid};
use core::fmt;
use core::time::Duration;

/// How much an exporter keeps.
#[derive(Debug, Clone, Copy)]
pub struct ExporterLimits {
    /// How many objects may be exported at once.
    pub max_objects: usize,
    /// How many interfaces of one object may be referred to.
    pub max_interfaces: usize,
    /// How many ping sets there may be.
    pub max_sets: usize,
    /// How many members all ping sets may have together.
    pub max_memberships: usize,
    /// How many objects may be exported for the calls of one user.
    pub max_objects_of_user: usize,
    /// How many ping sets a user may have.
    pub max_sets_of_user: usize,
    /// How many members the ping sets of a user may have together.
    pub max_memberships_of_user: usize,
    /// After which time without a ping or a call nobody refers to an object any more. Clients ping
    /// every 120 s, and three pings may be lost (MS-DCOM 3.1.2.2).
    pub expiry: Duration,
}

impl Default for ExporterLimits {
    fn default() -> Self {
        Self {
            max_objects: 65_536,
            max_interfaces: 64,
            max_sets: 4_096,
            max_memberships: 262_144,
            max_objects_of_user: 32_768,
            max_sets_of_user: 2_048,
            max_memberships_of_user: 131_072,
            expiry: Duration::from_secs(360),
        }
    }
}

/// Exported objects of a type `T`, with the references that clients have. Names are random: whoever
/// was not given one does not find it.
pub struct Exporter<T> {
    limits: ExporterLimits,
    random: Box<dyn FnMut() -> [u8; 16] + Send>,
    oxid: u64,
    rem_unknown: Uuid,
    objects: BTreeMap<u64, Exported<T>>,
    /// To which interface of which object an IPID belongs.
    interfaces: BTreeMap<Uuid, (u64, Uuid)>,
    /// Which object of the program has which name.
    identities: BTreeMap<usize, u64>,
    sets: PingSets,
    /// How many objects there are for the calls of each user.
    owners: BTreeMap<Arc<str>, usize>,
    /// How often a user had too much.
    refused: u64,
}

struct Exported<T> {
    object: T,
    identity: usize,
    interfaces: BTreeMap<Uuid, Interface>,
    /// Whether it stays without references.
    pinned: bool,
    /// When it was made, called or pinged last.
    last: Duration,
    /// The ping sets that it is in.
    sets: BTreeSet<u64>,
    /// The user for whose call it was exported.
    owner: Option<Arc<str>>,
}

struct Interface {
    ipid: Uuid,
    public: u32,
    private: u32,
}

impl<T: Clone> Exporter<T> {
    /// An exporter without objects. `random` gives octets that nobody can predict.
    pub fn new(
        limits: ExporterLimits,
        mut random: impl FnMut() -> [u8; 16] + Send + 'static,
    ) -> Self {
        let oxid = name_of(random());
        let rem_unknown = Uuid::from_octets(random(), ByteOrder::Little);
        Self {
            limits,
            random: Box::new(random),
            oxid,
            rem_unknown,
            objects: BTreeMap::new(),
            interfaces: BTreeMap::new(),
            identities: BTreeMap::new(),
            sets: PingSets::default(),
            owners: BTreeMap::new(),
            refused: 0,
        }
    }

    /// The name of the exporter.
    pub fn oxid(&self) -> u64 {
        self.oxid
    }

    /// The name of the object that counts references.
    pub fn rem_unknown(&self) -> Uuid {
        self.rem_unknown
    }

    /// The name of an object of the program that is exported.
    pub fn oid(&self, identity: usize) -> Option<u64> {
        self.identities.get(&identity).copied()
    }

    /// How many objects are exported.
    pub fn len(&self) -> usize {
        self.objects.len()
    }

    /// Whether no object is exported.
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// How many ping sets there are.
    pub fn sets(&self) -> usize {
        self.sets.sets.len()
    }

    /// How often a user was refused an object or a ping set, because of what the user had.
    pub fn refused(&self) -> u64 {
        self.refused
    }

    /// The users for whose calls objects are exported, with how many these are.
    pub fn owners(&self) -> impl Iterator<Item = (&Arc<str>, usize)> {
        self.owners.iter().map(|(owner, objects)| (owner, *objects))
    }

    /// How many ping sets a user has, and how many members these have.
    pub fn sets_of(&self, owner: &str) -> (usize, usize) {
        self.sets.of(owner)
    }

    /// How many references clients have to interfaces of all objects.
    pub fn references(&self) -> u64 {
        let interfaces = self.objects.values().flat_map(|object| object.interfaces.values());
        interfaces.map(|it| u64::from(it.public) + u64::from(it.private)).sum()
    }

    /// Exports an object; returns its OID. `identity` is equal for two handles of the same object,
    /// which then keeps its name. A pinned object stays until [`unpin`](Self::unpin); another one
    /// until its last reference is given back or expires. `owner` is the user whose call gets it.
    ///
    /// # Errors
    ///
    /// [`Status::OUT_OF_MEMORY`] if there are too many, or too many of the user.
    pub fn export(
        &mut self,
        object: T,
        identity: usize,
        pinned: bool,
        owner: Option<&Arc<str>>,
        now: Duration,
    ) -> Result<u64, Status> {
        if let Some(oid) = self.identities.get(&identity)
            && let Some(known) = self.objects.get_mut(oid)
        {
            known.pinned |= pinned;
            known.last = now;
            return Ok(*oid);
        }
        if self.objects.len() >= self.limits.max_objects {
            return Err(Status::OUT_OF_MEMORY);
        }
        // What a program exports for good is its own.
        let owner = owner.filter(|_| !pinned);
        if let Some(owner) = owner {
            let own = self.owners.entry(owner.clone()).or_default();
            if *own >= self.limits.max_objects_of_user {
                self.refused += 1;
                return Err(Status::OUT_OF_MEMORY);
            }
            *own += 1;
        }
        let mut oid = name_of((self.random)());
        while self.objects.contains_key(&oid) {
            oid = name_of((self.random)());
        }
        self.identities.insert(identity, oid);
        let (interfaces, sets) = (BTreeMap::new(), BTreeSet::new());
        let owner = owner.cloned();
        let exported = Exported { object, identity, interfaces, pinned, last: now, sets, owner };
        self.objects.insert(oid, exported);
        Ok(oid)
    }

    /// Lets a pinned object live by its references; returns it if it has none.
    pub fn unpin(&mut self, oid: u64) -> Option<T> {
        let object = self.objects.get_mut(&oid)?;
        object.pinned = false;
        self.remove_unreferenced(oid)
    }

    /// A reference to an interface of an object, which counts `public` references.
    ///
    /// # Errors
    ///
    /// [`Status::DISCONNECTED`] if the object is gone, [`Status::OUT_OF_MEMORY`] if it has too many
    /// interfaces or references.
    pub fn marshal(
        &mut self,
        oid: u64,
        iid: Uuid,
        public: u32,
        now: Duration,
    ) -> Result<StandardReference, Status> {
        let object = self.objects.get_mut(&oid).ok_or(Status::DISCONNECTED)?;
        object.last = now;
        if !object.interfaces.contains_key(&iid) {
            if object.interfaces.len() >= self.limits.max_interfaces {
                return Err(Status::OUT_OF_MEMORY);
            }
            let ipid = Uuid::from_octets((self.random)(), ByteOrder::Little);
            object.interfaces.insert(iid, Interface { ipid, public: 0, private: 0 });
            self.interfaces.insert(ipid, (oid, iid));
        }
        let interface = object.interfaces.get_mut(&iid).ok_or(Status::UNEXPECTED)?;
        interface.public = interface.public.checked_add(public).ok_or(Status::OUT_OF_MEMORY)?;
        Ok(StandardReference {
            flags: if object.pinned { StandardReference::NO_PING } else { 0 },
            public_references: public,
            oxid: self.oxid,
            oid,
            ipid: interface.ipid,
        })
    }

    /// The object, its OID and the interface of an IPID, for a call at `now`.
    pub fn find(&mut self, ipid: Uuid, now: Duration) -> Option<(T, u64, Uuid)> {
        let (oid, iid) = *self.interfaces.get(&ipid)?;
        let object = self.objects.get_mut(&oid)?;
        object.last = now;
        Some((object.object.clone(), oid, iid))
    }

    /// Counts further references to an interface.
    ///
    /// # Errors
    ///
    /// [`Status::DISCONNECTED`] if it is gone, [`Status::OUT_OF_MEMORY`] if 32 bits do not count
    /// them.
    pub fn add(
        &mut self,
        ipid: Uuid,
        (public, private): (u32, u32),
        now: Duration,
    ) -> Result<(), Status> {
        let (_, object, interface) = self.interface(ipid)?;
        *object = now;
        let sums = (interface.public.checked_add(public), interface.private.checked_add(private));
        let (Some(public), Some(private)) = sums else { return Err(Status::OUT_OF_MEMORY) };
        (interface.public, interface.private) = (public, private);
        Ok(())
    }

    /// Takes references back; returns the object if that was the last one. Drop it where no lock is
    /// held: its end may be anything.
    ///
    /// # Errors
    ///
    /// [`Status::DISCONNECTED`] if the interface is gone.
    pub fn release(
        &mut self,
        ipid: Uuid,
        (public, private): (u32, u32),
    ) -> Result<Option<T>, Status> {
        let (oid, _, interface) = self.interface(ipid)?;
        interface.public = interface.public.saturating_sub(public);
        interface.private = interface.private.saturating_sub(private);
        Ok(self.remove_unreferenced(oid))
    }

    fn interface(&mut self, ipid: Uuid) -> Result<(u64, &mut Duration, &mut Interface), Status> {
        let (oid, iid) = *self.interfaces.get(&ipid).ok_or(Status::DISCONNECTED)?;
        let object = self.objects.get_mut(&oid).ok_or(Status::DISCONNECTED)?;
        let interface = object.interfaces.get_mut(&iid).ok_or(Status::DISCONNECTED)?;
        Ok((oid, &mut object.last, interface))
    }

    fn remove_unreferenced(&mut self, oid: u64) -> Option<T> {
        let object = self.objects.get(&oid)?;
        let none = object.interfaces.values().all(|it| it.public == 0 && it.private == 0);
        if object.pinned || !none { None } else { self.remove(oid) }
    }

    fn remove(&mut self, oid: u64) -> Option<T> {
        let object = self.objects.remove(&oid)?;
        self.identities.remove(&object.identity);
        if let Some(owner) = &object.owner
            && let Some(own) = self.owners.get_mut(owner)
        {
            *own -= 1;
            if *own == 0 {
                self.owners.remove(owner);
            }
        }
        for interface in object.interfaces.values() {
            self.interfaces.remove(&interface.ipid);
        }
        for set in &object.sets {
            self.sets.remove(*set, oid);
        }
        Some(object.object)
    }

    /// A client is alive and wants the objects of its set.
    ///
    /// # Errors
    ///
    /// [`Status::UNKNOWN_SET`] if there is no such set.
    pub fn simple_ping(&mut self, set: u64, now: Duration) -> Result<(), Status> {
        let set = self.sets.sets.get_mut(&set).ok_or(Status::UNKNOWN_SET)?;
        set.last = now;
        Ok(())
    }

    /// The same, and its set changes; 0 makes a new set. Returns the name of the set. Objects that
    /// are gone are passed over: the client learns of it when it calls them. Nor is the number
    /// of a ping looked at, which peers count in ways of their own.
    ///
    /// # Errors
    ///
    /// [`Status::UNKNOWN_SET`] if there is no such set, [`Status::OUT_OF_MEMORY`] if there are too
    /// many sets or members.
    pub fn complex_ping(
        &mut self,
        set: u64,
        (added, removed): (&[u64], &[u64]),
        owner: Option<&Arc<str>>,
        now: Duration,
    ) -> Result<u64, Status> {
        let known = set != 0;
        let set = if known { set } else { self.new_set(owner, now)? };
        self.simple_ping(set, now)?;
        let added = self.put(set, added);
        if added.is_err() && !known {
            // Its client never learns the name.
            self.sets.forget(set).iter().for_each(|oid| {
                self.objects.get_mut(oid).map(|object| object.sets.remove(&set));
            });
        }
        added?;
        for oid in removed {
            if self.sets.remove(set, *oid)
                && let Some(object) = self.objects.get_mut(oid)
            {
                object.sets.remove(&set);
                object.last = now;
            }
        }
        Ok(set)
    }

    /// Adds objects to a set.
    fn put(&mut self, set: u64, added: &[u64]) -> Result<(), Status> {
        if added.is_empty() {
            return Ok(());
        }
        let limits = &self.limits;
        let own = self.sets.owner(set).map_or(0, |owner| self.sets.of(&owner).1);
        let left = limits.max_memberships_of_user.saturating_sub(own);
        let mut left = left.min(limits.max_memberships.saturating_sub(self.sets.memberships));
        for oid in added {
            let Some(object) = self.objects.get_mut(oid) else { continue };
            if !object.sets.insert(set) {
                continue;
            }
            left = left.checked_sub(1).ok_or_else(|| {
                object.sets.remove(&set);
                Status::OUT_OF_MEMORY
            })?;
            self.sets.insert(set, *oid);
        }
        Ok(())
    }

    fn new_set(&mut self, owner: Option<&Arc<str>>, now: Duration) -> Result<u64, Status> {
        let own = owner.map_or(0, |owner| self.sets.of(owner).0);
        let full = self.sets.sets.len() >= self.limits.max_sets;
        let much = own >= self.limits.max_sets_of_user;
        self.refused += u64::from(much);
        if full || much {
            return Err(Status::OUT_OF_MEMORY);
        }
        let set = name_of((self.random)());
        let (members, owner) = (BTreeSet::new(), owner.cloned());
        self.sets.sets.insert(set, PingSet { members, last: now, owner });
        Ok(set)
    }

    /// Forgets the sets that nobody pings and the objects that nobody refers to any more; returns
    /// the objects. Drop them where no lock is held.
    pub fn expire(&mut self, now: Duration) -> Vec<T> {
        let Some(limit) = now.checked_sub(self.limits.expiry) else { return Vec::new() };
        for (name, set) in self.sets.take_expired(limit) {
            for oid in set.members {
                if let Some(object) = self.objects.get_mut(&oid) {
                    object.sets.remove(&name);
                    object.last = object.last.max(set.last);
                }
            }
        }
        let dead =
            |object: &Exported<T>| !object.pinned && object.sets.is_empty() && object.last <= limit;
        let dead: Vec<_> =
            self.objects.iter().filter(|(_, object)| dead(object)).map(|(oid, _)| *oid).collect();
        dead.into_iter().filter_map(|oid| self.remove(oid)).collect()
    }
}

/// A name that is not 0.
fn name_of(random: [u8; 16]) -> u64 {
    let [a, b, c, d, e, f, g, h, ..] = random;
    u64::from_le_bytes([a, b, c, d, e, f, g, h]).max(1)
}

impl<T> fmt::Debug for Exporter<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { oxid, objects, .. } = self;
        f.debug_struct("Exporter").field("oxid", oxid).field("objects", &objects.len()).finish()
    }
}
