//! What replies left over, until clients fetch it.

use super::Servant;
use super::answer::{Answer, Wanted};
use crate::model::Attribute;
use armilla::{Error, ObjectId, Poa, SystemException};
use armilla_cos_trading::offer_id_iterator::MaxLeftRaises as IdsMaxLeftRaises;
use armilla_cos_trading::offer_iterator::MaxLeftRaises;
use armilla_cos_trading::{
    OfferIdIterator, OfferIdIteratorRef, OfferIdSeq, OfferIterator, OfferIteratorRef, OfferSeq,
    offer_id_iterator, offer_iterator,
};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

type Result<T, E = SystemException> = std::result::Result<T, E>;

/// The iterators that are active. A further one above the limit ends the one that was used least
/// recently: clients may go away without a word.
pub(super) struct Iterators {
    poa: Poa,
    limit: usize,
    /// One that is not used for so long ends.
    idle: Duration,
    used: Mutex<Used>,
}

/// When each iterator was used last, as a number that grows.
#[derive(Default)]
struct Used {
    clock: u64,
    by_time: BTreeMap<u64, (ObjectId, Instant)>,
    times: HashMap<ObjectId, u64>,
}

impl Used {
    /// Takes out the iterators above a limit, and those that are idle.
    fn take_old(&mut self, limit: usize, idle: Duration) -> Vec<ObjectId> {
        let mut old = Vec::new();
        while let Some(first) = self.by_time.first_entry() {
            let is_idle = first.get().1.elapsed() >= idle;
            if !is_idle && self.times.len() <= limit {
                break;
            }
            let (id, _) = first.remove();
            self.times.remove(&id);
            old.push(id);
        }
        old
    }
}

impl Iterators {
    pub(super) fn new(poa: Poa, limit: usize, idle: Duration) -> Arc<Self> {
        Arc::new(Self { poa, limit, idle, used: Mutex::default() })
    }

    fn used(&self) -> MutexGuard<'_, Used> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many there are. Ends those that are idle.
    pub(super) fn count(&self) -> usize {
        let (ended, count) = {
            let mut used = self.used();
            (used.take_old(usize::MAX, self.idle), used.times.len())
        };
        self.deactivate(&ended);
        count
    }

    /// Ends iterators that nobody has any more.
    fn deactivate(&self, ended: &[ObjectId]) {
        // An error means that the iterator has ended already.
        ended.iter().for_each(|id| drop(self.poa.deactivate(id)));
    }

    /// Notes that an iterator is used now. Ends others above the limit, and those that are idle.
    fn touch(&self, id: &ObjectId) {
        let ended = {
            let mut used = self.used();
            used.clock += 1;
            let now = used.clock;
            if let Some(before) = used.times.insert(id.clone(), now) {
                used.by_time.remove(&before);
            }
            used.by_time.insert(now, (id.clone(), Instant::now()));
            used.take_old(self.limit.max(1), self.idle)
        };
        self.deactivate(&ended);
    }

    fn end(&self, id: &ObjectId) {
        {
            let mut used = self.used();
            if let Some(time) = used.times.remove(id) {
                used.by_time.remove(&time);
            }
        }
        self.poa.deactivate(id).ok();
    }
}

/// What two kinds of iterators have in common: elements that are left, and an end.
struct Rest<T> {
    left: Mutex<Vec<T>>,
    iterators: Arc<Iterators>,
    id: OnceLock<ObjectId>,
}

impl<T> Rest<T> {
    fn new(servant: &Servant, mut elements: Vec<T>) -> Self {
        // The next ones are at the end, where they are cheap to take.
        elements.reverse();
        let iterators = servant.service.iterators.clone();
        Self { left: Mutex::new(elements), iterators, id: OnceLock::new() }
    }

    fn left(&self) -> MutexGuard<'_, Vec<T>> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn count(&self) -> u32 {
        u32::try_from(self.left().len()).unwrap_or(u32::MAX)
    }

    /// Takes up to `count` elements, and says whether there are more.
    fn take(&self, count: u32) -> (bool, Vec<T>) {
        if let Some(id) = self.id.get() {
            self.iterators.touch(id);
        }
        let mut left = self.left();
        let start = left.len().saturating_sub(count as usize);
        let mut taken = left.split_off(start);
        taken.reverse();
        (!left.is_empty(), taken)
    }

    fn end(&self) {
        if let Some(id) = self.id.get() {
            self.iterators.end(id);
        }
    }
}

/// An iterator over ids of offers.
#[derive(Clone)]
pub(super) struct Ids {
    servant: Servant,
    rest: Arc<Rest<String>>,
}

impl Ids {
    /// An iterator; nil if nothing is left.
    pub(super) fn iterator(servant: &Servant, ids: Vec<String>) -> Result<OfferIdIteratorRef> {
        if ids.is_empty() {
            return Ok(OfferIdIteratorRef::nil());
        }
        let iterators = &servant.service.iterators;
        let ids = Self { servant: servant.clone(), rest: Arc::new(Rest::new(servant, ids)) };
        let reference = iterators.poa.activate(offer_id_iterator::tie(ids.clone()))?;
        let id = ids.rest.id.get_or_init(|| {
            iterators.poa.reference_to_id(&reference).unwrap_or_else(|_| ObjectId::from(""))
        });
        iterators.touch(id);
        Ok(reference)
    }
}

impl OfferIdIterator for Ids {
    fn max_left(&self) -> Result<u32, Error<IdsMaxLeftRaises>> {
        Ok(self.rest.count())
    }

    fn next_n(&self, n: u32) -> Result<(bool, OfferIdSeq)> {
        Ok(self.rest.take(n.min(self.servant.number(Attribute::MaxList))))
    }

    fn destroy(&self) -> Result<()> {
        self.rest.end();
        Ok(())
    }
}

/// An iterator over offers. The values of dynamic properties are asked for when offers are taken.
#[derive(Clone)]
pub(super) struct Offers {
    servant: Servant,
    wanted: Arc<Wanted>,
    rest: Arc<Rest<Answer>>,
}

impl Offers {
    /// An iterator; nil if nothing is left.
    pub(super) fn iterator(
        servant: &Servant,
        wanted: Arc<Wanted>,
        answers: Vec<Answer>,
    ) -> Result<OfferIteratorRef> {
        if answers.is_empty() {
            return Ok(OfferIteratorRef::nil());
        }
        let iterators = &servant.service.iterators;
        let rest = Arc::new(Rest::new(servant, answers));
        let offers = Self { servant: servant.clone(), wanted, rest };
        let reference = iterators.poa.activate(offer_iterator::tie(offers.clone()))?;
        let id = offers.rest.id.get_or_init(|| {
            iterators.poa.reference_to_id(&reference).unwrap_or_else(|_| ObjectId::from(""))
        });
        iterators.touch(id);
        Ok(reference)
    }
}

impl OfferIterator for Offers {
    fn max_left(&self) -> Result<u32, Error<MaxLeftRaises>> {
        Ok(self.rest.count())
    }

    fn next_n(&self, n: u32) -> Result<(bool, OfferSeq)> {
        let (more, answers) = self.rest.take(n.min(self.servant.number(Attribute::MaxList)));
        Ok((more, self.servant.present(answers, &self.wanted)))
    }

    fn destroy(&self) -> Result<()> {
        self.rest.end();
        Ok(())
    }
}
