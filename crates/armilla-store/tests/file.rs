//! A file opens whole or not at all, and says what is wrong with it.

use armilla_store::{File, Format, StoreError, TableDefinition};
use std::fs;
use std::path::PathBuf;

const ROWS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("rows");

static FORMAT: Format = Format {
    file: "test.redb",
    version: 3,
    service: "test",
    otherwise: "begin anew",
    cache: 1 << 20,
    make: |transaction| {
        transaction.open_table(ROWS)?;
        Ok(())
    },
};

static OTHER: Format = Format {
    file: "test.redb",
    version: 4,
    service: "test",
    otherwise: "begin anew",
    cache: 1 << 20,
    make: |_| Ok(()),
};

/// A directory that goes with the test.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("store-{name}-{}", std::process::id()));
        fs::remove_dir_all(&path).ok();
        Self(path)
    }

    /// Opens the file; a row that begins with an X is damage.
    fn open(&self) -> Result<(File, Vec<String>), StoreError> {
        File::open(&self.0, &FORMAT, |file| {
            let mut keys = Vec::new();
            file.rows(ROWS, |key, value| {
                keys.push(key.to_owned());
                match value {
                    [b'X', ..] => Err("it begins with an X".to_owned()),
                    _ => Ok(()),
                }
            })?;
            Ok(keys)
        })
    }

    fn put(&self, rows: &[(&str, &[u8])]) {
        let (file, _) = self.open().unwrap();
        file.write(|transaction| {
            let mut table = transaction.open_table(ROWS)?;
            rows.iter().try_for_each(|(key, value)| {
                table.insert(key, value)?;
                Ok(())
            })
        })
        .unwrap();
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

#[test]
fn rows_come_back_in_order() {
    let directory = Directory::new("order");
    directory.put(&[("b", b"2"), ("a", b"1")]);
    assert_eq!(directory.open().unwrap().1, ["a", "b"]);
}

#[test]
fn a_refused_row_is_named_with_place_and_last_good_state() {
    let directory = Directory::new("place");
    directory.put(&[("a", b"1")]);
    directory.put(&[("b", b"X marks the spot"), ("c", b"3")]);
    let said = directory.open().unwrap_err().to_string();
    let octets = fs::read(directory.0.join("test.redb")).unwrap();
    let spot = b"X marks the spot";
    let at = octets.windows(spot.len()).position(|found| found == spot).unwrap();
    for part in [
        "test.redb is damaged",
        "record 2 of \"rows\", behind \"a\"",
        &format!("at octet {at}"),
        "it begins with an X",
        "last good state is that of commit 2",
        "begin anew",
    ] {
        assert!(said.contains(part), "{part:?} is not in {said:?}");
    }
}

#[test]
fn one_process_holds_the_file_and_other_formats_are_refused() {
    let directory = Directory::new("held");
    let held = directory.open().unwrap();
    let refused = directory.open().map(drop).unwrap_err();
    assert!(refused.to_string().contains("is held by another test"), "{refused}");
    assert!(!refused.is_undecided());
    drop(held);
    let refused = File::open(&directory.0, &OTHER, |_| Ok(())).map(drop).unwrap_err();
    assert!(refused.to_string().contains("format 3"), "{refused}");
}
