//! What stands before a catalogue whose prices may be kept.

use crate::shop::{Catalogue, CatalogueRef, catalogue::PriceRaises};
use armilla::{Error, Orb, SystemException};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The component of references to catalogues: for how many seconds a price holds, in four octets.
/// One for the world outside would be asked of the OMG.
pub const PRICES_HOLD: u32 = 0x4558_0001;

/// The reference, which tells clients that its prices hold for so many seconds.
///
/// # Errors
/// When the reference cannot carry components.
pub fn prices_hold(plain: &CatalogueRef, seconds: u32) -> Result<CatalogueRef, SystemException> {
    plain.with_component(PRICES_HOLD, seconds.to_be_bytes())
}

/// Lets an ORB keep prices, wherever a reference says that it may.
pub fn install(orb: &Orb) {
    orb.register_stub_factory(PRICES_HOLD, |component, plain: CatalogueRef| {
        // A component that is not what it should be is none.
        let seconds = u32::from_be_bytes(component.try_into().ok()?);
        let (known, hold) = (Mutex::default(), Duration::from_secs(seconds.into()));
        Some(Arc::new(Cached { plain, known, hold }))
    });
}

/// A catalogue that remembers what it was told.
struct Cached {
    plain: CatalogueRef,
    known: Mutex<HashMap<String, (Instant, i32)>>,
    hold: Duration,
}

impl Catalogue for Cached {
    fn price(&self, item: &str) -> Result<i32, Error<PriceRaises>> {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = known().get(item).copied();
        match kept {
            Some((since, price)) if since.elapsed() < self.hold => return Ok(price),
            _ => {}
        }
        let price = self.plain.price(item)?;
        known().insert(item.to_owned(), (Instant::now(), price));
        Ok(price)
    }

    fn questions(&self) -> Result<i32, SystemException> {
        self.plain.questions()
    }
}
