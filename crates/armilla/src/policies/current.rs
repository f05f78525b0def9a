//! The policies of a thread (CORBA 3.4 Part 1, 8.9.3, `PolicyCurrent`).

use super::Policies;
use std::cell::RefCell;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

thread_local! {
    /// Those that are set with the numbers of their guards, the latest last.
    static OVERRIDES: RefCell<Vec<(u64, Policies)>> = const { RefCell::new(Vec::new()) };
}

/// How many are set in all threads and ORBs together: while it is none no call looks for them.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// The policies of the present thread.
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
    /// Sets policies for the calls that this thread makes until the guard is dropped. What they
    /// leave open is as it was set before.
    #[must_use = "the policies hold as long as the guard lives"]
    pub fn set(policies: Policies) -> PolicyGuard {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        OVERRIDES.with_borrow_mut(|set| set.push((number, policies)));
        add_override();
        PolicyGuard { number, thread: PhantomData }
    }

    /// What is set for the calls that this thread makes, and `None` for what the thread leaves open:
    /// `get_policy_overrides`. Another thread, which works for this one, can
    /// [set](Self::set) the same.
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
    pub fn policies() -> Policies {
        let mut all = Policies::default();
        each(|policies| all.complete(policies));
        all
    }
}

/// Keeps policies of a thread set; it stays in the thread.
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

/// Policies are set somewhere.
pub(crate) fn add_override() {
    COUNT.fetch_add(1, Ordering::Relaxed);
}

/// They are not set there any more.
pub(crate) fn remove_override() {
    COUNT.fetch_sub(1, Ordering::Relaxed);
}

/// Whether any thread has policies, or any ORB beside its settings.
#[inline]
pub(crate) fn any() -> bool {
    COUNT.load(Ordering::Relaxed) != 0
}

/// Hands the policies of the thread to `visit`, those first that were set last.
pub(crate) fn each(visit: impl FnMut(&Policies)) {
    OVERRIDES.with_borrow(|set| set.iter().rev().map(|(_, policies)| policies).for_each(visit));
}

/// The first answer of `get`, the policies that were set last being asked first.
pub(crate) fn find<T>(get: impl Fn(&Policies) -> Option<T>) -> Option<T> {
    OVERRIDES.with_borrow(|set| set.iter().rev().find_map(|(_, policies)| get(policies)))
}
