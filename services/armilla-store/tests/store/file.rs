//! A file opens whole or not at all, says what is wrong with it, and loses nothing when the disk
//! fails.

use armilla_store::disk::{Replacement, replace};
use armilla_store::faults::{Trial, try_every_failure};
use armilla_store::{File, Format, StoreError, TableDefinition};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

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

/// A file with a row for each change.
struct Rows {
    file: File,
    keys: BTreeSet<u32>,
}

const NUMBERED: TableDefinition<'_, u32, &[u8]> = TableDefinition::new("numbered");

static NUMBERS: Format = Format {
    file: "test.redb",
    version: 1,
    service: "test",
    otherwise: "begin anew",
    // Less than a change, so that pages are written before it ends.
    cache: 16_000,
    make: |transaction| {
        transaction.open_table(NUMBERED)?;
        Ok(())
    },
};

impl Trial for Rows {
    fn open(directory: &Path) -> Result<Self, String> {
        let opened = File::open(directory, &NUMBERS, |file| {
            let mut keys = BTreeSet::new();
            file.rows(NUMBERED, |key, _| {
                keys.insert(key);
                Ok(())
            })?;
            Ok(keys)
        });
        opened.map(|(file, keys)| Self { file, keys }).map_err(|error| error.to_string())
    }

    fn change(&mut self, number: u32) -> Result<(), String> {
        let written = self.file.write(|transaction| {
            transaction.open_table(NUMBERED)?.insert(number, [7; 20_000].as_slice())?;
            Ok(())
        });
        written.map_err(|error| error.to_string())?;
        self.keys.insert(number);
        Ok(())
    }

    fn changes(&self) -> BTreeSet<u32> {
        self.keys.clone()
    }
}

#[test]
fn whatever_fails_nothing_acknowledged_is_lost() {
    let failures = try_every_failure::<Rows>("file");
    assert!(failures > 100, "{failures}");
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn a_store_is_for_its_owner_alone() {
    let directory = Directory::new("mode");
    let below = directory.0.join("a/b");
    File::open(&below, &FORMAT, |_| Ok(())).unwrap();
    assert_eq!(mode(&directory.0.join("a")), 0o700);
    assert_eq!(mode(&below), 0o700);
    for entry in fs::read_dir(&below).unwrap() {
        assert_eq!(mode(&entry.unwrap().path()), 0o600);
    }
}

#[test]
fn a_replacement_is_whole_or_leaves_no_trace() {
    let directory = Directory::new("replaced");
    fs::create_dir_all(&directory.0).unwrap();
    let (path, link) = (directory.0.join("file"), directory.0.join("link"));
    replace(&path, b"new").unwrap();
    assert_eq!((fs::read(&path).unwrap(), mode(&path)), (b"new".to_vec(), 0o600));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let left = Replacement::begin(&link).unwrap();
    left.file().write_all_at(b"half", 0).unwrap();
    drop(left);
    assert_eq!(fs::read_dir(&directory.0).unwrap().count(), 2);
    replace(&link, b"newer").unwrap();
    assert_eq!((fs::read(&path).unwrap(), mode(&path)), (b"newer".to_vec(), 0o640));
    assert!(link.is_symlink());
}

#[test]
fn nothing_is_acknowledged_while_the_file_has_lost_its_name() {
    let directory = Directory::new("moved");
    let (file, _) = directory.open().unwrap();
    let put = |key: &'static str| {
        file.write(move |transaction| {
            transaction.open_table(ROWS)?.insert(key, b"v".as_slice())?;
            Ok(())
        })
    };
    put("a").unwrap();
    let aside = directory.0.join("aside");
    fs::rename(file.path(), &aside).unwrap();
    for error in [put("b").unwrap_err(), file.check().unwrap_err()] {
        let text = error.to_string();
        assert!(
            text.contains("moved, removed or replaced") && text.contains("put it back"),
            "{text}"
        );
    }
    // Another file in its place is not written either.
    fs::copy(&aside, file.path()).unwrap();
    assert!(put("b").is_err());
    fs::rename(&aside, file.path()).unwrap();
    put("c").unwrap();
    file.check().unwrap();
    drop(file);
    assert_eq!(directory.open().unwrap().1, ["a", "c"]);
}
