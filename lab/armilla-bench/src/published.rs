//! The published figures, for comparison. They come from machines of the 1990s and are not targets.

use std::fmt;

/// Buffer sizes of the bulk transfer study, in octets.
const SIZES: [u32; 9] = [1, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536, 131_072];

/// Mbit/s over 155 Mbit/s ATM by buffer size: the study's program, our corresponding program, the
/// payload and the queue.
const ATM: [(&str, &str, &str, usize, [f64; 9]); 12] = [
    (
        "C",
        "c",
        "flood-sequence",
        65_536,
        [0.16, 23.52, 32.19, 43.16, 61.77, 58.10, 56.13, 48.91, 48.60],
    ),
    (
        "C",
        "c",
        "flood-sequence",
        8192,
        [0.16, 20.77, 22.19, 23.30, 23.57, 23.22, 22.43, 22.63, 22.69],
    ),
    (
        "wrapper",
        "armilla-ipc",
        "flood-sequence",
        65_536,
        [0.14, 22.29, 31.85, 42.54, 61.81, 60.41, 56.65, 47.67, 47.90],
    ),
    (
        "wrapper",
        "armilla-ipc",
        "flood-sequence",
        8192,
        [0.14, 20.48, 22.13, 23.66, 23.12, 23.85, 23.58, 23.63, 23.72],
    ),
    (
        "Orbix",
        "armilla",
        "flood-sequence",
        65_536,
        [0.01, 7.85, 12.72, 18.94, 25.79, 31.65, 34.87, 39.15, 38.44],
    ),
    (
        "Orbix",
        "armilla",
        "flood-sequence",
        8192,
        [0.01, 7.71, 11.58, 16.60, 21.90, 22.81, 21.89, 21.01, 20.98],
    ),
    (
        "ORBeline",
        "omniorb",
        "flood-sequence",
        65_536,
        [0.01, 6.06, 12.14, 24.36, 26.13, 35.23, 36.70, 37.67, 36.72],
    ),
    (
        "ORBeline",
        "omniorb",
        "flood-sequence",
        8192,
        [0.01, 10.61, 16.09, 19.44, 21.83, 22.75, 22.45, 21.45, 21.05],
    ),
    (
        "Orbix",
        "armilla",
        "flood-string",
        65_536,
        [0.01, 8.15, 13.18, 19.02, 23.02, 29.71, 30.98, 33.78, 32.23],
    ),
    (
        "Orbix",
        "armilla",
        "flood-string",
        8192,
        [0.01, 8.43, 11.62, 16.61, 22.11, 22.76, 21.27, 20.07, 20.00],
    ),
    (
        "ORBeline",
        "omniorb",
        "flood-string",
        65_536,
        [0.01, 9.35, 14.97, 22.02, 22.91, 28.99, 29.58, 28.66, 28.42],
    ),
    (
        "ORBeline",
        "omniorb",
        "flood-string",
        8192,
        [0.01, 10.22, 17.14, 20.61, 21.16, 21.93, 19.84, 18.28, 18.10],
    ),
];

/// The same over 10 Mbit/s Ethernet, in the same order.
const ETHERNET: [[f64; 9]; 12] = [
    [0.12, 8.30, 8.46, 8.67, 8.78, 8.66, 8.67, 8.68, 8.71],
    [0.12, 8.10, 8.21, 8.33, 8.30, 8.22, 8.32, 8.36, 8.37],
    [0.12, 8.22, 8.34, 8.74, 8.72, 8.61, 8.65, 8.68, 8.70],
    [0.12, 7.97, 8.06, 8.38, 8.31, 8.28, 8.19, 8.31, 8.41],
    [0.01, 6.68, 8.30, 8.52, 8.51, 8.45, 8.47, 8.44, 8.38],
    [0.01, 6.66, 7.80, 7.97, 8.18, 8.11, 8.20, 8.29, 8.25],
    [0.01, 8.14, 8.37, 8.63, 8.58, 8.61, 8.64, 8.79, 8.38],
    [0.01, 7.28, 7.70, 7.99, 8.02, 8.21, 8.30, 8.20, 8.22],
    [0.01, 6.42, 8.36, 8.55, 8.66, 8.59, 8.58, 8.52, 8.45],
    [0.01, 6.47, 7.82, 7.85, 8.10, 8.17, 8.23, 8.34, 8.30],
    [0.01, 8.02, 8.44, 8.68, 8.65, 8.67, 8.70, 8.72, 8.29],
    [0.01, 7.40, 7.56, 7.85, 8.00, 8.05, 8.04, 7.99, 8.01],
];

/// The published throughput of a cell, in Mbit/s.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bulk {
    /// Its program.
    pub(crate) product: &'static str,
    /// Over 155 Mbit/s ATM.
    atm: f64,
    /// Over 10 Mbit/s Ethernet.
    ethernet: f64,
}

impl Bulk {
    /// In Mbit/s over the line of the study that corresponds to `transport`: ATM, unless that is
    /// Ethernet.
    pub(crate) fn over(&self, transport: &str) -> f64 {
        if transport == "tcp-10mbit" { self.ethernet } else { self.atm }
    }
}

impl fmt::Display for Bulk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { product, atm, ethernet } = self;
        write!(f, "{product} {atm:.2} ({ethernet:.2})")
    }
}

/// What the study measured in the place of a cell.
pub(crate) fn bulk(program: &str, payload: &str, queue: usize, size: u32) -> Option<Bulk> {
    let column = SIZES.iter().position(|s| *s == size)?;
    let mut rows = ATM.iter().zip(&ETHERNET);
    let ((product, .., atm), ethernet) = rows
        .find(|((_, ours, what, q, _), _)| *ours == program && *what == payload && *q == queue)?;
    Some(Bulk { product, atm: atm[column], ethernet: ethernet[column] })
}

/// The line of a transport in words; `None` within a machine.
pub(crate) fn line(transport: &str) -> Option<&'static str> {
    match transport {
        "tcp-10mbit" => Some("Ethernet of 10 Mbit/s"),
        "tcp-100mbit" => Some("Ethernet of 100 Mbit/s"),
        "tcp-155mbit" => Some("ATM of 155 Mbit/s"),
        "tcp-1gbit" => Some("Ethernet of 1 Gbit/s"),
        _ => None,
    }
}

/// The functions that took most of the time of a program, for floods at buffers of 128 KiB and
/// queues of 64 KiB: the program and workload of ours that correspond, the side, and what the study
/// found.
const FUNCTIONS: [(&str, &str, &str, &str); 20] = [
    ("c", "flood-sequence", "sender", "C: write 99.6 %, 527 calls"),
    ("c", "flood-sequence", "receiver", "C: read 99.3 %, 7201 calls"),
    ("armilla-ipc", "flood-sequence", "sender", "wrapper: write 99.4 %, 527 calls"),
    ("armilla-ipc", "flood-sequence", "receiver", "wrapper: read 99.6 %, 7192 calls"),
    (
        "armilla",
        "flood-sequence",
        "sender",
        "Orbix: write 94.6 %, 532 calls; memcpy 4.1 %, 2121 calls",
    ),
    (
        "armilla",
        "flood-sequence",
        "receiver",
        "Orbix: read 92.7 %, 7860 calls; memcpy 4.8 %, 2581 calls",
    ),
    ("armilla", "flood-string", "sender", "Orbix: write 89.0 %, memcpy 4.6 %, strlen 4.1 %"),
    ("armilla", "flood-string", "receiver", "Orbix: read 86.3 %, strlen 5.5 %, memcpy 4.5 %"),
    (
        "omniorb",
        "flood-sequence",
        "sender",
        "ORBeline: write 91.0 %; memcpy 5.2 %, 6413 calls; sigaction 1.8 %",
    ),
    ("omniorb", "flood-sequence", "receiver", "ORBeline: read 89.0 %, memcpy 5.1 %, poll 3.3 %"),
    (
        "omniorb",
        "flood-string",
        "sender",
        "ORBeline: write 83.8 %, strcpy 5.4 %, memcpy 4.3 %, strlen 3.9 %, sigaction 1.1 %",
    ),
    (
        "omniorb",
        "flood-string",
        "receiver",
        "ORBeline: read 85.4 %, memcpy 4.6 %, strlen 4.2 %, poll 2.8 %",
    ),
    // The path of one request: figures 27 and 28 of the latency study.
    ("armilla", "structs", "sender", "Orbix: write 73 %, marshalling 25 %"),
    ("armilla", "structs", "receiver", "Orbix: demarshalling and demultiplexing 72 %"),
    ("omniorb", "structs", "sender", "VisiBroker: write 56 %, marshalling 42 %"),
    ("omniorb", "structs", "receiver", "VisiBroker: demarshalling and demultiplexing 72 %"),
    // A server with 500 objects: its tables 1 and 2.
    ("armilla", "oneway-void", "sender", "Orbix: write 75.6 % (train 73.9)"),
    (
        "armilla",
        "oneway-void",
        "receiver",
        "Orbix: strcmp 22.0 % (train –), hash lookup 15.9 (15.4), write 10.2 (10.6), select 6.6 \
         (6.4), hashing 5.1 (5.0), socket handler 3.5 (3.4), read 2.6 (2.6)",
    ),
    ("omniorb", "oneway-void", "sender", "VisiBroker: write 99 % (train 99)"),
    (
        "omniorb",
        "oneway-void",
        "receiver",
        "VisiBroker: write 20.8 % (train 15.3), destructors of two dictionaries 7.3 (7.7) each, \
         read 4.4 (4.6), table 3.8 (4.0), dictionary 3.8 (3.9)",
    ),
];

/// What the study found in the profile of what corresponds to a side of `program`.
pub(crate) fn functions(program: &str, workload: &str, side: &str) -> Option<&'static str> {
    let same = |row: &&(_, _, _, _)| (row.0, row.1, row.2) == (program, workload, side);
    FUNCTIONS.iter().find(same).map(|row| row.3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_found_by_what_corresponds_to_them() {
        let found = bulk("armilla", "flood-string", 65_536, 65_536).unwrap();
        assert_eq!(found.to_string(), "Orbix 33.78 (8.52)");
        let found = bulk("omniorb", "flood-sequence", 8192, 1).unwrap();
        assert_eq!(found.to_string(), "ORBeline 0.01 (0.01)");
        assert_eq!(bulk("armilla", "flood-string", 0, 65_536), None);
        assert_eq!(["tcp", "tcp-10mbit"].map(|line| found.over(line)), [0.01, 0.01]);
        let plain = bulk("c", "flood-sequence", 8192, 1024).unwrap();
        assert_eq!(["tcp-155mbit", "tcp-10mbit"].map(|line| plain.over(line)), [20.77, 8.10]);
    }
}
