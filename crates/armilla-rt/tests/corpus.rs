//! The corpus of the fuzz target, all truncations of it, and each file with every bit flipped.

#[path = "../../../fuzz/checks/real_time.rs"]
mod real_time;

use std::fs;
use std::path::PathBuf;

#[test]
fn priorities_policies_and_endpoints() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/real_time");
    let mut count = 0;
    for file in fs::read_dir(folder).unwrap() {
        let octets = fs::read(file.unwrap().path()).unwrap();
        (0..=octets.len()).for_each(|length| real_time::check(&octets[..length]));
        for bit in 0..octets.len() * 8 {
            let mut flipped = octets.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            real_time::check(&flipped);
        }
        count += 1;
    }
    assert!(count >= 5);
}
