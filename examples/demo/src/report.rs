//! The results, as text and as JSON.

use crate::facts;
use crate::measure::{Comparison, Effort, Spread};
use armilla_terminal::{Context, Outcome};
use std::fmt;
use std::path::Path;

/// A comparison of the ORB with a plain socket.
#[derive(Debug)]
pub(crate) struct Compared {
    pub(crate) times: Comparison,
    /// The lengths of request and reply in octets.
    pub(crate) octets: (usize, usize),
}

/// A call without parameters, and one with 1,024 structs.
#[derive(Debug)]
pub(crate) struct ByBothCalls {
    pub(crate) void: Compared,
    pub(crate) struct1024: Compared,
}

/// The results of the demonstration.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) effort: Effort,
    /// What carried the calls between the processes where nobody chose.
    pub(crate) way: String,
    pub(crate) same_host: ByBothCalls,
    /// As from another host.
    pub(crate) over_tcp: ByBothCalls,
    /// ns of a collocated call.
    pub(crate) collocated: Spread,
    /// Heap allocations of a void call, in the client and in the server.
    pub(crate) allocations: (f64, f64),
    /// The CPU that both processes were bound to, if any.
    pub(crate) cpu: Option<usize>,
}

impl Report {
    /// Writes the figures to a file.
    pub(crate) fn write(&self, path: &Path) -> Outcome {
        std::fs::write(path, self.json()).context(format_args!("cannot write {}", path.display()))
    }

    fn json(&self) -> String {
        let (client, server) = self.allocations;
        let quoted = |text: Option<String>| text.map_or("null".into(), |text| format!("{text:?}"));
        format!(
            r#"{{
  "void_ratio": {},
  "struct1024_ratio": {},
  "collocated_ns": {},
  "allocations_per_call": {{ "client": {client}, "server": {server} }},
  "calls_per_round": {},
  "void": {},
  "struct1024": {},
  "same_host": {{
    "way": {:?},
    "void_ratio": {},
    "struct1024_ratio": {},
    "void": {},
    "struct1024": {}
  }},
  "collocated": {},
  "placement": {{ "one_cpu": {}, "cpu": {} }},
  "congestion_control": {},
  "machine": {{ "processor": {}, "cpus": {}, "kernel": {} }},
  "build": {{ "version": "{}", "optimized": {OPTIMIZED} }}
}}
"#,
            digits(self.over_tcp.void.times.ratio().median),
            digits(self.over_tcp.struct1024.times.ratio().median),
            digits(self.collocated.median),
            self.effort.calls,
            self.over_tcp.void.json(),
            self.over_tcp.struct1024.json(),
            self.way,
            digits(self.same_host.void.times.ratio().median),
            digits(self.same_host.struct1024.times.ratio().median),
            self.same_host.void.json(),
            self.same_host.struct1024.json(),
            spread(self.collocated),
            self.cpu.is_some(),
            self.cpu.map_or("null".into(), |cpu| cpu.to_string()),
            quoted(facts::congestion_control()),
            quoted(Some(facts::processor())),
            facts::cpus(),
            quoted(Some(facts::kernel())),
            env!("CARGO_PKG_VERSION"),
        )
    }
}

const OPTIMIZED: bool = !cfg!(debug_assertions);

impl Compared {
    fn json(&self) -> String {
        format!(
            r#"{{
    "rounds": {}, "request_octets": {}, "reply_octets": {},
    "armilla_us": {},
    "plain_us": {},
    "ratio": {}
  }}"#,
            self.times.orb.len(),
            self.octets.0,
            self.octets.1,
            spread(Spread::of(self.times.orb.iter().copied())),
            spread(Spread::of(self.times.plain.iter().copied())),
            spread(self.times.ratio()),
        )
    }

    /// One row of the table.
    fn row(&self, f: &mut fmt::Formatter<'_>, what: &str) -> fmt::Result {
        let orb = Spread::of(self.times.orb.iter().copied());
        let plain = Spread::of(self.times.plain.iter().copied());
        let ratio = self.times.ratio();
        writeln!(
            f,
            "  {what:<24}{:>8.2} µs{:>8.2} µs{:>10.3} ×   {:.3} – {:.3}",
            orb.median, plain.median, ratio.median, ratio.low, ratio.high
        )
    }

    /// The method behind the row.
    fn how(&self, f: &mut fmt::Formatter<'_>, what: &str, effort: Effort) -> fmt::Result {
        let Effort { rounds: in_series, calls, .. } = effort;
        let rounds = self.times.orb.len();
        let (request, reply) = self.octets;
        writeln!(
            f,
            "  {what}: {} series of {} calls by each means, in {rounds} rounds of {calls}; request \
             {request} octets, reply {reply} octets.",
            rounds / in_series,
            thousands(in_series * calls),
        )
    }
}

impl ByBothCalls {
    /// Its rows of the table.
    fn rows(&self, f: &mut fmt::Formatter<'_>, by: &str) -> fmt::Result {
        self.void.row(f, &format!("no parameters{by}"))?;
        self.struct1024.row(f, &format!("1,024 BinStruct{by}"))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = ["Armilla", "plain socket", "ratio", "quartiles"];
        writeln!(
            f,
            "\n  {:<24}{:>11}{:>13}{:>8}{:>16}",
            "twoway call", head[0], head[1], head[2], head[3],
        )?;
        self.same_host.rows(f, "")?;
        self.over_tcp.rows(f, ", TCP")?;
        let collocated = self.collocated.median;
        writeln!(f, "  {:<24}{collocated:>8.2} ns", "collocated call")?;
        let (client, server) = self.allocations;
        writeln!(
            f,
            "\n  heap allocations per call without parameters: client {client}, server {server}"
        )?;

        writeln!(f, "\nHow it was measured:\n")?;
        writeln!(
            f,
            "  Nobody chose what carries the calls of the first two rows. It was: {}.",
            self.way
        )?;
        self.over_tcp.void.how(f, "No parameters", self.effort)?;
        self.over_tcp.struct1024.how(f, "1,024 BinStruct", self.effort)?;
        f.write_str(RULES)?;
        match self.cpu {
            Some(cpu) => writeln!(f, "  Both processes were bound to CPU {cpu}.")?,
            None => f.write_str(UNBOUND)?,
        }
        match facts::congestion_control() {
            Some(name) => writeln!(f, "  All TCP connections used TCP_CONGESTION {name}.")?,
            None => f.write_str("  TCP used the system's congestion control.\n")?,
        }
        write!(f, "  {}, {} CPUs, {}.", facts::processor(), facts::cpus(), facts::kernel())?;
        if !OPTIMIZED {
            f.write_str("\n  This is a debug build: the figures are meaningless.")?;
        }
        Ok(())
    }
}

const RULES: &str = "  \
  The plain TCP socket exchanges the same octets as the ORB, recorded beforehand, between the same two
  processes: one write and one read on each side, no ORB. ORB and socket alternate within each
  round. A ratio is the median over the rounds of the ratio within each round.
";

const UNBOUND: &str = "  \
  WARNING: the processes could not be bound to one CPU; the times depend on their placement.
";

/// A number with a comma before each group of three digits.
fn thousands(number: usize) -> String {
    match number {
        0..1000 => number.to_string(),
        _ => format!("{},{:03}", thousands(number / 1000), number % 1000),
    }
}

fn spread(spread: Spread) -> String {
    format!(
        r#"{{ "median": {}, "low_quartile": {}, "high_quartile": {} }}"#,
        digits(spread.median),
        digits(spread.low),
        digits(spread.high),
    )
}

/// The value rounded to four decimals.
fn digits(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}
