//! Records: the result of a program in a cell, and its comparison with plain sockets.

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use std::fmt::Write;

/// A cell of an experiment, without the program.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// `ttcp`, `latency`, `demux`, `ladder`, `batch` or `tails`.
    pub experiment: &'static str,
    /// The transport.
    pub transport: &'static str,
    /// The placement of the two processes.
    pub placement: &'static str,
    /// `oneway` or `twoway`; `local` without a call.
    pub invocation: &'static str,
    /// The workload's name.
    pub payload: &'static str,
    /// Elements of the payload.
    pub units: u32,
    /// Octets of user data in a call.
    pub bytes: u64,
    /// Objects that were called in turn.
    pub objects: u32,
    /// Operations of the interface.
    pub operations: u32,
    /// The order of the objects.
    pub order: &'static str,
    /// Threads that called.
    pub threads: u32,
    /// The heading of a cell with specific programs: the optimization.
    pub group: &'static str,
    /// The size of the socket queues in octets, 0 for the system's own.
    pub queue: usize,
}

impl Cell {
    /// The label of the cell within its experiment, transport and placement.
    pub fn label(&self) -> String {
        let mut label = match self.units {
            0 => self.payload.to_owned(),
            units => format!("{} {units}", self.payload),
        };
        // Writing to a string cannot fail.
        if self.operations > 1 || self.experiment == "demux" {
            let _ = write!(label, " {} × {}, {}", self.objects, self.operations, self.order);
        } else if self.objects > 1 || self.order == "robin" {
            let _ = write!(label, ", {} objects, {}", self.objects, self.order);
        }
        label
    }
}

/// The metric of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// The time of one call; less is better.
    Latency,
    /// User data over time; more is better.
    Throughput,
    /// Calls over time; more is better.
    Rate,
    /// Instructions of a call in user space, client and server; less is better.
    Instructions,
}

impl Metric {
    /// Whether less of it is better.
    pub(crate) const fn is_less_better(self) -> bool {
        matches!(self, Self::Latency | Self::Instructions)
    }

    /// The unit.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Latency => "µs",
            Self::Throughput => "Mbit/s",
            Self::Rate => "calls/s",
            Self::Instructions => "instructions",
        }
    }
}

/// The result of one program in one cell: order statistics over the repetitions.
///
/// As JSON it is one flat object. Its `transport` includes socket queues other than the system's,
/// as in `tcp?queue=65536`. Fields that only some experiments have, such as `group`, are omitted
/// elsewhere.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The cell.
    pub cell: Cell,
    /// The program.
    pub program: String,
    /// The kind of invocation: generated code (`static`) or dynamic (`dii`).
    pub style: &'static str,
    /// The metric.
    pub metric: Metric,
    /// The unit of the numbers.
    pub unit: &'static str,
    /// The median over the repetitions of the median of each.
    pub median: f64,
    /// The median over the repetitions of the 1 % quantile; for floods the minimum.
    pub p1: f64,
    /// The same for the 99 % quantile; for floods the maximum.
    pub p99: f64,
    /// The minimum.
    pub min: f64,
    /// The maximum.
    pub max: f64,
    /// The number of repetitions.
    pub repetitions: usize,
    /// The median over the repetitions of the ratio to plain sockets in the same round.
    pub ratio_to_c: Option<f64>,
    /// The same relative to one object with one operation, in E3.
    pub ratio_to_one: Option<f64>,
    /// For strings, the same relative to sequences of the same program.
    pub ratio_to_sequence: Option<f64>,
    /// The gain of an optimization over the first program of the cell, in E4.
    pub gain: Option<Gain>,
}

/// The gain of one program over another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gain {
    /// The median over the rounds.
    pub times: f64,
    /// The lower bound of the 95 % confidence interval.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

impl Gain {
    /// The gain from the gains of single rounds; `None` without rounds.
    pub(crate) fn of(rounds: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut rounds: Vec<f64> = rounds.into_iter().filter(|times| times.is_finite()).collect();
        rounds.sort_by(f64::total_cmp);
        // A round is above or below the true median with equal probability (sign test).
        let count = rounds.len();
        let below = ((count as f64 - 1.96 * (count as f64).sqrt()) / 2.0).max(0.0) as usize;
        let (low, high) = (*rounds.get(below)?, *rounds.get(count - 1 - below)?);
        Some(Self { times: median(rounds), low, high })
    }

    /// An exact gain, from counts.
    pub(crate) const fn counted(times: f64) -> Self {
        Self { times, low: times, high: times }
    }

    /// Whether the difference is statistically significant.
    pub fn is_certain(&self) -> bool {
        self.low > 1.0 || self.high < 1.0
    }
}

impl Serialize for Record {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let cell = &self.cell;
        let transport = match cell.queue {
            0 => cell.transport.to_owned(),
            queue => format!("{}?queue={queue}", cell.transport),
        };
        let ratios =
            [("ratio_to_one", self.ratio_to_one), ("ratio_to_sequence", self.ratio_to_sequence)];
        let ratios = ratios.map(|(name, ratio)| ratio.map(|ratio| (name, ratio)));
        let extras = usize::from(!cell.group.is_empty()) + ratios.iter().flatten().count();
        let gains = 3 * usize::from(self.gain.is_some());
        let fields = 21 + extras + gains;
        let mut out = serializer.serialize_struct("Record", fields)?;
        out.serialize_field("experiment", cell.experiment)?;
        out.serialize_field("program", &self.program)?;
        out.serialize_field("transport", &transport)?;
        out.serialize_field("placement", cell.placement)?;
        out.serialize_field("invocation", &format!("{}-{}", cell.invocation, self.style))?;
        out.serialize_field("payload", cell.payload)?;
        out.serialize_field("units", &cell.units)?;
        out.serialize_field("bytes", &cell.bytes)?;
        out.serialize_field("objects", &cell.objects)?;
        out.serialize_field("operations", &cell.operations)?;
        out.serialize_field("order", cell.order)?;
        out.serialize_field("threads", &cell.threads)?;
        out.serialize_field("metric", &self.metric)?;
        out.serialize_field("unit", self.unit)?;
        out.serialize_field("median", &self.median)?;
        out.serialize_field("p1", &self.p1)?;
        out.serialize_field("p99", &self.p99)?;
        out.serialize_field("min", &self.min)?;
        out.serialize_field("max", &self.max)?;
        out.serialize_field("repetitions", &self.repetitions)?;
        out.serialize_field("ratio_to_c", &self.ratio_to_c)?;
        if !cell.group.is_empty() {
            out.serialize_field("group", cell.group)?;
        }
        for (name, ratio) in ratios.into_iter().flatten() {
            out.serialize_field(name, &ratio)?;
        }
        if let Some(Gain { times, low, high }) = self.gain {
            out.serialize_field("gain", &times)?;
            out.serialize_field("gain_low", &low)?;
            out.serialize_field("gain_high", &high)?;
        }
        out.end()
    }
}

/// The median of some values; NaN without values.
pub fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    let half = values.len() / 2;
    match (values.get(half), values.len() % 2) {
        (Some(upper), 0) => f64::midpoint(values[half - 1], *upper),
        (Some(middle), _) => *middle,
        (None, _) => f64::NAN,
    }
}

#[cfg(test)]
impl Cell {
    /// A call without parameters at one object, for tests.
    pub(crate) const fn of_void() -> Self {
        Self {
            experiment: "latency",
            transport: "tcp",
            placement: "one-core",
            invocation: "twoway",
            payload: "void",
            units: 0,
            bytes: 0,
            objects: 1,
            operations: 1,
            order: "train",
            threads: 1,
            group: "",
            queue: 0,
        }
    }
}

#[cfg(test)]
impl Record {
    /// What plain sockets took for such a call, for tests.
    pub(crate) fn of_void() -> Self {
        Self {
            cell: Cell::of_void(),
            program: "c".into(),
            style: "static",
            metric: Metric::Latency,
            unit: Metric::Latency.unit(),
            median: 14.5,
            p1: 14.0,
            p99: 20.0,
            min: 13.9,
            max: 31.0,
            repetitions: 20,
            ratio_to_c: None,
            ratio_to_one: None,
            ratio_to_sequence: None,
            gain: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median([3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median([4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median([]).is_nan());
    }

    #[test]
    fn a_gain_is_certain_where_most_rounds_agree() {
        let clear = Gain::of((0..20).map(|round| if round < 3 { 0.9 } else { 1.1 })).unwrap();
        assert!(clear.is_certain() && clear.times == 1.1, "{clear:?}");
        let chance = Gain::of((0..20).map(|round| if round < 8 { 0.9 } else { 1.1 })).unwrap();
        assert!(!chance.is_certain() && chance.times == 1.1, "{chance:?}");
        let few = Gain::of([1.2, 1.3, 1.1, 1.2, 0.99]).unwrap();
        assert!(!few.is_certain() && (few.low, few.high) == (0.99, 1.3), "{few:?}");
        assert_eq!(Gain::of([]), None);
        assert!(Gain::counted(0.7).is_certain() && !Gain::counted(1.0).is_certain());
    }

    #[test]
    fn a_record_has_the_fields_that_readers_know_and_others_only_where_they_are_in_question() {
        let names = |record: &Record| -> BTreeSet<String> {
            let value = serde_json::to_value(record).unwrap();
            value.as_object().unwrap().keys().cloned().collect()
        };
        let plain = "experiment program transport placement invocation payload units bytes objects \
                     operations order threads metric unit median p1 p99 min max repetitions \
                      ratio_to_c";
        let plain: BTreeSet<String> = plain.split_whitespace().map(str::to_owned).collect();
        assert_eq!(names(&Record::of_void()), plain);
        let cell = Cell { group: "one write", queue: 8192, ..Cell::of_void() };
        let gain = Some(Gain::counted(2.0));
        let (ratio_to_one, ratio_to_sequence) = (Some(1.0), Some(0.9));
        let full = Record { cell, gain, ratio_to_one, ratio_to_sequence, ..Record::of_void() };
        let more = &names(&full) - &plain;
        let extra = ["gain", "gain_high", "gain_low", "group", "ratio_to_one", "ratio_to_sequence"];
        assert!(more.iter().eq(extra), "{more:?}");
        let value = serde_json::to_value(&full).unwrap();
        assert_eq!(
            (&value["transport"], &value["invocation"]),
            (&"tcp?queue=8192".into(), &"twoway-static".into())
        );
        assert!(value["ratio_to_c"].is_null(), "there is no C to compare with");
    }
}
