//! Replays the fuzz corpus through the check of the fuzz target.

use std::fs;
use std::path::PathBuf;

#[path = "../../../../lab/fuzz/checks/flow.rs"]
mod flow;

#[test]
fn messages() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../lab/fuzz/corpus/flow");
    let files: Vec<_> = fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path()).collect();
    assert!(files.len() >= 5, "{folder:?} has only {} files", files.len());
    for file in files {
        let octets = fs::read(file).unwrap();
        (0..=octets.len()).for_each(|length| flow::check(&octets[..length]));
        for bit in 0..octets.len() * 8 {
            let mut octets = octets.clone();
            octets[bit / 8] ^= 1 << (bit % 8);
            flow::check(&octets);
        }
    }
}
