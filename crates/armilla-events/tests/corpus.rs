//! The corpus of the fuzz target, all truncations of it, and each file with every bit flipped.

#[path = "../../../fuzz/checks/event_subscription.rs"]
mod event_subscription;

use std::fs;
use std::path::PathBuf;

#[test]
fn subscriptions() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let mut count = 0;
    for file in fs::read_dir(folder.join("../../fuzz/corpus/event_subscription")).unwrap() {
        let octets = fs::read(file.unwrap().path()).unwrap();
        (0..=octets.len()).for_each(|length| event_subscription::check(&octets[..length]));
        for bit in 0..octets.len() * 8 {
            let mut flipped = octets.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            event_subscription::check(&flipped);
        }
        count += 1;
    }
    assert!(count >= 5);
}
