//! Many calls of a client at once, each over a connection of its own.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// How many calls there are at once. A service with a store writes the changes of all together.
const THREADS: usize = 96;

/// With so few, one after the other is as fast.
const FEW: usize = 8;

/// Does something with each of many things, in up to 96 threads; what came out, in their order. Calls
/// of `act` should mostly wait.
pub fn each<T: Sync, R: Send>(all: &[T], act: impl Fn(&T) -> R + Sync) -> Vec<R> {
    if all.len() <= FEW {
        return all.iter().map(act).collect();
    }
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(all.len()));
    thread::scope(|scope| {
        let work = || {
            let mut own = Vec::new();
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(one) = all.get(at) else { break };
                own.push((at, act(one)));
            }
            if let Ok(mut done) = done.lock() {
                done.append(&mut own);
            }
        };
        // This thread works, too, so that a system without threads goes on.
        for _ in 1..THREADS.min(all.len()) {
            thread::Builder::new().spawn_scoped(scope, work).ok();
        }
        work();
    });
    let mut done = done.into_inner().unwrap_or_default();
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, one)| one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_have_the_order_of_what_they_are_of() {
        for count in [0, 1, 8, 9, 1000] {
            let all: Vec<usize> = (0..count).collect();
            assert_eq!(
                each(&all, |one| one * 2),
                all.iter().map(|one| one * 2).collect::<Vec<_>>()
            );
        }
    }
}
