//! Axes: the position of a value on an axis, and the labels.

/// The kind of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Linear, from zero.
    Linear,
    /// Logarithmic.
    Logarithmic,
    /// Logarithmic for ratios: includes 1, with a fine resolution around it.
    Ratios,
}

/// The possible labels of ratios, coarser away from 1.
const RATIOS: [f64; 36] = [
    0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1,
    1.2, 1.4, 1.6, 2.0, 2.5, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0, 64.0, 128.0, 256.0, 500.0,
    1000.0, 5000.0,
];

/// The approximate number of labels.
const STEPS: f64 = 5.0;

/// An axis.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Scale {
    kind: Kind,
    low: f64,
    high: f64,
    /// The labelled values.
    pub(super) ticks: Vec<f64>,
}

impl Scale {
    /// An axis that includes all `values`, which may be none, and ends at round values.
    pub(super) fn holding(kind: Kind, values: impl Iterator<Item = f64>) -> Self {
        let usable = |v: &f64| v.is_finite() && (kind == Kind::Linear || *v > 0.0);
        let (low, high) = values
            .filter(usable)
            .fold((f64::INFINITY, 0.0_f64), |(low, high), v| (low.min(v), high.max(v)));
        let (low, high) = if low > high { (1.0, 1.0) } else { (low, high) };
        match kind {
            Kind::Linear => Self::linear(high),
            Kind::Logarithmic => Self::within(kind, low, high, &round_numbers(low, high)),
            Kind::Ratios => Self::within(kind, low.min(0.9), high.max(1.1), &RATIOS),
        }
    }

    /// An axis between `low` and `high`, labelled by the caller.
    pub(super) fn between(kind: Kind, low: f64, high: f64) -> Self {
        Self { kind, low, high, ticks: Vec::new() }
    }

    fn linear(high: f64) -> Self {
        let high = if high > 0.0 { high } else { 1.0 };
        let power = 10_f64.powf((high / STEPS).log10().floor());
        let steps = [1.0, 2.0, 2.5, 5.0, 10.0].map(|step| step * power);
        let step = steps.into_iter().find(|step| step * STEPS >= high).unwrap_or(high);
        let count = (high / step).ceil().max(1.0);
        let ticks = (0..=count as u32).map(|n| f64::from(n) * step).collect();
        Self { kind: Kind::Linear, low: 0.0, high: count * step, ticks }
    }

    /// From the round value below to the one above, with as many labels between as fit.
    fn within(kind: Kind, low: f64, high: f64, round: &[f64]) -> Self {
        let below = round.iter().copied().rfind(|v| *v <= low).unwrap_or(low);
        let above = round.iter().copied().find(|v| *v >= high).unwrap_or(high);
        let least = (above / below).ln() / (STEPS + 1.0);
        let mut ticks = vec![below, above];
        if kind == Kind::Ratios {
            ticks.push(1.0);
        }
        for value in round.iter().copied().filter(|v| (below..=above).contains(v)) {
            if ticks.iter().all(|tick| (tick / value).ln().abs() >= least * 0.99) {
                ticks.push(value);
            }
        }
        // A label too close to 1 is dropped.
        ticks.retain(|tick| kind != Kind::Ratios || *tick == 1.0 || tick.ln().abs() >= least * 0.5);
        Self { kind, low: below, high: above, ticks }
    }

    /// The position of `value`, from 0 at the low end to 1 at the high end, clamped.
    pub(super) fn place(&self, value: f64) -> f64 {
        let part = match self.kind {
            Kind::Linear => (value - self.low) / (self.high - self.low),
            _ => (value / self.low).ln() / (self.high / self.low).ln(),
        };
        if part.is_finite() { part.clamp(0.0, 1.0) } else { 0.5 }
    }
}

/// 1, 2 and 5 of every power of ten around `low` and `high`.
fn round_numbers(low: f64, high: f64) -> Vec<f64> {
    let powers = (low.log10().floor() as i32)..=(high.log10().ceil() as i32);
    powers.flat_map(|power| [1.0, 2.0, 5.0].map(|n| n * 10_f64.powi(power))).collect()
}

/// A short form of a number: sizes in Ki, large numbers in k and M.
pub(super) fn amount(value: f64) -> String {
    let whole = value.fract() == 0.0;
    match value {
        v if whole && v >= 1_048_576.0 && v % 1_048_576.0 == 0.0 => {
            format!("{}Mi", v / 1_048_576.0)
        }
        v if whole && v >= 1024.0 && v % 1024.0 == 0.0 => format!("{}Ki", v / 1024.0),
        v if v >= 1e6 => format!("{}M", short(v / 1e6)),
        v if v >= 1e3 && v % 1e3 == 0.0 => format!("{}k", short(v / 1e3)),
        v if v >= 1e4 => format!("{}k", short(v / 1e3)),
        v => short(v),
    }
}

fn short(value: f64) -> String {
    let text = match value {
        v if v >= 100.0 => format!("{v:.0}"),
        v if v >= 0.1 || v == 0.0 => format!("{v:.2}"),
        v => format!("{v:.4}"),
    };
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_short() {
        let amounts = [0.5, 1.0, 24.25, 130.6, 65_536.0, 12_500.0, 3e6, 0.0125, 5000.0].map(amount);
        assert_eq!(amounts, ["0.5", "1", "24.25", "131", "64Ki", "12.5k", "3M", "0.0125", "5k"]);
    }

    #[test]
    fn axes_end_at_round_values() {
        let linear = Scale::holding(Kind::Linear, [3.0, 41_700.0].into_iter());
        assert_eq!(linear.ticks, [0.0, 10_000.0, 20_000.0, 30_000.0, 40_000.0, 50_000.0]);
        assert_eq!((linear.place(0.0), linear.place(25_000.0)), (0.0, 0.5));
        let ratios = Scale::holding(Kind::Ratios, [0.55, 19.3].into_iter());
        assert!(ratios.ticks.contains(&1.0) && ratios.place(24.0) == 1.0, "{ratios:?}");
        let wide = Scale::holding(Kind::Logarithmic, [0.03, 70.0].into_iter());
        assert_eq!((wide.place(0.02), wide.place(100.0)), (0.0, 1.0));
    }

    #[test]
    fn a_ratio_beside_one_can_be_told_from_it() {
        let close = Scale::holding(Kind::Ratios, [0.97, 1.04].into_iter());
        assert!(close.place(1.04) - close.place(0.97) > 0.3, "{close:?}");
    }

    #[test]
    fn one_value_or_none_is_an_axis_too() {
        for kind in [Kind::Linear, Kind::Logarithmic, Kind::Ratios] {
            for values in [&[][..], &[5.0], &[0.0], &[f64::NAN]] {
                let place = Scale::holding(kind, values.iter().copied()).place(5.0);
                assert!((0.0..=1.0).contains(&place), "{kind:?} {values:?}");
            }
        }
    }
}
