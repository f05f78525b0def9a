//! Replays the corpus of a fuzz target in a plain test.

use std::fs;
use std::path::PathBuf;

/// Runs `check` over every file of the corpus of `target`, over all their truncations, and over
/// each with every bit flipped.
pub(crate) fn replay(target: &str, check: impl Fn(&[u8])) {
    let folder =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../lab/fuzz/corpus").join(target);
    let files = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    let mut count = 0;
    for file in files {
        let octets = fs::read(file.unwrap().path()).unwrap();
        (0..=octets.len()).for_each(|length| check(&octets[..length]));
        for bit in 0..octets.len() * 8 {
            let mut octets = octets.clone();
            octets[bit / 8] ^= 1 << (bit % 8);
            check(&octets);
        }
        count += 1;
    }
    assert!(count >= 5, "{folder:?} has only {count} files");
}
