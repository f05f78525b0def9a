//! A disk in memory that loses power, loses what was not synced, in any order, and fails.
//!
//! All that happens follows from a seed and from what is planned with [`Disk::plan`]: a run can be
//! repeated exactly. What outlives the power is decided sector by sector, among all that was written
//! since the last sync.

use super::{Files, LogFile};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// What the disk writes whole or not at all, in octets.
const SECTOR: usize = 512;

/// What happens to an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The process is killed in the middle of it; the system goes on.
    Kill,
    /// The power fails in the middle of it.
    PowerCut,
    /// It fails; of what is written, some may be.
    Error,
}

impl Fault {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Kill, Self::PowerCut, Self::Error];
}

#[derive(Debug, Clone, Default)]
struct Node {
    /// What reads return.
    cache: Vec<u8>,
    /// What is on the disk.
    disk: Vec<u8>,
    /// What sectors have had since the last sync, the newest last.
    dirty: BTreeMap<usize, Vec<Vec<u8>>>,
    /// How much room is reserved, in octets.
    reserved: usize,
}

#[derive(Debug, Clone, Default)]
struct Inner {
    nodes: Vec<Node>,
    names: BTreeMap<String, usize>,
    names_on_disk: BTreeMap<String, usize>,
    /// Names that were changed since the last sync of the directory.
    changed: BTreeSet<String>,
    random: u64,
    clock: u64,
    room: usize,
    operations: u64,
    plan: Option<(u64, Fault)>,
    is_dead: bool,
    has_lock: bool,
    ignores_syncs: bool,
    last: &'static str,
}

impl Inner {
    /// A random number below `most` (splitmix64).
    fn below(&mut self, most: u64) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.random;
        word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (word ^ word >> 31) % most.max(1)
    }

    fn used(&self) -> usize {
        let linked: BTreeSet<_> = self.names.values().collect();
        linked.iter().map(|node| self.nodes[**node].reserved).sum()
    }

    /// Counts an operation that changes something. Returns what happens to it.
    fn begin(&mut self, what: &'static str) -> io::Result<Option<Fault>> {
        if self.is_dead {
            return Err(io::Error::other("the process has ended"));
        }
        self.last = what;
        let number = self.operations;
        self.operations += 1;
        Ok(self.plan.filter(|(at, _)| *at == number).map(|(_, fault)| fault))
    }

    /// Ends an operation to which something happens.
    fn end(&mut self, fault: Option<Fault>) -> io::Result<()> {
        match fault {
            None => Ok(()),
            Some(Fault::Error) => Err(io::Error::other("the disk fails")),
            Some(fault) => {
                self.is_dead = true;
                if fault == Fault::PowerCut {
                    self.cut();
                }
                Err(io::Error::other("the process has ended"))
            }
        }
    }

    /// The power fails: of what was not synced, some is on the disk.
    fn cut(&mut self) {
        for number in 0..self.nodes.len() {
            self.bring(number, true);
            let node = &mut self.nodes[number];
            node.cache = node.disk.clone();
        }
        // Names are on the disk or not, each for itself.
        for name in std::mem::take(&mut self.changed) {
            if self.below(2) == 0 {
                self.keep_name(name);
            }
        }
        self.names = self.names_on_disk.clone();
    }

    fn keep_name(&mut self, name: String) {
        match self.names.get(&name) {
            Some(node) => drop(self.names_on_disk.insert(name, *node)),
            None => drop(self.names_on_disk.remove(&name)),
        }
    }

    /// Brings all names to the disk, or none: after a failure the system takes for written what is
    /// not.
    fn bring_names(&mut self, is_done: bool) {
        for name in std::mem::take(&mut self.changed) {
            if is_done && !self.ignores_syncs {
                self.keep_name(name);
            }
        }
    }

    /// Brings what a file has to the disk: all of it, or some.
    fn bring(&mut self, number: usize, only_some: bool) {
        let dirty = std::mem::take(&mut self.nodes[number].dirty);
        let length = self.nodes[number].cache.len();
        if !only_some || self.below(2) == 0 {
            self.nodes[number].disk.resize(length, 0);
        }
        for (sector, versions) in dirty {
            let version = match only_some {
                true => self.below(versions.len() as u64 + 1) as usize,
                false => versions.len(),
            };
            let Some(octets) = version.checked_sub(1).map(|version| &versions[version]) else {
                continue;
            };
            let disk = &mut self.nodes[number].disk;
            let begin = sector * SECTOR;
            let end = disk.len().min(begin + octets.len());
            if begin < end {
                disk[begin..end].copy_from_slice(&octets[..end - begin]);
            }
        }
    }
}

/// A disk with one directory. Clones are the same disk.
#[derive(Debug, Clone)]
pub struct Disk(Arc<Mutex<Inner>>);

impl Disk {
    /// An empty disk. Whatever is left to chance follows from the seed.
    pub fn new(seed: u64) -> Self {
        let inner = Inner { random: seed, room: usize::MAX, ..Inner::default() };
        Self(Arc::new(Mutex::new(inner)))
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A process opens the directory. After one has ended the next one may.
    ///
    /// # Panics
    /// One has it open.
    pub fn files(&self) -> Simulated {
        let mut inner = self.inner();
        assert!(!inner.has_lock, "one process at a time");
        (inner.has_lock, inner.is_dead) = (true, false);
        drop(inner);
        Simulated(self.clone())
    }

    /// How many operations there were that change something.
    pub fn operations(&self) -> u64 {
        self.inner().operations
    }

    /// What the last operation was.
    pub fn last(&self) -> &'static str {
        self.inner().last
    }

    /// Lets something happen to the operation with this number, counted from 0.
    pub fn plan(&self, operation: u64, fault: Fault) {
        self.inner().plan = Some((operation, fault));
    }

    /// Whether the process has ended by a fault.
    pub fn is_dead(&self) -> bool {
        self.inner().is_dead
    }

    /// The power fails now. The process is to be dropped.
    pub fn cut_power(&self) {
        let mut inner = self.inner();
        inner.is_dead = true;
        inner.cut();
    }

    /// The process is killed now, and is to be dropped.
    pub fn kill(&self) {
        self.inner().is_dead = true;
    }

    /// Leaves room for so many octets more.
    pub fn leave_room(&self, octets: usize) {
        let mut inner = self.inner();
        inner.room = inner.used().saturating_add(octets);
    }

    /// Puts a file with these octets there.
    pub fn put(&self, name: &str, octets: &[u8]) {
        let mut inner = self.inner();
        let node = inner.nodes.len();
        inner.nodes.push(Node { cache: octets.to_vec(), disk: octets.to_vec(), ..Node::default() });
        inner.names.insert(name.to_owned(), node);
        inner.names_on_disk.insert(name.to_owned(), node);
    }

    /// Whether a sync does nothing, as with some disks: to show that tests find it out.
    pub fn ignore_syncs(&self, ignores: bool) {
        self.inner().ignores_syncs = ignores;
    }

    /// The names of the files.
    pub fn names(&self) -> Vec<String> {
        self.inner().names.keys().cloned().collect()
    }

    /// The octets of a file; empty if there is none.
    pub fn octets(&self, name: &str) -> Vec<u8> {
        let inner = self.inner();
        inner.names.get(name).map(|node| inner.nodes[*node].cache.clone()).unwrap_or_default()
    }

    /// Changes an octet of a file, on the disk and in memory. Nothing happens beyond its end.
    pub fn flip(&self, name: &str, offset: usize, mask: u8) {
        let mut inner = self.inner();
        if let Some(number) = inner.names.get(name).copied() {
            let node = &mut inner.nodes[number];
            for octets in [&mut node.cache, &mut node.disk] {
                if let Some(octet) = octets.get_mut(offset) {
                    *octet ^= mask;
                }
            }
        }
    }

    /// Another disk with the same contents. No process has it open.
    #[must_use]
    pub fn copy(&self) -> Self {
        let inner = self.inner().clone();
        Self(Arc::new(Mutex::new(Inner { has_lock: false, ..inner })))
    }

    /// Loses a file.
    pub fn forget(&self, name: &str) {
        let mut inner = self.inner();
        inner.names.remove(name);
        inner.names_on_disk.remove(name);
    }

    /// Moves the clock forward.
    pub fn advance(&self, time: Duration) {
        self.inner().clock += u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    }
}

/// A process that uses the disk.
#[derive(Debug)]
pub struct Simulated(Disk);

impl Drop for Simulated {
    fn drop(&mut self) {
        self.0.inner().has_lock = false;
    }
}

impl Simulated {
    fn node(&self, name: &str) -> io::Result<SimulatedFile> {
        let inner = self.0.inner();
        let node = *inner.names.get(name).ok_or(io::ErrorKind::NotFound)?;
        Ok(SimulatedFile { disk: self.0.clone(), node })
    }
}

impl Files for Simulated {
    type File = SimulatedFile;

    fn path(&self) -> &Path {
        Path::new("/simulated")
    }

    fn list(&self) -> io::Result<Vec<String>> {
        Ok(self.0.names())
    }

    fn sync_names(&self) -> io::Result<()> {
        let mut inner = self.0.inner();
        let fault = inner.begin("sync names")?;
        inner.bring_names(fault.is_none());
        inner.end(fault)
    }

    fn open(&self, name: &str) -> io::Result<SimulatedFile> {
        self.node(name)
    }

    fn create(&self, name: &str) -> io::Result<SimulatedFile> {
        let mut inner = self.0.inner();
        let fault = inner.begin("create")?;
        if fault != Some(Fault::Error) {
            let node = inner.nodes.len();
            inner.nodes.push(Node::default());
            inner.names.insert(name.to_owned(), node);
            inner.changed.insert(name.to_owned());
        }
        inner.end(fault)?;
        drop(inner);
        self.node(name)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let mut inner = self.0.inner();
        let fault = inner.begin("rename")?;
        let node = *inner.names.get(from).ok_or(io::ErrorKind::NotFound)?;
        if fault.is_none() || inner.below(2) == 0 {
            inner.names.remove(from);
            inner.names.insert(to.to_owned(), node);
            inner.changed.extend([from.to_owned(), to.to_owned()]);
            // Both names at once, or neither.
            let is_done = fault.is_none() || inner.below(2) == 0;
            if is_done || fault != Some(Fault::Kill) {
                inner.bring_names(is_done);
            }
        }
        inner.end(fault)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        let mut inner = self.0.inner();
        let fault = inner.begin("remove")?;
        inner.names.get(name).ok_or(io::ErrorKind::NotFound)?;
        if fault != Some(Fault::Error) {
            inner.names.remove(name);
            inner.changed.insert(name.to_owned());
        }
        inner.end(fault)
    }

    fn keep(&self, name: &str) -> io::Result<PathBuf> {
        let mut inner = self.0.inner();
        let fault = inner.begin("keep")?;
        let node = *inner.names.get(name).ok_or(io::ErrorKind::NotFound)?;
        let kept = (1..).map(|number| format!("{name}.damaged-{number}"));
        let kept = kept.into_iter().find(|kept| !inner.names.contains_key(kept));
        let kept = kept.unwrap_or_default();
        if fault != Some(Fault::Error) {
            inner.names.insert(kept.clone(), node);
            inner.changed.insert(kept.clone());
        }
        inner.end(fault)?;
        Ok(self.path().join(kept))
    }

    fn is_in_place(&self, name: &str, file: &SimulatedFile) -> bool {
        self.0.inner().names.get(name) == Some(&file.node)
    }

    fn room(&self) -> io::Result<u64> {
        let inner = self.0.inner();
        Ok(inner.room.saturating_sub(inner.used()) as u64)
    }

    fn now(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_millis(self.0.inner().clock)
    }

    fn unique(&self) -> u64 {
        self.0.inner().below(u64::MAX)
    }
}

/// A file of a [`Disk`].
#[derive(Debug)]
pub struct SimulatedFile {
    disk: Disk,
    node: usize,
}

impl SimulatedFile {
    fn put(inner: &mut Inner, node: usize, octets: &[u8], offset: usize) -> io::Result<()> {
        let end = offset + octets.len();
        if end > inner.nodes[node].reserved {
            let more = end - inner.nodes[node].reserved;
            if inner.used().saturating_add(more) > inner.room {
                return Err(io::ErrorKind::StorageFull.into());
            }
            inner.nodes[node].reserved = end;
        }
        let node = &mut inner.nodes[node];
        if end > node.cache.len() {
            node.cache.resize(end, 0);
        }
        node.cache[offset..end].copy_from_slice(octets);
        if octets.is_empty() {
            return Ok(());
        }
        for sector in offset / SECTOR..=(end - 1) / SECTOR {
            let begin = sector * SECTOR;
            let version = node.cache[begin..node.cache.len().min(begin + SECTOR)].to_vec();
            node.dirty.entry(sector).or_default().push(version);
        }
        Ok(())
    }
}

impl LogFile for SimulatedFile {
    fn length(&self) -> io::Result<u64> {
        Ok(self.disk.inner().nodes[self.node].cache.len() as u64)
    }

    fn read_at(&self, octets: &mut [u8], offset: u64) -> io::Result<usize> {
        let inner = self.disk.inner();
        let cache = &inner.nodes[self.node].cache;
        let offset = usize::try_from(offset).unwrap_or(usize::MAX).min(cache.len());
        let there = &cache[offset..cache.len().min(offset + octets.len())];
        octets[..there.len()].copy_from_slice(there);
        Ok(there.len())
    }

    fn write_all_at(&self, octets: &[u8], offset: u64) -> io::Result<()> {
        let mut inner = self.disk.inner();
        let fault = inner.begin("write")?;
        let written = match fault {
            Some(_) => inner.below(octets.len() as u64 + 1) as usize,
            None => octets.len(),
        };
        Self::put(&mut inner, self.node, &octets[..written], offset as usize)?;
        inner.end(fault)
    }

    fn allocate(&self, length: u64) -> io::Result<()> {
        let mut inner = self.disk.inner();
        let fault = inner.begin("allocate")?;
        let (length, reserved) = (length as usize, inner.nodes[self.node].reserved);
        if inner.used().saturating_add(length.saturating_sub(reserved)) > inner.room {
            return Err(io::ErrorKind::StorageFull.into());
        }
        if fault != Some(Fault::Error) {
            let node = &mut inner.nodes[self.node];
            node.reserved = node.reserved.max(length);
            node.cache.resize(length.max(node.cache.len()), 0);
        }
        inner.end(fault)
    }

    fn set_length(&self, length: u64) -> io::Result<()> {
        let mut inner = self.disk.inner();
        let fault = inner.begin("set length")?;
        if fault != Some(Fault::Error) {
            inner.nodes[self.node].cache.resize(length as usize, 0);
        }
        inner.end(fault)
    }

    fn sync(&self) -> io::Result<()> {
        let mut inner = self.disk.inner();
        let fault = inner.begin("sync")?;
        // After an error the system takes for written what is not, and some of it is.
        if !inner.ignores_syncs {
            inner.bring(self.node, fault.is_some());
        }
        inner.end(fault)
    }
}
