//! A damaged store is refused with the name of its file, and never half read.

use crate::served;
use armilla_naming::Store;
use armilla_naming::model::{Bind, Change, NameTree, ROOT, Target, parse_name};
use served::Directory;
use std::fs;
use std::path::Path;

fn bind(store: &Store, text: &str) {
    let name = parse_name(text).unwrap();
    let target = Target::Object(format!("reference of {text}").as_bytes().into());
    store.change(|tree| tree.bind(ROOT, &name, target.clone(), Bind::New, 7)).unwrap();
}

/// A store with a few contexts and bindings, made by several commits.
fn make(directory: &Path) {
    let store = Store::open(directory).unwrap();
    for context in ["a", "b"] {
        let name = parse_name(context).unwrap();
        store.change(|tree| tree.bind_new_context(ROOT, &name, 7)).unwrap();
        for number in 0..40 {
            bind(&store, &format!("{context}/object-{number}"));
        }
    }
}

fn contents(tree: &NameTree) -> Vec<String> {
    let mut all = Vec::new();
    for context in tree.context_ids() {
        for (step, bound) in tree.bindings_after(context, None).unwrap() {
            let change = Change::Bind { context, step: step.clone(), bound: bound.clone() };
            all.push(format!("{change:?}"));
        }
    }
    all.sort();
    all
}

/// Numbers that are the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

#[test]
fn a_damaged_file_is_refused_or_read_whole() {
    let original = Directory::new("damage-original");
    make(original.path());
    let file = original.path().join("names.redb");
    let whole = fs::read(&file).unwrap();
    let expected = contents(&Store::open(original.path()).unwrap().read());
    let directory = Directory::new("damage");
    fs::create_dir_all(directory.path()).unwrap();
    let damaged_file = directory.path().join("names.redb");
    // Where there is something: most pages are free.
    let used: Vec<usize> = (0..whole.len()).filter(|at| whole[*at] != 0).collect();
    let mut numbers = Numbers(1);
    let mut refused = 0;
    for round in 0..90 {
        let mut octets = whole.clone();
        let at = used[numbers.below(used.len())];
        match round % 3 {
            0 => octets[at] ^= 1 << numbers.below(8),
            1 => octets[at..(at + 512).min(whole.len())].fill(0),
            _ => octets.truncate(at),
        }
        fs::write(&damaged_file, &octets).unwrap();
        match Store::open(directory.path()) {
            Err(error) => {
                refused += 1;
                let text = error.to_string();
                assert!(text.contains("names.redb"), "round {round}: {text}");
            }
            Ok(store) => {
                let found = contents(&store.read());
                assert_eq!(found.len(), expected.len(), "round {round}, octet {at}");
                assert_eq!(found, expected, "round {round}, octet {at}");
            }
        }
    }
    assert!(refused > 30, "only {refused} of 90 were refused");
}

/// Recovers damaged octets; what is left is right, and what is not is said.
fn recovered(octets: &[u8], expected: &[String], what: &str) -> usize {
    let directory = Directory::new("recover");
    fs::create_dir_all(directory.path()).unwrap();
    let file = directory.path().join("names.redb");
    fs::write(&file, octets).unwrap();
    let trial = Store::recover(directory.path(), true);
    assert_eq!(fs::read(&file).unwrap(), octets, "{what}: a trial changes nothing");
    let Ok(recovered) = Store::recover(directory.path(), false) else { return 0 };
    let trial = trial.unwrap();
    assert_eq!((&trial.saved, &trial.losses), (&recovered.saved, &recovered.losses), "{what}");
    assert_eq!(fs::read(recovered.kept.unwrap()).unwrap(), octets, "{what}: it is kept as it was");
    let found = contents(&Store::open(directory.path()).unwrap().read());
    assert_eq!(found.len(), recovered.saved.bindings, "{what}");
    let wrong: Vec<_> = found.iter().filter(|one| !expected.contains(one)).collect();
    assert!(wrong.is_empty(), "{what}: {wrong:?}");
    assert!(found.len() == expected.len() || !recovered.losses.is_empty(), "{what}: a silent loss");
    found.len()
}

#[test]
fn what_can_be_saved_is_saved_with_an_octet_flipped_in_any_page() {
    let original = Directory::new("recover-original");
    make(original.path());
    let file = original.path().join("names.redb");
    let expected = contents(&Store::open(original.path()).unwrap().read());
    let closed = fs::read(&file).unwrap();
    let open = Store::open(original.path()).unwrap();
    bind(&open, "last");
    let expected_killed = contents(&open.read());
    let killed = fs::read(&file).unwrap();
    drop(open);
    for (end, whole, expected) in
        [("closed", closed, expected), ("killed", killed, expected_killed)]
    {
        for (page, octets) in whole.chunks(4096).enumerate() {
            let Some(used) = octets.iter().rposition(|octet| *octet != 0) else { continue };
            let mut damaged = whole.clone();
            damaged[page * 4096 + (page * 97) % (used + 1)] ^= 4;
            let what = format!("{end}, page {page}");
            let left = recovered(&damaged, &expected, &what);
            assert!(left + 1 >= expected.len(), "{what}: {left} of {} are left", expected.len());
        }
        for length in (0..whole.len()).step_by(40_009) {
            recovered(&whole[..length], &expected, &format!("{end}, cut to {length}"));
        }
    }
}
