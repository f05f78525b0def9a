//! What strangers send, truncated anywhere and with every bit flipped.

#[path = "../../../../lab/fuzz/checks/dicom_file.rs"]
mod dicom_file;
#[path = "../../../../lab/fuzz/checks/imaging.rs"]
mod imaging;
#[path = "../../../../lab/fuzz/checks/replay.rs"]
mod replay;

#[test]
fn the_corpus_of_imaging() {
    replay::replay("imaging", imaging::check);
}

#[test]
fn the_corpus_of_files() {
    replay::replay("dicom_file", dicom_file::check);
}
