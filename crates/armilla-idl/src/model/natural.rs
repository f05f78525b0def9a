//! Natural numbers of any size, for exact intermediate results of `long double`.

use std::cmp::Ordering;

/// A natural number as 64-bit digits, the least significant first, without leading zeros.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Natural(Vec<u64>);

impl Natural {
    /// The number of bits, without leading zeros.
    pub(super) fn bits(&self) -> u32 {
        self.0.last().map_or(0, |top| self.0.len() as u32 * 64 - top.leading_zeros())
    }

    pub(super) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// The number that the decimal `digits` write.
    pub(super) fn from_decimal(digits: impl Iterator<Item = u8>) -> Self {
        let mut number = Natural(Vec::new());
        let (mut chunk, mut scale) = (0_u64, 1_u64);
        for digit in digits {
            (chunk, scale) = (chunk * 10 + u64::from(digit - b'0'), scale * 10);
            if scale == 10_u64.pow(19) {
                number.multiply_add(scale, chunk);
                (chunk, scale) = (0, 1);
            }
        }
        number.multiply_add(scale, chunk);
        number
    }

    /// Ten to the power of `exponent`.
    pub(super) fn power_of_ten(exponent: u32) -> Self {
        let (mut power, mut square) = (Natural::from(1), Natural::from(10));
        let mut rest = exponent;
        while rest > 0 {
            if rest & 1 == 1 {
                power = power.times(&square);
            }
            rest >>= 1;
            if rest > 0 {
                square = square.times(&square);
            }
        }
        power
    }

    /// Multiplies by `factor`, then adds `summand`.
    fn multiply_add(&mut self, factor: u64, summand: u64) {
        let mut carry = u128::from(summand);
        for digit in &mut self.0 {
            carry += u128::from(*digit) * u128::from(factor);
            *digit = carry as u64;
            carry >>= 64;
        }
        if carry > 0 {
            self.0.push(carry as u64);
        }
    }

    pub(super) fn times(&self, other: &Natural) -> Natural {
        let mut product = vec![0; self.0.len() + other.0.len()];
        for (at, one) in self.0.iter().enumerate() {
            let mut carry = 0;
            for (digit, two) in product[at..].iter_mut().zip(&other.0) {
                carry += u128::from(*one) * u128::from(*two) + u128::from(*digit);
                *digit = carry as u64;
                carry >>= 64;
            }
            product[at + other.0.len()] = carry as u64;
        }
        Natural::trimmed(product)
    }

    pub(super) fn plus(&self, other: &Natural) -> Natural {
        let digits = self.0.len().max(other.0.len());
        let mut carry = 0;
        let sum = (0..=digits).map(|at| {
            carry += u128::from(self.digit(at)) + u128::from(other.digit(at));
            let digit = carry as u64;
            carry >>= 64;
            digit
        });
        Natural::trimmed(sum.collect())
    }

    /// `self` less `other`, which is not larger.
    pub(super) fn minus(&self, other: &Natural) -> Natural {
        let mut borrow = false;
        let difference = (0..self.0.len()).map(|at| {
            let (digit, one) = self.digit(at).overflowing_sub(other.digit(at));
            let (digit, two) = digit.overflowing_sub(u64::from(borrow));
            borrow = one || two;
            digit
        });
        Natural::trimmed(difference.collect())
    }

    pub(super) fn shifted_left(&self, bits: u32) -> Natural {
        let (digits, bits) = (bits as usize / 64, bits % 64);
        let mut shifted = vec![0; digits];
        let mut carry = 0;
        for digit in &self.0 {
            shifted.push(digit << bits | carry);
            carry = if bits == 0 { 0 } else { digit >> (64 - bits) };
        }
        shifted.push(carry);
        Natural::trimmed(shifted)
    }

    /// The most significant bits, 128 at most, the number of bits below them, and whether one of
    /// those is set.
    pub(super) fn leading(&self) -> (u128, u32, bool) {
        let below = self.bits().saturating_sub(128);
        let (digits, bits) = (below as usize / 64, below % 64);
        let low = u128::from(self.digit(digits)) | u128::from(self.digit(digits + 1)) << 64;
        let top = match bits {
            0 => low,
            bits => low >> bits | u128::from(self.digit(digits + 2)) << (128 - bits),
        };
        let lost = self.0.iter().take(digits).any(|digit| *digit != 0)
            || self.digit(digits) & ((1 << bits) - 1) != 0;
        (top, below, lost)
    }

    /// The quotient, which must have 128 bits at most, and the rest.
    pub(super) fn divided_by(&self, divisor: &Natural) -> (u128, Natural) {
        let steps = self.bits().saturating_sub(divisor.bits());
        let mut scaled = divisor.shifted_left(steps);
        let (mut quotient, mut rest) = (0, self.clone());
        for step in 0..=steps {
            quotient <<= 1;
            if rest >= scaled {
                rest = rest.minus(&scaled);
                quotient |= 1;
            }
            if step < steps {
                scaled.halve();
            }
        }
        (quotient, rest)
    }

    fn halve(&mut self) {
        let mut carry = 0;
        for digit in self.0.iter_mut().rev() {
            (*digit, carry) = (*digit >> 1 | carry, *digit << 63);
        }
        self.0.pop_if(|top| *top == 0);
    }

    fn digit(&self, at: usize) -> u64 {
        self.0.get(at).copied().unwrap_or(0)
    }

    fn trimmed(mut digits: Vec<u64>) -> Natural {
        while digits.pop_if(|top| *top == 0).is_some() {}
        Natural(digits)
    }
}

impl From<u128> for Natural {
    fn from(value: u128) -> Self {
        Natural::trimmed(vec![value as u64, (value >> 64) as u64])
    }
}

impl Ord for Natural {
    fn cmp(&self, other: &Self) -> Ordering {
        let length = self.0.len().cmp(&other.0.len());
        length.then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }
}

impl PartialOrd for Natural {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::Natural;

    #[test]
    fn arithmetic_is_exact() {
        let number = |text: &str| Natural::from_decimal(text.bytes());
        let large = number("123456789012345678901234567890123456789012345678901234567890");
        assert_eq!(Natural::power_of_ten(40), number(&format!("1{}", "0".repeat(40))));
        assert_eq!(large.times(&Natural::from(0)), Natural::from(0));
        let product = large.times(&number("987654321"));
        assert_eq!(product.divided_by(&large), (987_654_321, Natural::from(0)));
        let (quotient, rest) = product.plus(&Natural::from(5)).divided_by(&large);
        assert_eq!((quotient, rest), (987_654_321, Natural::from(5)));
        assert_eq!(product.minus(&large).plus(&large), product);
        assert_eq!(Natural::from(7).divided_by(&large), (0, Natural::from(7)));
    }

    #[test]
    fn leading_bits_tell_whether_others_are_lost() {
        let shifted = Natural::from(5).shifted_left(200);
        assert_eq!(shifted.leading(), (5 << 125, 203 - 128, false));
        assert_eq!(shifted.plus(&Natural::from(1)).leading(), (5 << 125, 203 - 128, true));
        assert_eq!(Natural::from(5).leading(), (5, 0, false));
        assert_eq!(Natural::from(5).shifted_left(128).leading(), (5 << 125, 3, false));
    }
}
