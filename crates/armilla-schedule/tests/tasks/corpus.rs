//! The corpus of the fuzz target for tables.

use std::fs;
use std::path::PathBuf;

#[path = "../../../../lab/fuzz/checks/task_table.rs"]
mod task_table;

#[test]
fn tables_of_the_corpus_are_analysed_or_refused() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../lab/fuzz/corpus/task_table");
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let data = fs::read(entry.unwrap().path()).unwrap();
        task_table::check(&data);
        // Cut off anywhere it is refused, or is another table.
        (0..data.len()).step_by(97).for_each(|end| task_table::check(&data[..end]));
        count += 1;
    }
    assert!(count >= 4, "the corpus is missing");
}
