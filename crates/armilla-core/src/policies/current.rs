//! The policies of a thread (CORBA 3.4 Part 1, 8.9.3, `PolicyCurrent`).
//!
//! The policies of an ORB are in `runtime::policies`, those of a reference in `client`.

use super::Policies;
use std::cell::RefCell;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

thread_local! {
    /// The policies of this thread with the numbers of their guards, the latest last.
    static OVERRIDES: RefCell<Vec<(u64, Policies)>> = const { RefCell::new(Vec::new()) };
}

/// The number of overrides of all threads and ORBs. While it is 0, calls look for no overrides.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// The policies of the calling thread: `PolicyCurrent`.
///
/// ```
/// use armilla::{Policies, PolicyCurrent};
/// use std::time::Duration;
///
/// let limit = Some(Duration::from_millis(50));
/// let hurry = PolicyCurrent::set(Policies { round_trip_timeout: limit, ..Policies::default() });
/// // Calls that this thread makes here have 50 ms each.
/// drop(hurry);
/// ```
#[derive(Debug)]
pub struct PolicyCurrent(());

impl PolicyCurrent {
    /// Sets policies for the calls that this thread makes until the guard is dropped. A policy that
    /// is `None` keeps its previous value.
    #[must_use = "the policies apply until the guard is dropped"]
    #[doc(alias = "set_policy_overrides")]
    pub fn set(policies: Policies) -> PolicyGuard {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        OVERRIDES.with_borrow_mut(|set| set.push((number, policies)));
        add_override();
        PolicyGuard { number, thread: PhantomData }
    }

    /// The policies that this thread has set; `None` for the others: `get_policy_overrides`. A
    /// helper thread can [set](Self::set) the same policies.
    ///
    /// ```
    /// # use armilla::{Policies, PolicyCurrent, Rebind};
    /// let rebind = Some(Rebind::NoRebind);
    /// let _bound = PolicyCurrent::set(Policies { rebind, ..Policies::default() });
    /// let mine = PolicyCurrent::policies();
    /// let helper = std::thread::spawn(move || {
    ///     let _same = PolicyCurrent::set(mine);
    ///     // Calls that this thread makes here are bound too.
    /// });
    /// # helper.join().unwrap();
    /// ```
    #[doc(alias = "get_policy_overrides")]
    pub fn policies() -> Policies {
        let mut all = Policies::default();
        each(|policies| all.complete(policies));
        all
    }
}

/// Keeps policies of a thread set until it is dropped. It cannot leave the thread.
#[derive(Debug)]
pub struct PolicyGuard {
    number: u64,
    thread: PhantomData<*const ()>,
}

impl Drop for PolicyGuard {
    fn drop(&mut self) {
        OVERRIDES.with_borrow_mut(|set| set.retain(|(number, _)| *number != self.number));
        remove_override();
    }
}

/// Counts an override of a thread or an ORB.
pub fn add_override() {
    COUNT.fetch_add(1, Ordering::Relaxed);
}

/// Ends the count of an override.
pub fn remove_override() {
    COUNT.fetch_sub(1, Ordering::Relaxed);
}

/// Whether any thread or ORB has overrides.
#[inline]
pub fn any() -> bool {
    COUNT.load(Ordering::Relaxed) != 0
}

/// Passes the policies of the thread to `visit`, the latest first.
pub fn each(visit: impl FnMut(&Policies)) {
    OVERRIDES.with_borrow(|set| set.iter().rev().map(|(_, policies)| policies).for_each(visit));
}

/// The first result of `get` for the policies of the thread, the latest first.
pub fn find<T>(get: impl Fn(&Policies) -> Option<T>) -> Option<T> {
    OVERRIDES.with_borrow(|set| set.iter().rev().find_map(|(_, policies)| get(policies)))
}
