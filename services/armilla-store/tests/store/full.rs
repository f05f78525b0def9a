//! A disk that was full and has room again. A limit of the process for the size of files stands for
//! the full disk, so the test runs itself once more in a process of its own.

use armilla_store::{EngineError, File, Format, StoreError, TableDefinition, Transaction};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

const ROWS: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("rows");

static FORMAT: Format = Format {
    file: "test.redb",
    version: 1,
    service: "test",
    otherwise: "begin anew",
    cache: 1 << 20,
    make: |transaction| {
        transaction.open_table(ROWS)?;
        Ok(())
    },
};

/// The directory of the process with the limit.
const DIRECTORY: &str = "ARMILLA_TEST_FULL_DISK";

fn open(directory: &Path) -> (File, Vec<u64>) {
    let keys = |file: &mut File| -> Result<Vec<u64>, StoreError> {
        let mut keys = Vec::new();
        file.rows(ROWS, |key, _| {
            keys.push(key);
            Ok(())
        })?;
        Ok(keys)
    };
    File::open(directory, &FORMAT, keys).unwrap()
}

fn put(key: u64) -> impl FnOnce(&Transaction) -> Result<(), EngineError> {
    move |transaction| {
        transaction.open_table(ROWS)?.insert(key, [7; 100_000].as_slice())?;
        Ok(())
    }
}

#[test]
fn a_file_is_written_again_once_the_disk_has_room() {
    let directory = std::env::temp_dir().join(format!("store-full-{}", std::process::id()));
    // Without the trap, the signal of the limit would end the process.
    let limited =
        "trap '' XFSZ; ulimit -S -f 16384; exec \"$0\" --exact --ignored full::with_a_limit";
    let mut shell = Command::new("sh");
    shell.args(["-c", limited]).arg(std::env::current_exe().unwrap());
    let done = shell.env(DIRECTORY, &directory).output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success() && said.contains("1 passed"), "{said}");
    std::fs::remove_dir_all(directory).unwrap();
}

#[test]
#[ignore = "it is the other process of the test above"]
fn with_a_limit() {
    let Some(directory) = std::env::var_os(DIRECTORY) else { return };
    let (file, _) = open(directory.as_ref());
    let full = (0..1000).find(|key| file.write(put(*key)).is_err()).expect("there is a limit");
    assert!(file.write(put(full)).is_err(), "there is no room yet");

    let room = ["--pid", &std::process::id().to_string(), "--fsize=unlimited"].map(str::to_owned);
    assert!(Command::new("prlimit").args(room).status().unwrap().success());
    let begun = Instant::now();
    while let Err(error) = file.write(put(full)) {
        assert!(begun.elapsed() < Duration::from_secs(60), "{error}");
        std::thread::sleep(Duration::from_millis(20));
    }
    drop(file);
    assert!(open(directory.as_ref()).1.into_iter().eq(0..=full), "nothing else was lost or kept");
}
