//! Bringing what a worklist names before anybody asks for it.

use super::keeping::Keeping;
use crate::audit::time;
use crate::idl::{Level, Query, Source};
use crate::query::everything;
use armilla::SystemException;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Which studies are brought before anybody asks for them, the latest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worklist {
    /// Those of so many days, today included.
    pub days: u64,
    /// Those with images of this modality; empty for any.
    pub modality: String,
    /// How many octets at most; what readers have asked for needs the rest.
    pub octets: u64,
    /// Today, in seconds since 1970.
    pub today: u64,
}

/// How many studies a worklist has at most.
const MOST: u32 = 1000;

/// Brings images until the octets of the worklist are used; those that are here count, too.
pub(super) fn prefetch(keeping: &Keeping, worklist: &Worklist) -> Result<usize, SystemException> {
    let first = worklist.today.saturating_sub(86_400 * worklist.days.saturating_sub(1));
    let day = time(UNIX_EPOCH + Duration::from_secs(first));
    let from = day[..10].replace('-', "");
    let modality = worklist.modality.clone();
    let query = Query { from, modality, limit: MOST, ..everything() };
    let (studies, _) = keeping.behind().groups(&query, Level::Studies)?;
    let (mut left, mut came) = (worklist.octets, 0);
    for study in studies {
        let wanted = Query { study: study.first.study, ..everything() };
        let (images, _) = keeping.behind().find(&wanted)?;
        for image in images {
            if image.size > left {
                return Ok(came);
            }
            left -= image.size;
            if keeping.store().image(&image.uid).is_some() {
                continue;
            }
            match keeping.ensure(&image.uid) {
                Ok(()) => came += 1,
                Err(why) => tracing::info!(uid = image.uid, why, "an image was not brought"),
            }
        }
    }
    Ok(came)
}

impl Worklist {
    /// The studies of so many days until now.
    pub fn of_days(days: u64, modality: &str, octets: u64) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self { days, modality: modality.to_owned(), octets, today: now.as_secs() }
    }
}
