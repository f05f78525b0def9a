//! Replays the fuzz corpus through the checks of the fuzz targets.

use std::fs;
use std::path::PathBuf;

#[path = "../../../fuzz/checks/constraint.rs"]
mod constraint;

/// Runs `check` over every file of the corpus, over all their truncations, and over each with every
/// bit flipped.
fn replay(target: &str, check: impl Fn(&[u8])) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let files = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    let mut count = 0;
    for file in files {
        let octets = fs::read(file.unwrap().path()).unwrap();
        check(&octets);
        (0..octets.len()).for_each(|length| check(&octets[..length]));
        for bit in 0..octets.len() * 8 {
            let mut octets = octets.clone();
            octets[bit / 8] ^= 1 << (bit % 8);
            check(&octets);
        }
        count += 1;
    }
    assert!(count >= 5, "{folder:?} has only {count} files");
}

#[test]
fn constraints_and_preferences() {
    replay("constraint", constraint::check);
}
