//! Real-time threads on Linux: their scheduling class, their memory, waiting for moments, and
//! mutexes that inherit priorities.
//!
//! [`Scheduling`] is the class and the priority of a thread. [`lock_memory`] and
//! [`reserve_stack`] take page faults out of its way. [`sleep_until`] waits for a moment of the
//! monotonic clock, so that a periodic thread does not drift. A [`PiMutex`] lends the priority of
//! the most urgent waiter to the thread that holds it; the mutexes of the standard library do not.
//!
//! ```
//! use armilla_ipc::real_time::{PiMutex, Scheduling};
//!
//! let shared = PiMutex::new(0);
//! std::thread::scope(|scope| {
//!     scope.spawn(|| {
//!         let asked = Scheduling::Fifo { priority: 10 };
//!         if let Err(error) = asked.apply() {
//!             println!("{error}"); // names the privilege that is missing
//!         }
//!         *shared.lock() += 1;
//!     });
//! });
//! assert_eq!(*shared.lock(), 1);
//! ```

mod clock;
mod futex;
mod kernel;
mod memory;
mod pi_mutex;
mod raw_pi_mutex;
mod scheduling;
mod semaphore;

pub use clock::{monotonic_now, set_timer_slack, sleep_until, thread_cpu_time, timer_slack};
pub use memory::{LockedMemory, PageFaults, lock_memory, page_faults, reserve_heap, reserve_stack};
pub use pi_mutex::{PiMutex, PiMutexGuard};
pub use raw_pi_mutex::{LockError, RawPiMutex};
pub use scheduling::{ParseSchedulingError, Scheduling, thread_id};
pub use semaphore::Semaphore;
