//! Sorted strings that are searched by how they begin: names of elements, and records of calls.

use std::ops::Range;
use std::sync::Arc;

/// Sorted strings. Clones share them.
#[derive(Clone, Debug)]
pub struct Records(Arc<[String]>);

impl Records {
    /// These strings, sorted.
    pub fn new(strings: impl IntoIterator<Item = String>) -> Self {
        let mut strings: Vec<String> = strings.into_iter().collect();
        strings.sort();
        Self(strings.into())
    }

    /// Simulated records of `count` calls: who called whom, when, for how many seconds.
    pub fn of_calls(count: u32) -> Self {
        Self::new((0..count).map(|call| {
            let (from, to) = (call % (count / 4).max(1), call.wrapping_mul(7_919) % 100_000);
            let (hour, minute, seconds) = (call / 60 % 24, call % 60, 1 + call * 31 % 600);
            format!("555{from:05} 556{to:05} 2024-05-01T{hour:02}:{minute:02} {seconds} s")
        }))
    }

    /// Where those stand that begin with `key`.
    pub fn find(&self, key: &str) -> Range<usize> {
        let begin = self.0.partition_point(|it| it.as_str() < key);
        let count = self.0[begin..].partition_point(|it| it.starts_with(key));
        begin..begin + count
    }

    /// Those at `places`.
    pub fn get(&self, places: Range<usize>) -> &[String] {
        self.0.get(places).unwrap_or_default()
    }

    /// Where this string stands.
    pub fn place(&self, string: &str) -> Option<usize> {
        self.0.binary_search_by(|it| it.as_str().cmp(string)).ok()
    }
}
