//! Replays the corpus of the fuzz target for definitions.

use std::fs;
use std::path::Path;

#[path = "../../../../lab/fuzz/checks/replay.rs"]
mod replay;
#[path = "../../../../lab/fuzz/checks/server_definition.rs"]
mod server_definition;

#[test]
fn definitions_of_the_corpus() {
    let corpus =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lab/fuzz/corpus/server_definition");
    for file in fs::read_dir(corpus).unwrap() {
        let octets = fs::read(file.unwrap().path()).unwrap();
        assert!(armilla_imr::decode_definition(&octets).is_ok());
    }
    replay::replay("server_definition", server_definition::check);
}
