//! What strangers send, truncated anywhere and with every bit flipped.

#[path = "../../../../fuzz/checks/imaging.rs"]
mod imaging;
#[path = "../../../../fuzz/checks/replay.rs"]
mod replay;

#[test]
fn the_corpus_of_imaging() {
    replay::replay("imaging", imaging::check);
}
