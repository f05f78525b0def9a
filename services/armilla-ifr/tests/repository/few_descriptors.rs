//! A repository in a process that has few file descriptors left. The limit is that of the process.

use crate::alone::alone;
use armilla_ifr::model::{Kind, ROOT};
use armilla_ifr::{ChangeError, Store};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::fs;
use std::os::unix::fs::MetadataExt;

/// Creates a module, and lets the file grow: two of these are more than is kept uncompacted.
fn create(store: &mut Store, name: &str) -> Result<(), ChangeError> {
    let changed = store.change(|model| {
        model.create(ROOT, &format!("IDL:{name}:1.0"), name, "1.0", Kind::Module)?;
        let filler = "v".repeat(600_000);
        match model.lookup(ROOT, "Filler") {
            Some(id) => model.set_version(id, &filler),
            None => model.create(ROOT, "IDL:Filler:1.0", "Filler", &filler, Kind::Module).map(drop),
        }
    });
    changed.map(drop)
}

/// The limit below which this many descriptors are not in use. New ones have the least numbers that
/// are free.
fn limit_that_leaves(free: u64) -> u64 {
    let is_open = |number: &u64| fs::symlink_metadata(format!("/proc/self/fd/{number}")).is_ok();
    let mut unused = (0..).filter(|number| !is_open(number));
    unused.nth(free as usize).unwrap()
}

#[test]
fn acknowledged_changes_outlive_a_compaction_without_descriptors() {
    alone(|| {
        let name = format!("armilla-ifr-descriptors-{}", std::process::id());
        let directory = std::env::temp_dir().join(name);
        let before = getrlimit(Resource::Nofile);
        let file = directory.join("definitions");
        let inode = || fs::metadata(&file).unwrap().ino();
        let mut compacted = 0;
        for free in 0..6_u64 {
            fs::remove_dir_all(&directory).ok();
            let mut store = Store::open(&directory).unwrap();
            let first = inode();
            let limit = Rlimit { current: Some(limit_that_leaves(free)), ..before };
            setrlimit(Resource::Nofile, limit).unwrap();
            let few = (0..6).map(|number| format!("Few{number}"));
            let mut there: Vec<_> = few.filter(|name| create(&mut store, name).is_ok()).collect();
            setrlimit(Resource::Nofile, before).unwrap();
            compacted += u32::from(inode() != first);
            for name in ["Then", "AndThen"] {
                create(&mut store, name).unwrap();
                there.push(name.to_owned());
            }
            drop(store);
            let store = Store::open(&directory).unwrap();
            for name in &there {
                assert!(
                    store.model().lookup(ROOT, name).is_some(),
                    "{name} is lost, with {free} free"
                );
            }
        }
        assert!(
            (1..6).contains(&compacted),
            "it depends on the number of descriptors: {compacted}"
        );
        fs::remove_dir_all(directory).unwrap();
    });
}
