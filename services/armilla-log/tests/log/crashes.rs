//! The power fails, the process is killed, the disk fails: at every operation of a program on the
//! disk, and at random ones of many programs. What was acknowledged is there afterwards, nothing that
//! nobody appended is, and the order is kept.

use armilla_log::files::simulated::{Disk, Fault, Simulated};
use armilla_log::{Log, LogError, Options, Position};

/// The smallest segments, so that programs begin and remove many.
fn options() -> Options {
    Options {
        segment: 64 << 10,
        record: 20 << 10,
        buffer: 24 << 10,
        reserve: 0,
        ..Options::default()
    }
}

/// Random numbers by a seed (xorshift64).
struct Random(u64);

impl Random {
    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % most
    }
}

/// What a program has done, and what it was told.
struct Program {
    disk: Disk,
    log: Option<Log<Simulated>>,
    random: Random,
    /// Every record that may be in the log, by number.
    records: Vec<(Position, Vec<u8>)>,
    /// How many of them are acknowledged.
    committed: usize,
    /// What the consumer has acknowledged, and how much of that is on the disk.
    consumed: (Position, Position),
    seed: u64,
    /// The operation to which something happens.
    at: u64,
}

impl Program {
    fn new(seed: u64) -> Self {
        let (disk, random) = (Disk::new(seed), Random(seed.wrapping_mul(0x9e37_79b9) | 1));
        let (records, consumed) = (Vec::new(), <_>::default());
        Self { disk, log: None, random, records, committed: 0, consumed, seed, at: u64::MAX }
    }

    /// Does some things with the log. Ends early when the log fails.
    fn run(&mut self, steps: usize) -> Result<(), LogError> {
        for _ in 0..steps {
            let log = match &self.log {
                Some(log) => log.clone(),
                None => self.open()?,
            };
            match self.random.below(20) {
                0..8 => self.append(&log)?,
                8..15 => self.commit(&log)?,
                15..17 => self.consume(&log)?,
                17 => {
                    log.retain()?;
                    self.consumed.1 = self.consumed.0.min(log.durable());
                }
                18 => assert_eq!(log.read_from(log.first()).filter(Result::is_err).count(), 0),
                _ => {
                    drop(log);
                    // It is closed, and all is written; unless that fails.
                    self.log = None;
                    if self.disk.operations() > self.at {
                        // Nobody was told.
                        return Ok(());
                    }
                    self.committed = self.records.len();
                    self.consumed.1 = self.consumed.0;
                }
            }
        }
        Ok(())
    }

    fn open(&mut self) -> Result<Log<Simulated>, LogError> {
        let log = Log::open_files(self.disk.files(), options())?;
        self.log = Some(log.clone());
        Ok(log)
    }

    fn append(&mut self, log: &Log<Simulated>) -> Result<(), LogError> {
        let most = if self.random.below(4) == 0 { 20_000 } else { 300 };
        let length = self.random.below(most) as usize;
        let mut data = format!("{} {}", self.seed, self.records.len()).into_bytes();
        data.resize(length.max(data.len()), self.random.below(256) as u8);
        // What is refused may be there if the disk has failed meanwhile.
        self.records.push((log.end(), data.clone()));
        let position = log.append(&data).inspect_err(|error| {
            if !error.is_undecided() {
                self.records.pop();
            }
        })?;
        self.records.last_mut().unwrap().0 = position;
        Ok(())
    }

    fn commit(&mut self, log: &Log<Simulated>) -> Result<(), LogError> {
        if let Some((position, _)) = self.records.last() {
            log.commit(*position)?;
            self.committed = self.records.len();
        }
        Ok(())
    }

    fn consume(&mut self, log: &Log<Simulated>) -> Result<(), LogError> {
        // Also what is not on the disk yet.
        let upto = self.random.below(self.records.len() as u64 + 1) as usize;
        if let Some((position, _)) = self.records.get(upto) {
            log.acknowledge("consumer", *position)?;
            self.consumed.0 = self.consumed.0.max(*position);
        }
        Ok(())
    }

    /// Opens the log after something has happened, and checks what is there.
    fn check(&mut self, what: &str) {
        self.log = None;
        let log = self.open().unwrap_or_else(|error| panic!("{what}: cannot be opened: {error}"));
        let found: Vec<_> = log.read_from(log.first()).collect();
        let mut next = None;
        for record in found {
            let record = record.unwrap_or_else(|error| panic!("{what}: {error}"));
            let number = record.number as usize;
            assert_eq!(number, next.unwrap_or(number), "{what}: the numbers follow one another");
            let appended = self.records.get(number);
            assert_eq!(
                appended.map(|(_, data)| data),
                Some(&record.data),
                "{what}: nobody appended {number}"
            );
            assert!(
                number >= self.committed || self.records[number].0 == record.position,
                "{what}: record {number} is elsewhere"
            );
            self.records[number].0 = record.position;
            next = Some(number + 1);
        }
        let needed = self.records[..self.committed]
            .iter()
            .rposition(|(position, _)| *position >= self.consumed.0 && *position >= log.first());
        let there = next.unwrap_or(0);
        assert!(
            needed.is_none_or(|needed| needed < there),
            "{what}: {needed:?} was acknowledged, and only {there} records are there"
        );
        if let Some(consumed) = log.acknowledged("consumer") {
            assert!(consumed <= self.consumed.0 && consumed >= self.consumed.1, "{what}");
            assert!(log.first() <= consumed, "{what}: what the consumer needs is gone");
        } else {
            assert_eq!(self.consumed.1, Position::FIRST, "{what}: the consumer is forgotten");
            assert_eq!(log.first(), Position::FIRST, "{what}: removed before it was acknowledged");
        }
        self.consumed = (log.acknowledged("consumer").unwrap_or_default(), self.consumed.1);
        // Whatever is there stays.
        let last = log.read_from(log.first()).last();
        let count = last.map_or(self.first_number(&log), |record| record.unwrap().number + 1);
        self.records.truncate(count as usize);
        self.committed = self.records.len();
    }

    /// The number of the next record when none is there.
    fn first_number(&self, log: &Log<Simulated>) -> u64 {
        let at = self.records.iter().position(|(position, _)| *position >= log.first());
        at.unwrap_or(self.records.len()) as u64
    }

    /// Whatever was found must outlive the power from then on, and the log must go on.
    fn go_on(&mut self, what: &str) {
        self.disk.cut_power();
        self.check(&format!("{what}, later"));
        self.at = u64::MAX;
        let ran = self.run(30);
        ran.unwrap_or_else(|error| panic!("{what}: does not go on: {error}"));
        self.disk.kill();
        self.check(&format!("{what}, in the end"));
    }
}

/// Runs a program, lets something happen to one of its operations, and checks.
fn happens(seed: u64, steps: usize, at: u64, fault: Fault) -> bool {
    let mut program = Program::new(seed);
    program.disk.plan(at, fault);
    program.at = at;
    let what = |program: &Program| {
        format!("seed {seed}, {fault:?} at operation {at}, {}", program.disk.last())
    };
    let ended = program.run(steps);
    let happened = program.disk.operations() > at;
    program.disk.plan(u64::MAX, fault);
    if program.random.below(2) == 0 {
        program.disk.kill();
    }
    let what = what(&program);
    if let Err(error) = &ended {
        assert!(happened, "{what}: {error}");
        assert!(!matches!(error, LogError::Damaged(_)), "{what}: {error}");
    }
    program.check(&what);
    program.go_on(&what);
    happened
}

#[test]
fn every_operation_of_a_program_may_be_its_last() {
    for seed in [1, 2, 3] {
        for fault in Fault::ALL {
            let happened = (0..).take_while(|at| happens(seed, 120, *at, fault)).count();
            assert!(happened > 100, "a program of only {happened} operations");
        }
    }
}

#[test]
fn thousands_of_programs_end_anywhere() {
    let seeds = std::env::var("ARMILLA_LOG_SEEDS").ok().and_then(|text| text.parse().ok());
    for seed in 10..10 + seeds.unwrap_or(3000) {
        let mut random = Random(seed | 1 << 40);
        random.below(1);
        let at = random.below(250);
        let fault = Fault::ALL[random.below(3) as usize];
        happens(seed, 100, at, fault);
    }
}

/// A log that was closed is opened, and what was acknowledged is removed; that is interrupted.
fn removal_happens(seed: u64, at: u64, fault: Fault) -> bool {
    let mut program = Program::new(seed);
    let log = program.open().unwrap();
    for number in 0..12 {
        let data = vec![number; 15_000];
        program.records.push((log.append(&data).unwrap(), data));
    }
    program.commit(&log).unwrap();
    let last = log.read_from(log.first()).last().unwrap().unwrap().position;
    log.acknowledge("consumer", last).unwrap();
    program.consumed = (last, last);
    program.log = None;
    drop(log);
    let before = program.disk.operations();
    program.disk.plan(before + at, fault);
    // It removes what it can.
    _ = program.open();
    let happened = program.disk.operations() > before + at;
    program.disk.plan(u64::MAX, fault);
    program.disk.kill();
    let what = format!("seed {seed}, {fault:?} at operation {at} of a removal");
    program.check(&what);
    program.go_on(&what);
    happened
}

#[test]
fn a_removal_may_be_interrupted_anywhere() {
    for fault in Fault::ALL {
        for seed in 1..30 {
            let happened = (0..).take_while(|at| removal_happens(seed, *at, fault)).count();
            assert!(happened > 4, "a removal of only {happened} operations");
        }
    }
}

/// A check that cannot fail shows nothing.
#[test]
fn a_disk_that_ignores_syncs_is_found_out() {
    let found = (1..50).any(|seed| {
        std::panic::catch_unwind(|| {
            let mut program = Program::new(seed);
            program.disk.ignore_syncs(true);
            _ = program.run(100);
            program.disk.cut_power();
            program.check("no syncs");
        })
        .is_err()
    });
    assert!(found, "the simulation finds nothing");
}

#[test]
fn a_full_disk_is_told_before_and_refuses_cleanly() {
    for seed in 1..200 {
        let mut program = Program::new(seed);
        program.run(40).unwrap();
        let room = program.random.below(200_000) as usize;
        program.disk.leave_room(room);
        let refused = (0..400).find_map(|_| program.run(1).err());
        if let Some(error) = refused {
            assert!(matches!(error, LogError::Full { .. } | LogError::Io { .. }), "{error}");
        }
        if program.random.below(2) == 0 {
            program.disk.cut_power();
        } else {
            program.disk.kill();
        }
        // Too little for a segment.
        program.disk.leave_room(60 << 10);
        program.check(&format!("seed {seed}, full"));
        program.disk.leave_room(usize::MAX);
        program.go_on(&format!("seed {seed}, full"));
    }
}
