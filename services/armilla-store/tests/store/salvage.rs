//! A damaged file is refused with the place of the damage, and what is left of it can be read. What
//! is lost is said.

use armilla_store::{File, Format, Salvage, StoreError, TableDefinition, checksum};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const ROWS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("rows");
const NUMBERED: TableDefinition<'_, u64, u32> = TableDefinition::new("numbered");

static FORMAT: Format = Format {
    file: "test.redb",
    version: 1,
    service: "test",
    otherwise: "begin anew",
    cache: 1 << 20,
    make: |transaction| {
        transaction.open_table(ROWS)?;
        transaction.open_table(NUMBERED)?;
        Ok(())
    },
};

const COMMITS: u64 = 6;
const ROWS_OF_COMMIT: u64 = 40;

fn value(key: &str) -> Vec<u8> {
    let text = key.repeat(key.len() % 7 + 1);
    [&checksum(&[key.as_bytes(), text.as_bytes()]).to_be_bytes()[..], text.as_bytes()].concat()
}

fn take(rows: &mut BTreeMap<String, Vec<u8>>, key: &str, found: &[u8]) -> Result<(), String> {
    match found == value(key) {
        true => drop(rows.insert(key.to_owned(), found.to_owned())),
        false => return Err("its checksum is wrong".to_owned()),
    }
    Ok(())
}

type Opened = (File, BTreeMap<String, Vec<u8>>);

fn open(directory: &Path) -> Result<Opened, StoreError> {
    File::open(directory, &FORMAT, |file| {
        let mut rows = BTreeMap::new();
        file.rows(ROWS, |key, found| take(&mut rows, key, found))?;
        file.rows(NUMBERED, |_, _| Ok(()))?;
        Ok(rows)
    })
}

/// Makes a file by several commits; returns its octets after an orderly end, and such as a process
/// leaves that is killed.
fn files(directory: &Path) -> [Vec<u8>; 2] {
    let (file, _) = open(directory).unwrap();
    for commit in 0..COMMITS {
        let written = file.write(|transaction| {
            for row in 0..ROWS_OF_COMMIT {
                let number = row * COMMITS + commit;
                let key = format!("row {number:04}");
                transaction.open_table(ROWS)?.insert(key.as_str(), value(&key).as_slice())?;
                transaction.open_table(NUMBERED)?.insert(number, number as u32)?;
            }
            Ok(())
        });
        written.unwrap();
    }
    let path = file.path().to_owned();
    let killed = fs::read(&path).unwrap();
    drop(file);
    [fs::read(&path).unwrap(), killed]
}

struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("store-{name}-{}", std::process::id()));
        fs::remove_dir_all(&path).ok();
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

/// Opens damaged octets, and reads what is left of them. Returns how many rows are left.
fn try_damaged(directory: &Path, octets: &[u8], what: &str) -> usize {
    let all = (COMMITS * ROWS_OF_COMMIT) as usize;
    fs::write(directory.join("test.redb"), octets).unwrap();
    let left = match Salvage::open(directory, &FORMAT) {
        Ok(salvage) => {
            let mut rows = BTreeMap::new();
            salvage.rows(ROWS, |key, found| take(&mut rows, key, found)).unwrap();
            let losses = salvage.losses();
            assert!(rows.len() == all || !losses.is_empty(), "{what}: a silent loss");
            rows.len()
        }
        Err(error) => {
            assert!(error.to_string().contains("nothing is left"), "{what}: {error}");
            0
        }
    };
    match open(directory) {
        Err(error) => {
            let text = error.to_string();
            let is_placed = text.contains("octet") || text.contains("length");
            assert!(text.contains("test.redb is damaged") && is_placed, "{what}: {text}");
        }
        Ok((file, rows)) if rows.len() < all => {
            let dropped = file.dropped().unwrap_or_else(|| panic!("{what}: a silent loss"));
            assert!(dropped.contains("at octet"), "{what}: {dropped}");
            assert_eq!(rows.len(), all - ROWS_OF_COMMIT as usize, "{what}");
        }
        Ok(_) => {}
    }
    left
}

#[test]
fn a_flipped_octet_in_any_page_loses_little_and_nothing_silently() {
    let made = Directory::new("flipped-made");
    let directory = Directory::new("flipped");
    for (end, whole) in ["closed", "killed"].into_iter().zip(files(&made.0)) {
        // Behind the last page that holds something there are zeros.
        let pages = whole.chunks(4096).rposition(|page| page.iter().any(|octet| *octet != 0));
        for page in 0..=pages.unwrap() {
            let begin = page * 4096;
            let used = whole[begin..begin + 4096].iter().rposition(|octet| *octet != 0);
            let Some(used) = used else { continue };
            for place in [0, 9, 20, 66, used / 2, used] {
                let mut octets = whole.clone();
                octets[begin + place.min(used)] ^= 0x11;
                let what = format!("{end}, page {page}, octet {place}");
                let left = try_damaged(&directory.0, &octets, &what);
                let least = (COMMITS - 1) * ROWS_OF_COMMIT - 60;
                assert!(left as u64 >= least, "{what}: {left} rows are left");
            }
        }
    }
}

#[test]
fn a_file_that_is_cut_off_anywhere_is_refused() {
    let made = Directory::new("cut-made");
    let directory = Directory::new("cut");
    for (end, whole) in ["closed", "killed"].into_iter().zip(files(&made.0)) {
        let places = [0, 1, 100, 319, 320, 4095, 4096].into_iter();
        for length in places.chain((5000..whole.len()).step_by(9_973)) {
            let cut = &whole[..length.min(whole.len())];
            try_damaged(&directory.0, cut, &format!("{end}, cut to {length}"));
        }
    }
}

#[test]
fn what_is_salvaged_names_the_last_commit() {
    let directory = Directory::new("last");
    files(&directory.0);
    let salvage = Salvage::open(&directory.0, &FORMAT).unwrap();
    assert!(salvage.losses().is_empty(), "{:?}", salvage.losses());
    let said = salvage.last_commit().unwrap();
    assert!(said.contains(&format!("commit {COMMITS}")), "{said}");
    let mut numbers = 0;
    let taken = salvage.rows(NUMBERED, |key, value| {
        numbers += u64::from(key == u64::from(value));
        Ok(())
    });
    assert_eq!((taken, numbers), (Ok(COMMITS * ROWS_OF_COMMIT), COMMITS * ROWS_OF_COMMIT));
}

/// Numbers that are the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

#[test]
fn whatever_stands_in_a_file_nothing_panics_and_no_loss_is_silent() {
    let made = Directory::new("random-made");
    let directory = Directory::new("random");
    let mut numbers = Numbers(1);
    for (end, whole) in ["closed", "killed"].into_iter().zip(files(&made.0)) {
        let pages = whole.chunks(4096).rposition(|page| page.iter().any(|octet| *octet != 0));
        let used = (pages.unwrap() + 1) * 4096;
        for round in 0..30 {
            let mut octets = whole.clone();
            // Octets of all values, zeros, or a page in the place of another.
            for _ in 0..=round % 5 {
                let (at, from) = (numbers.below(used), numbers.below(used / 4096) * 4096);
                let length = (1 + numbers.below(300)).min(used - at);
                match round % 3 {
                    0 => octets[at..at + length].fill_with(|| numbers.below(256) as u8),
                    1 => octets[at..at + length].fill(0),
                    _ => octets.copy_within(from..from + 4096, at / 4096 * 4096),
                }
            }
            try_damaged(&directory.0, &octets, &format!("{end}, round {round}"));
        }
    }
}

#[test]
fn a_wrong_bit_is_named_by_its_octet() {
    let directory = Directory::new("bit");
    let [whole, _] = files(&directory.0);
    let spot = b"row 0100row 0100";
    // Pages that are free now may have it, too.
    let places = (0..whole.len()).filter(|at| whole[*at..].starts_with(spot));
    let mut refused = places.filter_map(|at| {
        let mut octets = whole.clone();
        octets[at] ^= 1;
        fs::write(directory.0.join("test.redb"), octets).unwrap();
        Some((at, open(&directory.0).err()?.to_string()))
    });
    let (at, said) = refused.next().unwrap();
    assert!(said.contains(&format!("the octet that is wrong is {at}")), "{said}");
    assert!(said.contains(&format!("commit {COMMITS}")), "{said}");
}
