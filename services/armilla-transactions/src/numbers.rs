//! Tables by numbers that nobody outside chooses, or that are hashes already.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

pub(crate) type Numbered<V> = HashMap<u64, V, BuildHasherDefault<Spread>>;

/// Spreads numbers that follow one another.
#[derive(Debug, Default)]
pub(crate) struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, octets: &[u8]) {
        octets.iter().for_each(|octet| self.write_u64(self.0 ^ u64::from(*octet)));
    }

    fn write_u64(&mut self, number: u64) {
        // 2⁶⁴ by the golden ratio: the upper bits, by which a table tells its entries apart, depend on
        // all of the number.
        self.0 = number.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32);
    }
}
