//! Measuring: ORB and plain socket in alternation, in many short rounds, and batches of collocated
//! calls.

use armilla_terminal::Outcome;
use std::time::Instant;

/// The amount of measuring.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Effort {
    /// Series of each comparison.
    pub(crate) series: usize,
    /// Rounds of a comparison in a series.
    pub(crate) rounds: usize,
    /// Calls by each means in a round.
    pub(crate) calls: usize,
    /// Batches of collocated calls.
    pub(crate) batches: usize,
    /// Calls in a batch.
    pub(crate) batch: usize,
}

impl Effort {
    /// Five series of 20,000 calls. Rounds of a few milliseconds are long enough to warm the
    /// caches, and short enough for ORB and socket to run under the same conditions.
    pub(crate) const FULL: Self =
        Self { series: 5, rounds: 40, calls: 500, batches: 101, batch: 100_000 };

    /// Enough for a test.
    pub(crate) const QUICK: Self =
        Self { series: 2, rounds: 5, calls: 10, batches: 5, batch: 1000 };
}

/// The time of one call in µs in each round, by ORB and by plain socket.
#[derive(Debug, Default)]
pub(crate) struct Comparison {
    /// The ORB.
    pub(crate) orb: Vec<f64>,
    /// The plain socket.
    pub(crate) plain: Vec<f64>,
}

impl Comparison {
    /// Measures ORB and plain socket in a series of rounds, in the order ABBA or BAAB in turn, so
    /// that changes on the machine affect both alike.
    pub(crate) fn series(
        &mut self,
        effort: Effort,
        mut orb: impl FnMut() -> Outcome,
        mut plain: impl FnMut() -> Outcome,
    ) -> Outcome {
        // Warm up connections, buffers, caches and branch predictors.
        time(effort.calls, &mut orb)?;
        time(effort.calls, &mut plain)?;
        let half = effort.calls.div_ceil(2);
        for round in 0..effort.rounds {
            let (ours, theirs) = if round % 2 == 0 {
                time_abba(half, &mut orb, &mut plain)?
            } else {
                let (theirs, ours) = time_abba(half, &mut plain, &mut orb)?;
                (ours, theirs)
            };
            self.orb.push(ours);
            self.plain.push(theirs);
        }
        Ok(())
    }

    /// The ratio of the ORB's time to the plain socket's, over the rounds.
    pub(crate) fn ratio(&self) -> Spread {
        Spread::of(self.orb.iter().zip(&self.plain).map(|(orb, plain)| orb / plain))
    }
}

/// Times `outer`, twice `inner`, and `outer` again; returns the time of one call of each.
fn time_abba(
    calls: usize,
    outer: &mut impl FnMut() -> Outcome,
    inner: &mut impl FnMut() -> Outcome,
) -> Outcome<(f64, f64)> {
    let first = time(calls, outer)?;
    let between = time(calls, inner)? + time(calls, inner)?;
    Ok(((first + time(calls, outer)?) / 2.0, between / 2.0))
}

/// The median and the quartiles of a sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Spread {
    pub(crate) low: f64,
    pub(crate) median: f64,
    pub(crate) high: f64,
}

impl Spread {
    /// The quartiles of a sample; NaN if it is empty.
    pub(crate) fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let place = (values.len().saturating_sub(1)) as f64 * share;
            let value = |place: f64| values.get(place as usize).copied().unwrap_or(f64::NAN);
            (value(place.floor()) + value(place.ceil())) / 2.0
        };
        Self { low: at(0.25), median: at(0.5), high: at(0.75) }
    }
}

/// The time of one call in µs, as the mean of `calls`.
fn time(calls: usize, call: &mut impl FnMut() -> Outcome) -> Outcome<f64> {
    let begun = Instant::now();
    for _ in 0..calls {
        call()?;
    }
    Ok(begun.elapsed().as_secs_f64() * 1e6 / calls as f64)
}

/// The time of one call in ns: the mean of each of many batches of calls.
pub(crate) fn batches(effort: Effort, mut call: impl FnMut() -> Outcome) -> Outcome<Spread> {
    let mut measured = Vec::with_capacity(effort.batches);
    for _ in 0..effort.batches {
        measured.push(time(effort.batch, &mut call)? * 1000.0);
    }
    Ok(Spread::of(measured))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_has_a_median_and_quartiles() {
        let spread = Spread::of([5.0, 1.0, 4.0, 2.0, 3.0]);
        assert_eq!(spread, Spread { low: 2.0, median: 3.0, high: 4.0 });
        assert_eq!(Spread::of([1.0, 2.0]).median, 1.5);
        assert!(Spread::of([]).median.is_nan());
    }

    #[test]
    fn orb_and_socket_are_called_equally_often() {
        let (mut ours, mut theirs) = (0, 0);
        let count = |counter: &mut usize| {
            *counter += 1;
            Ok(())
        };
        let effort = Effort { series: 1, rounds: 3, calls: 4, batches: 0, batch: 0 };
        let mut measured = Comparison::default();
        measured.series(effort, || count(&mut ours), || count(&mut theirs)).unwrap();
        assert_eq!((ours, theirs), (16, 16), "a warm-up and three rounds of four calls");
        assert_eq!((measured.orb.len(), measured.plain.len()), (3, 3));
    }
}
