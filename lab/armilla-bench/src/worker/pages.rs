//! Octets that begin at a page, as those of every program do whose transfers are compared: how fast
//! the kernel copies depends on where a buffer begins.

use std::ops::{Deref, DerefMut, Range};

/// The size of a page.
const PAGE: usize = 4096;

/// Octets that begin at a page.
#[derive(Debug, Default)]
pub(super) struct Pages {
    /// Moves in memory only when it is replaced.
    memory: Vec<u8>,
    place: Range<usize>,
}

impl Pages {
    /// As many octets, all equal to `octet`.
    pub(super) fn filled(octet: u8, octets: usize) -> Self {
        let mut pages = Self::default();
        pages.resize(octets, octet);
        pages
    }

    /// Changes the number of octets. New memory holds `octet` everywhere.
    pub(super) fn resize(&mut self, octets: usize, octet: u8) {
        if self.place.start + octets > self.memory.len() {
            self.memory = vec![octet; octets + PAGE];
            // Memory whose alignment is unknown serves as it is.
            let begin = Some(self.memory.as_ptr().align_offset(PAGE)).filter(|n| *n < PAGE);
            self.place.start = begin.unwrap_or(0);
        }
        self.place.end = self.place.start + octets;
    }
}

impl Deref for Pages {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.memory[self.place.clone()]
    }
}

impl DerefMut for Pages {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.memory[self.place.clone()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn octets_begin_at_a_page_whatever_their_number() {
        let mut pages = Pages::filled(b'x', 1);
        for octets in [1, 5000, 10, 0, 131_072] {
            pages.resize(octets, b'x');
            assert_eq!(pages.as_ptr().align_offset(PAGE), 0);
            assert!(pages.len() == octets && pages.iter().all(|octet| *octet == b'x'));
        }
    }
}
