//! What nobody must guess: the numbers of runs, and the secrets of activators.

use crate::corba::Secret;
use crate::model::RunId;
use rustix::rand::{GetRandomFlags, getrandom};
use std::io;

/// Octets from the system's random numbers.
fn octets<const COUNT: usize>() -> io::Result<[u8; COUNT]> {
    let mut octets = [0; COUNT];
    let mut filled = 0;
    while filled < COUNT {
        match getrandom(&mut octets[filled..], GetRandomFlags::empty()) {
            Ok(count) => filled += count,
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(octets)
}

/// A secret.
pub(crate) fn secret() -> io::Result<Secret> {
    octets()
}

/// A name that nobody can guess, after a prefix that says whose it is.
#[cfg(test)]
pub(crate) fn name(prefix: &str) -> io::Result<String> {
    let octets: [u8; 16] = octets()?;
    Ok(format!("{prefix}{:032x}", u128::from_ne_bytes(octets)))
}

/// The number of a run. 0 stands for a process that the repository has not started.
///
/// # Panics
/// Without the system call, which every kernel has that Rust's standard library supports. It blocks
/// instead of failing, and a weaker number would let strangers register for the server.
pub(crate) fn run() -> RunId {
    let octets = octets().expect("the kernel has getrandom(2)");
    RunId(u64::from_ne_bytes(octets).max(1))
}

/// Whether both secrets are the same, in a time that tells nothing of where they differ.
pub(crate) fn is_same(one: &Secret, other: &Secret) -> bool {
    one.iter().zip(other).fold(0, |differ, (one, other)| differ | (one ^ other)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_secrets_and_runs_are_the_same() {
        let (one, other) = (secret().unwrap(), secret().unwrap());
        assert!(is_same(&one, &one) && !is_same(&one, &other));
        let runs: std::collections::HashSet<_> = (0..1000).map(|_| run()).collect();
        assert_eq!(runs.len(), 1000);
    }

    #[test]
    fn secrets_that_differ_in_one_bit_differ() {
        let one = secret().unwrap();
        for bit in 0..one.len() * 8 {
            let mut other = one;
            other[bit / 8] ^= 1 << (bit % 8);
            assert!(!is_same(&one, &other), "bit {bit}");
        }
    }
}
