//! Periodic calls beside load: which cells there are, and how one is measured.

use super::process::Process;
use super::{Cell, Load, RealTime, RealTimePlan, Variant};
use crate::latencies::{Calls, Latencies};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

const LOADS: [Load; 10] = [
    Load::IDLE,
    Load::calls(1, 100),
    Load::calls(4, 100),
    Load::calls(16, 77),
    Load::calls(16, 100),
    Load::calls(64, 100),
    Load::other("churn", 16),
    Load::other("hog", 4),
    Load::other("connections", 2),
    Load::other("malformed", 2),
];
const FEW_LOADS: [Load; 4] =
    [Load::IDLE, Load::calls(16, 77), Load::calls(16, 100), Load::calls(64, 100)];

/// The longest time in which one variant is measured before the next one has its turn, in seconds.
const TURN: u32 = 20;

/// The cells of a run.
pub(super) struct Cells {
    place: Place,
    /// Calls a second, and how many periods.
    rates: Vec<(u32, u32)>,
    loads: Vec<Load>,
    variants: Vec<Variant>,
}

impl Cells {
    pub(super) fn of(plan: &RealTimePlan, place: Place) -> Self {
        let rates = plan.rates.clone().unwrap_or_else(|| vec![100, 1000]);
        let usual = |rate| match (plan.quick, rate) {
            (true, ..=100) => 3 * rate,
            (true, _) => 2 * rate,
            (false, ..=100) => 15 * rate,
            (false, _) => 10 * rate,
        };
        let clients = |count: &u32| match count {
            0 => Load::IDLE,
            _ => Load::calls(*count, 100),
        };
        let loads = match &plan.clients {
            Some(counts) => counts.iter().map(clients).collect(),
            None if plan.quick => FEW_LOADS.to_vec(),
            None => LOADS.to_vec(),
        };
        let mut variants = plan.variants.clone().unwrap_or_else(|| Variant::ALL.to_vec());
        variants.retain(|variant| place.omniorb.is_some() || *variant != Variant::OmniOrb);
        let periods = |rate| (rate, plan.periods.unwrap_or_else(|| usual(rate)));
        Self { place, rates: rates.into_iter().map(periods).collect(), loads, variants }
    }

    /// Measures all cells until `stop` becomes true.
    pub(super) fn measure_all(&self, stop: &AtomicBool, results: &mut RealTime) {
        for &(rate, periods) in &self.rates {
            for &load in &self.loads {
                self.measure_cell((rate, periods), load, stop, results);
            }
        }
    }

    /// Measures all variants of a cell, which take turns until each has had all its periods.
    fn measure_cell(
        &self,
        (rate, periods): (u32, u32),
        load: Load,
        stop: &AtomicBool,
        results: &mut RealTime,
    ) {
        let mut calls: Vec<Calls> = self.variants.iter().map(|_| Calls::default()).collect();
        for turn in turns(rate, periods) {
            for (variant, calls) in self.variants.iter().zip(&mut calls) {
                if stop.load(Ordering::Relaxed) {
                    results.interrupted = true;
                    break;
                }
                let what = format!("{rate} Hz, {}, {}", load.describe(), variant.name());
                eprintln!("{what}: {} of {periods}", calls.periods + u64::from(turn));
                match self.place.measure(rate, turn, load, *variant) {
                    Ok(more) => calls.append(more),
                    Err(error) => results.failures.push(format!("{what}: {error}")),
                }
            }
        }
        let period = 1_000_000_000 / u64::from(rate.max(1));
        for (variant, calls) in self.variants.iter().zip(calls) {
            if calls.periods > 0 {
                let latencies = Latencies::of(&calls, period);
                results.cells.push(Cell { rate, load, variant: *variant, latencies });
            }
        }
    }
}

/// The periods of each turn.
fn turns(rate: u32, periods: u32) -> impl Iterator<Item = u32> {
    let longest = rate.saturating_mul(TURN).max(1);
    let count = periods.div_ceil(longest);
    (0..count).map(move |turn| (periods - turn * longest).min(longest))
}

/// Where a cell is measured, and with what.
pub(super) struct Place {
    pub(super) server_cpu: Option<usize>,
    pub(super) client_cpu: Option<usize>,
    pub(super) omniorb: Option<PathBuf>,
}

impl Place {
    /// Measures one variant in one cell, with processes of its own.
    fn measure(
        &self,
        rate: u32,
        periods: u32,
        load: Load,
        variant: Variant,
    ) -> Result<Calls, String> {
        let word = format!("variant={}", variant.word());
        // The timer alone meets the same load, of plain sockets.
        let served = match variant {
            Variant::Timer => format!("variant={}", Variant::Sockets.word()),
            _ => word.clone(),
        };
        let program = self.omniorb.as_deref().filter(|_| variant == Variant::OmniOrb);
        let mut server =
            Process::start(program, self.server_cpu, "server", "127.0.0.1", &[&served])?;
        let line = server.line()?;
        let (low, high) =
            line.split_once(' ').ok_or_else(|| format!("the server said {line:?}"))?;
        let mut disturbing = None;
        if load.clients > 0 {
            let options = [
                served.as_str(),
                &format!("clients={}", load.clients),
                &format!("load={}", load.kind),
                &format!("percent={}", load.percent),
            ];
            // What is no call is the same for all.
            let program = program.filter(|_| matches!(load.kind, "calls" | "churn"));
            let mut started = Process::start(program, self.client_cpu, "load", low, &options)?;
            started.line()?;
            disturbing = Some(started);
            // Connections are made, and caches are warm.
            std::thread::sleep(std::time::Duration::from_millis(300));
        }
        let options = [word.as_str(), &format!("rate={rate}"), &format!("periods={periods}")];
        let mut client = Process::start(program, self.client_cpu, "high", high, &options)?;
        let line = client.line()?;
        drop(disturbing);
        Calls::parse(&line).ok_or_else(|| format!("the client said {line:.80?}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_runs_are_divided_into_turns() {
        assert_eq!(turns(1000, 45_000).collect::<Vec<_>>(), [20_000, 20_000, 5_000]);
        assert_eq!(turns(100, 1500).collect::<Vec<_>>(), [1500]);
        assert_eq!(turns(0, 2).collect::<Vec<_>>(), [1, 1]);
    }

    #[test]
    fn a_plan_chooses_rates_periods_clients_and_variants() {
        let place = || Place { server_cpu: None, client_cpu: None, omniorb: None };
        let all = Cells::of(&RealTimePlan::default(), place());
        assert_eq!(all.rates, [(100, 1500), (1000, 10_000)]);
        assert_eq!((all.loads.len(), all.variants.len()), (10, 4));
        let plan = RealTimePlan {
            rates: Some(vec![1000]),
            periods: Some(7),
            clients: Some(vec![0, 64]),
            variants: Some(vec![Variant::Lanes]),
            ..RealTimePlan::default()
        };
        let chosen = Cells::of(&plan, place());
        assert_eq!((chosen.rates, chosen.variants), (vec![(1000, 7)], vec![Variant::Lanes]));
        assert_eq!(chosen.loads, [Load::IDLE, Load::calls(64, 100)]);
    }
}
