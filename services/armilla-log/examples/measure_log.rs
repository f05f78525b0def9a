//! Measures a log beside a plain `write` and `fdatasync` of the same records, round by round, or with
//! very many records.
//!
//! ```text
//! cargo run --release -p armilla-log --example measure_log [DIRECTORY]
//! cargo run --release -p armilla-log --example measure_log DIRECTORY RECORDS
//! ```

use armilla_log::{Log, Options};
use std::error::Error;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

/// The octets of a record.
const RECORD: [u8; 100] = [7; 100];

/// How long one part of a round takes.
const PART: Duration = Duration::from_millis(200);

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

fn main() -> Outcome {
    let mut arguments = std::env::args_os().skip(1);
    let directory = arguments.next().map_or_else(std::env::temp_dir, PathBuf::from);
    let directory = directory.join(format!("armilla-log-measure-{}", std::process::id()));
    let outcome = match arguments.next() {
        Some(records) => many(&directory, records.to_string_lossy().parse()?),
        None => rates(&directory),
    };
    std::fs::remove_dir_all(&directory).ok();
    outcome
}

/// Records a second, of which each is on the disk before the next.
fn rates(directory: &Path) -> Outcome {
    std::fs::create_dir_all(directory)?;
    let log = Log::open(directory.join("log"), Options::default())?;
    let mut plain = File::create(directory.join("plain"))?;
    let mut rates: [Vec<f64>; 3] = Default::default();
    for _ in 0..30 {
        rates[0]
            .push(rate(1, || Ok(plain.write_all(&RECORD).and_then(|()| plain.sync_data())?))?);
        rates[1].push(of_log(&log, 1)?);
        rates[2].push(of_log(&log, 64)?);
    }
    let times = |log: &[f64]| median(log.iter().zip(&rates[0]).map(|(a, b)| a / b).collect());
    let (of_one, of_many) = (times(&rates[1]), times(&rates[2]));
    let [plain, one, many] = rates.map(median);
    println!("write and fdatasync: {plain:.0} records a second");
    println!("1 writer:   {one:.0} records a second, {of_one:.2} times as many");
    println!("64 writers: {many:.0} records a second, {of_many:.1} times as many");
    Ok(())
}

/// The value in the middle: of ratios of neighbours, so that what changes slowly does not count.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn rate(writers: usize, mut write: impl FnMut() -> Outcome) -> Outcome<f64> {
    let (begun, mut count) = (Instant::now(), 0);
    while begun.elapsed() < PART {
        write()?;
        count += writers;
    }
    Ok(count as f64 / begun.elapsed().as_secs_f64())
}

fn of_log(log: &Log, writers: usize) -> Outcome<f64> {
    let begun = Instant::now();
    let write = || {
        let mut count = 0_u64;
        while begun.elapsed() < PART {
            log.append_committed(&RECORD)?;
            count += 1;
        }
        Ok::<_, armilla_log::LogError>(count)
    };
    let counts: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..writers).map(|_| scope.spawn(write)).collect();
        threads.into_iter().map(|thread| thread.join().expect("no writer panics")).collect()
    });
    let mut sum = 0;
    for count in counts {
        sum += count?;
    }
    Ok(sum as f64 / begun.elapsed().as_secs_f64())
}

/// Appends very many records, opens the log again, reads them all, and removes them.
fn many(directory: &Path, records: u64) -> Outcome {
    let log = Log::open(directory, Options::default())?;
    let begun = Instant::now();
    for number in 0..records {
        let position = log.append(&RECORD)?;
        if number % 10_000 == 9_999 {
            log.commit(position)?;
        }
    }
    drop(log);
    println!("appended {records} in {:.1} s; {}", begun.elapsed().as_secs_f64(), memory());
    let begun = Instant::now();
    let log = Log::open(directory, Options::default())?;
    let health = log.health();
    println!(
        "opened {} segments, {} MB, in {:.0} ms; {}",
        health.segments,
        health.octets / 1_000_000,
        begun.elapsed().as_secs_f64() * 1e3,
        memory()
    );
    let begun = Instant::now();
    let mut count = 0;
    for record in log.read_from(log.first()) {
        if record?.number != count {
            return Err(format!("record {count} is not there").into());
        }
        count += 1;
    }
    if count != records {
        return Err(format!("{count} of {records} records are there").into());
    }
    println!("read them in {:.1} s; {}", begun.elapsed().as_secs_f64(), memory());
    let begun = Instant::now();
    log.acknowledge("reader", log.end())?;
    let removed = log.retain()?;
    println!("removed {removed} segments in {:.0} ms", begun.elapsed().as_secs_f64() * 1e3);
    Ok(())
}

/// The most memory that the process has had.
fn memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    format!("{} at most", most.unwrap_or("unknown").trim())
}
