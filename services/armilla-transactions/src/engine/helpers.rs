//! Threads that call participants beside the thread that ends a transaction: their disks and networks
//! are waited for at the same time.

use super::entry::lock;
use std::collections::VecDeque;
use std::sync::mpsc;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

/// The most threads. Where all are at work, whoever ends a transaction makes the calls itself.
const MOST: usize = 16;

type Job = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct State {
    /// The threads that wait for a job.
    idle: usize,
    jobs: VecDeque<Job>,
    threads: Vec<JoinHandle<()>>,
    ended: bool,
}

/// The helpers of a process. They are started when they are needed.
#[derive(Default)]
pub(super) struct Helpers {
    state: Mutex<State>,
    changed: Condvar,
}

impl Helpers {
    /// Does all, and returns the results in no order. A piece of work that panics has none.
    pub(super) fn run<T: Send + 'static>(
        self: &Arc<Self>,
        works: Vec<impl FnOnce() -> T + Send + 'static>,
    ) -> Vec<T> {
        let (results, done) = mpsc::channel();
        let mut works = works.into_iter();
        let first = works.next();
        let mut own = Vec::new();
        for work in works {
            let results = results.clone();
            // Whoever asked waits for it.
            let job: Job = Box::new(move || drop(results.send(work())));
            own.extend(self.offer(job).err());
        }
        drop(results);
        let mut all: Vec<T> = first.into_iter().map(|work| work()).collect();
        own.into_iter().for_each(|job| job());
        all.extend(done);
        all
    }

    /// Gives a job to a helper. It comes back if none is free.
    fn offer(self: &Arc<Self>, job: Job) -> Result<(), Job> {
        let mut state = lock(&self.state);
        if state.ended {
            return Err(job);
        }
        if state.idle <= state.jobs.len() {
            if state.threads.len() >= MOST {
                return Err(job);
            }
            let helpers = self.clone();
            let named = thread::Builder::new().name("transactions".to_owned());
            match named.spawn(move || helpers.help()) {
                Ok(thread) => state.threads.push(thread),
                Err(_) => return Err(job),
            }
            // It waits at once.
            state.idle += 1;
        }
        state.jobs.push_back(job);
        self.changed.notify_one();
        Ok(())
    }

    fn help(&self) {
        let mut state = lock(&self.state);
        loop {
            if let Some(job) = state.jobs.pop_front() {
                state.idle -= 1;
                drop(state);
                job();
                state = lock(&self.state);
                state.idle += 1;
                continue;
            }
            if state.ended {
                return;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Ends the threads. Returns them, so that somebody waits for them.
    pub(super) fn end(&self) -> Vec<JoinHandle<()>> {
        let mut state = lock(&self.state);
        state.ended = true;
        self.changed.notify_all();
        std::mem::take(&mut state.threads)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;

    #[test]
    fn pieces_of_work_run_side_by_side() {
        let helpers = Arc::<Helpers>::default();
        let barrier = Arc::new(Barrier::new(3));
        let wait = |_| {
            let barrier = barrier.clone();
            // It returns once all three are there.
            move || barrier.wait().is_leader()
        };
        assert_eq!(helpers.run((0..3).map(wait).collect()).len(), 3);
        helpers.end().into_iter().for_each(|thread| thread.join().unwrap());
    }

    #[test]
    fn whoever_finds_no_free_helper_does_all_itself() {
        let helpers = Arc::<Helpers>::default();
        let count = |number: usize| (0..number).map(|it| move || it).collect::<Vec<_>>();
        let mut all = helpers.run(count(10 * MOST));
        all.sort_unstable();
        assert_eq!(all, (0..10 * MOST).collect::<Vec<_>>());
        helpers.end().into_iter().for_each(|thread| thread.join().unwrap());
        assert_eq!(helpers.run(count(3)).len(), 3);
    }
}
