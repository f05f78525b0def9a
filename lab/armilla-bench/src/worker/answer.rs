//! The measurements of a client, in the format of the harness.

use super::Outcome;
use std::fmt;
use std::iter;
use std::time::{Duration, Instant};

/// The time of a run and of the single exchanges in it.
#[derive(Debug, Clone)]
pub(super) struct Answer {
    total: Duration,
    /// In ascending order; at least one.
    samples: Vec<Duration>,
}

/// The number of calls that are timed together.
const GROUP: u32 = 16;

impl Answer {
    /// Times `count` exchanges individually.
    pub(super) fn of_each(count: u32, mut exchange: impl FnMut(u32) -> Outcome) -> Outcome<Self> {
        if is_counted() {
            return Self::of_all(|| (0..count).try_for_each(exchange));
        }
        // Compute the differences afterwards, outside of the timed section.
        let mut ends = Vec::with_capacity(count as usize);
        let started = Instant::now();
        for number in 0..count {
            exchange(number)?;
            ends.push(Instant::now());
        }
        let total = ends.last().map_or(Duration::ZERO, |end| *end - started);
        let begins = iter::once(&started).chain(&ends);
        let mut samples: Vec<Duration> =
            begins.zip(&ends).map(|(begin, end)| *end - *begin).collect();
        if samples.is_empty() {
            samples.push(total);
        }
        samples.sort_unstable();
        Ok(Self { total, samples })
    }

    /// Times `count` short calls in groups. Groups are small, so that disturbances affect few of
    /// them.
    pub(super) fn of_groups(count: u32, mut call: impl FnMut() -> Outcome) -> Outcome<Self> {
        if is_counted() {
            return Self::of_all(|| (0..count).try_for_each(|_| call()));
        }
        let mut samples = Vec::new();
        let started = Instant::now();
        let mut before = started;
        let mut left = count.max(1);
        while left > 0 {
            let group = left.min(GROUP);
            (0..group).try_for_each(|_| call())?;
            left -= group;
            let after = Instant::now();
            samples.push((after - before) / group);
            before = after;
        }
        samples.sort_unstable();
        Ok(Self { total: before - started, samples })
    }

    /// An answer of samples that were taken elsewhere; `None` without any.
    pub(super) fn of_samples(mut samples: Vec<Duration>) -> Option<Self> {
        samples.sort_unstable();
        let total = samples.iter().sum();
        (!samples.is_empty()).then_some(Self { total, samples })
    }

    /// Times a flood and its confirmation.
    pub(super) fn of_all(flood: impl FnOnce() -> Outcome) -> Outcome<Self> {
        let started = Instant::now();
        flood()?;
        let total = started.elapsed();
        Ok(Self { total, samples: vec![total] })
    }
}

/// Whether instructions are counted; timing single calls would add to them.
fn is_counted() -> bool {
    std::env::var_os("BENCH_WHOLE").is_some()
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let last = self.samples.len() - 1;
        let at = |place: usize| self.samples[place.min(last)].as_nanos();
        let but = |part: usize| at(last - (self.samples.len() / part).min(last));
        write!(f, "ok {} {}", self.total.as_nanos(), at(self.samples.len() / 2))?;
        let hundredth = at(self.samples.len() / 100);
        write!(f, " {hundredth} {} {} {} {}", but(100), but(1000), at(0), at(last))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_lists_the_order_statistics() {
        let samples = (1..=200).map(Duration::from_nanos).collect();
        let answer = Answer { total: Duration::from_nanos(20_100), samples };
        assert_eq!(answer.to_string(), "ok 20100 101 3 198 200 1 200");
    }

    #[test]
    fn a_run_of_nothing_has_an_answer_too() {
        assert!(Answer::of_each(0, |_| Ok(())).unwrap().to_string().starts_with("ok "));
    }
}
