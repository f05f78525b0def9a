//! Utilisation, and the bounds on it that need nothing else.

/// The denominator of fixed-point numbers here.
const ONE: u128 = 1 << 60;

/// A part of a processor's time that is used, between two multiples of 2⁻⁶⁰.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Utilisation {
    low: u128,
    high: u128,
}

impl Utilisation {
    /// `cost` in each `period`, which is not 0.
    pub(crate) fn of(cost: u64, period: u64) -> Self {
        let product = u128::from(cost) * ONE;
        Self { low: product / u128::from(period), high: product.div_ceil(u128::from(period)) }
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        Self { low: self.low.saturating_add(other.low), high: self.high.saturating_add(other.high) }
    }

    /// Whether it certainly exceeds one processor.
    pub fn is_overload(self) -> bool {
        self.low > ONE
    }

    /// Parts of a million, rounded to the nearest.
    pub fn parts_per_million(self) -> u64 {
        let parts = (self.high.saturating_mul(1_000_000).saturating_add(ONE / 2)) / ONE;
        u64::try_from(parts).unwrap_or(u64::MAX)
    }
}

/// Whether `n` tasks with these utilisations meet the bound of Liu and Layland (1973, theorem 5):
/// their sum is at most n (2^(1/n) − 1). Rounding is to the safe side.
///
/// The bound is for rate-monotonic priorities, and for deadlines at the ends of the periods.
pub(crate) fn liu_layland(utilisations: &[Utilisation]) -> bool {
    // The same as (1 + sum / n)ⁿ ≤ 2, which needs no root.
    let sum = utilisations.iter().fold(Utilisation::default(), |sum, next| sum.plus(*next));
    let n = utilisations.len().max(1) as u128;
    if sum.high > ONE {
        return utilisations.is_empty();
    }
    let factor = ONE + sum.high.div_ceil(n);
    at_most_two(std::iter::repeat_n(factor, utilisations.len()))
}

/// Whether the tasks meet the hyperbolic bound (Bini, Buttazzo, Buttazzo 2003): the product of
/// (1 + utilisation) is at most 2. Rounding is to the safe side.
pub(crate) fn hyperbolic(utilisations: &[Utilisation]) -> bool {
    at_most_two(utilisations.iter().map(|utilisation| ONE.saturating_add(utilisation.high)))
}

/// Whether the product of the factors, each at least 1, is at most 2.
fn at_most_two(factors: impl Iterator<Item = u128>) -> bool {
    let mut product = ONE;
    for factor in factors {
        if factor > 2 * ONE {
            return false;
        }
        product = (product * factor).div_ceil(ONE);
        if product > 2 * ONE {
            return false;
        }
    }
    true
}

/// The bound of Liu and Layland for `n` tasks in parts of a million, rounded down.
pub fn liu_layland_bound(n: usize) -> u64 {
    let (mut low, mut high) = (0_u64, 1_000_001);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        let share = u128::from(middle) * ONE / 1_000_000;
        let factor = ONE + share.div_ceil(n.max(1) as u128);
        if at_most_two(std::iter::repeat_n(factor, n.min(1_000_000))) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(of: &[(u64, u64)]) -> Vec<Utilisation> {
        of.iter().map(|(cost, period)| Utilisation::of(*cost, *period)).collect()
    }

    /// Liu and Layland 1973: 1 for one task, 0.83 for two, 0.78 for three, ln 2 = 0.69 for many.
    #[test]
    fn the_bound_of_liu_and_layland_falls_from_one_to_the_logarithm_of_two() {
        assert_eq!(liu_layland_bound(1), 1_000_000);
        assert_eq!(liu_layland_bound(2), 828_427);
        assert_eq!(liu_layland_bound(3), 779_763);
        assert_eq!(liu_layland_bound(4), 756_828);
        assert_eq!(liu_layland_bound(100_000) / 1_000, 693);
    }

    /// Two tasks of 1/2 and 1/3 have 0.833 > 0.828, but (3/2) (4/3) = 2.
    #[test]
    fn the_hyperbolic_bound_accepts_more() {
        assert!(!liu_layland(&all(&[(1, 2), (1, 3)])));
        assert!(hyperbolic(&all(&[(1, 2), (1, 4)])));
        assert!(hyperbolic(&all(&[(1, 1)])) && liu_layland(&all(&[(1, 1)])));
        assert!(!hyperbolic(&all(&[(1, 2), (1, 2)])));
    }
}
