//! Work for several peers at once, of which some may be silent.

use crate::causality;
use alloc::string::ToString;
use alloc::vec::Vec;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// How many peers are asked at once. One that is silent takes the whole time of its operation.
const AT_ONCE: usize = 8;

/// Does something with each of these, by several threads if there are several. All belong to the chain
/// of calls of this thread.
pub(crate) fn each<T: Send>(all: Vec<T>, act: impl Fn(T) + Sync) {
    let threads = all.len().min(AT_ONCE);
    let (left, chain) = (Mutex::new(all.into_iter()), causality::current_causality());
    let user = causality::current_user();
    let work = || loop {
        let next = left.lock().unwrap_or_else(PoisonError::into_inner).next();
        let Some(one) = next else { return };
        act(one);
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            let further = thread::Builder::new().name("dcom-client".to_string());
            // With fewer threads it takes longer.
            let _ = further.spawn_scoped(scope, || causality::within(chain, user.clone(), work));
        }
        causality::within(chain, user.clone(), work);
    });
}
