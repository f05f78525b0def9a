//! The objects of the service. Times and intervals are what their ids say: they have no state, so
//! clients can make any number of them.

use super::clock::{Clock, SystemClock};
use super::corba::time_service::{SecureUniversalTimeRaises, UniversalTimeRaises};
use super::corba::{
    ComparisonType, IntervalT, OverlapType, TimeComparison, TimeService as TimeServiceInterface,
    TimeServiceRef, TimeUnavailable, Tio, TioRef, UtcT, Uto, UtoRef,
};
use super::corba::{time_service, tio, uto};
use super::model::{Interval, LARGEST_INACCURACY, Overlap, Units, Utc, units};
use armilla::{AnyServant, ExceptionKind, Orb, Poa, SystemException};
use std::cmp::Ordering;
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// The object key of the service in `corbaloc:` URLs.
pub const KEY: &str = "TimeService";

/// The POA above those of the service.
const ADAPTER: &str = "time";

/// What a time service says.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct TimeOptions {
    /// How inaccurate a clock is taken for that follows no other one. `None`, the default: nobody
    /// knows, and `universal_time` is not available.
    pub inaccuracy: Option<Duration>,
    /// Whether nobody can set the clock of this host who must not, so that its time is secure.
    /// Default: no.
    pub is_secure: bool,
    /// The displacement from Greenwich, in minutes. Default: 0.
    pub displacement: i16,
}

struct Shared {
    orb: Orb,
    clock: Arc<dyn Clock>,
    options: TimeOptions,
    poas: OnceLock<(Poa, Poa)>,
}

/// A time service in an ORB. Clones are the same. Any thread may call it.
///
/// ```
/// use armilla::Orb;
/// use armilla_cos::time::corba::{TimeService as _, Uto};
/// use armilla_cos::time::{TimeOptions, TimeService};
///
/// let orb = Orb::builder().listen("iiop://127.0.0.1:0")?.build()?;
/// let service = TimeService::serve(&orb, TimeOptions::default())?;
/// let second = service.reference().new_universal_time(10_000_000, 0, 0)?;
/// let in_a_second = second.absolute_time()?;
/// assert!(in_a_second.time()? > second.time()?);
/// # orb.shutdown();
/// # Ok::<(), armilla::SystemException>(())
/// ```
#[derive(Clone)]
pub struct TimeService {
    shared: Arc<Shared>,
    reference: TimeServiceRef,
    url: String,
}

impl TimeService {
    /// Makes the objects of the service, over the clock of the system.
    ///
    /// # Errors
    /// `INITIALIZE` when the ORB cannot listen.
    pub fn serve(orb: &Orb, options: TimeOptions) -> Result<Self, SystemException> {
        Self::serve_clock(orb, Arc::new(SystemClock::new()), options)
    }

    /// The same over another clock.
    ///
    /// # Errors
    /// As [`serve`](Self::serve).
    pub fn serve_clock(
        orb: &Orb,
        clock: Arc<dyn Clock>,
        options: TimeOptions,
    ) -> Result<Self, SystemException> {
        let poas = OnceLock::new();
        let shared = Arc::new(Shared { orb: orb.clone(), clock, options, poas });
        let poa = orb.root_poa().create_poa(ADAPTER).persistent().user_ids().build()?;
        let child = |name: &str, servant: AnyServant| {
            let child = poa.create_poa(name).persistent().user_ids().default_servant(servant);
            child.manager(poa.manager()).build().map_err(SystemException::from)
        };
        let times = child("times", uto::tie(Times(shared.clone())).into())?;
        let intervals = child("intervals", tio::tie(Times(shared.clone())).into())?;
        shared.poas.set((times, intervals)).ok();
        let service = time_service::tie(Times(shared.clone()));
        let reference = poa.activate_with_id("service", service)?;
        let url = orb.publish(KEY, &reference)?;
        Ok(Self { shared, reference, url })
    }

    /// The service as an object.
    pub const fn reference(&self) -> &TimeServiceRef {
        &self.reference
    }

    /// The URL of the service, `corbaloc::HOST:PORT/TimeService`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The clock.
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.shared.clock
    }

    /// A time as an object.
    ///
    /// # Errors
    /// Those of making a reference.
    pub fn time(&self, time: Utc) -> Result<UtoRef, SystemException> {
        self.shared.time(time)
    }

    /// The time now, if it is known how inaccurate it is.
    pub fn now(&self) -> Option<Utc> {
        self.shared.now()
    }
}

impl fmt::Debug for TimeService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TimeService").field("url", &self.url).finish_non_exhaustive()
    }
}

impl Shared {
    fn now(&self) -> Option<Utc> {
        let reading = self.clock.read();
        let inaccuracy = reading.inaccuracy.or(self.options.inaccuracy.map(units))?;
        let inaccuracy = inaccuracy.min(LARGEST_INACCURACY);
        Some(Utc { time: reading.time, inaccuracy, displacement: self.options.displacement })
    }

    fn poas(&self) -> Result<&(Poa, Poa), SystemException> {
        self.poas.get().ok_or_else(SystemException::object_not_exist)
    }

    fn time(&self, time: Utc) -> Result<UtoRef, SystemException> {
        let id = [&time.time.to_be_bytes()[..], &time.inaccuracy.to_be_bytes()];
        let id = [&id.concat()[..], &time.displacement.to_be_bytes()].concat();
        Ok(self.poas()?.0.create_reference_with_id::<dyn Uto>(id)?)
    }

    fn interval(&self, interval: Interval) -> Result<TioRef, SystemException> {
        let id = [interval.lower.to_be_bytes(), interval.upper.to_be_bytes()].concat();
        Ok(self.poas()?.1.create_reference_with_id::<dyn Tio>(id)?)
    }
}

/// Reads a number of an id.
fn take<const N: usize>(id: &mut &[u8]) -> Result<[u8; N], SystemException> {
    let (taken, rest) = id.split_first_chunk().ok_or_else(SystemException::object_not_exist)?;
    *id = rest;
    Ok(*taken)
}

struct Times(Arc<Shared>);

impl Times {
    /// The time that is called.
    fn called(&self) -> Result<Utc, SystemException> {
        let current = self.0.orb.poa_current()?;
        let mut id = current.object_id().as_bytes();
        let (time, inaccuracy) = (take(&mut id)?, take(&mut id)?);
        let displacement = i16::from_be_bytes(take(&mut id)?);
        let inaccuracy = Units::from_be_bytes(inaccuracy).min(LARGEST_INACCURACY);
        Ok(Utc { time: Units::from_be_bytes(time), inaccuracy, displacement })
    }

    /// The interval that is called.
    fn called_interval(&self) -> Result<Interval, SystemException> {
        let current = self.0.orb.poa_current()?;
        let mut id = current.object_id().as_bytes();
        let (lower, upper) = (take(&mut id)?, take(&mut id)?);
        let interval = Interval::new(Units::from_be_bytes(lower), Units::from_be_bytes(upper));
        interval.ok_or_else(SystemException::object_not_exist)
    }

    fn overlap(
        &self,
        this: Interval,
        other: Interval,
    ) -> Result<(OverlapType, TioRef), SystemException> {
        let (how, common) = this.overlap(other);
        let how = match how {
            Overlap::Container => OverlapType::OtContainer,
            Overlap::Contained => OverlapType::OtContained,
            Overlap::Overlap => OverlapType::OtOverlap,
            Overlap::None => OverlapType::OtNoOverlap,
        };
        Ok((how, self.0.interval(common)?))
    }
}

/// A time in IDL.
pub(crate) const fn wire(time: Utc) -> UtcT {
    UtcT {
        time: time.time,
        inacclo: time.inaccuracy as u32,
        inacchi: (time.inaccuracy >> 32) as u16,
        tdf: time.displacement,
    }
}

/// The time that IDL tells.
pub(crate) const fn utc(time: &UtcT) -> Utc {
    let inaccuracy = ((time.inacchi as Units) << 32) | time.inacclo as Units;
    Utc { time: time.time, inaccuracy, displacement: time.tdf }
}

/// The time of an object, which may be of another service.
pub(crate) fn told(time: &UtoRef) -> Result<Utc, SystemException> {
    match time.is_nil() {
        true => Err(ExceptionKind::BadParam.because("no time is given")),
        false => Ok(utc(&time.utc_time()?)),
    }
}

fn too_late() -> SystemException {
    ExceptionKind::DataConversion.because("the time is later than any that has a number")
}

impl Uto for Times {
    fn time(&self) -> Result<u64, SystemException> {
        Ok(self.called()?.time)
    }

    fn inaccuracy(&self) -> Result<u64, SystemException> {
        Ok(self.called()?.inaccuracy)
    }

    fn tdf(&self) -> Result<i16, SystemException> {
        Ok(self.called()?.displacement)
    }

    fn utc_time(&self) -> Result<UtcT, SystemException> {
        Ok(wire(self.called()?))
    }

    fn absolute_time(&self) -> Result<UtoRef, SystemException> {
        let relative = self.called()?;
        let reading = self.0.clock.read();
        let time = reading.time.checked_add(relative.time).ok_or_else(too_late)?;
        // Where nobody knows the inaccuracy of the clock, that of the relative time is all there is.
        let now = self.0.now().map_or(0, |now| now.inaccuracy);
        let inaccuracy = relative.inaccuracy.saturating_add(now).min(LARGEST_INACCURACY);
        self.0.time(Utc { time, inaccuracy, displacement: relative.displacement })
    }

    fn compare_time(
        &self,
        comparison: ComparisonType,
        other: &UtoRef,
    ) -> Result<TimeComparison, SystemException> {
        let with_inaccuracies = comparison == ComparisonType::IntervalC;
        Ok(match self.called()?.compare(told(other)?, with_inaccuracies) {
            Some(Ordering::Less) => TimeComparison::TcLessThan,
            Some(Ordering::Equal) => TimeComparison::TcEqualTo,
            Some(Ordering::Greater) => TimeComparison::TcGreaterThan,
            None => TimeComparison::TcIndeterminate,
        })
    }

    fn time_to_interval(&self, other: &UtoRef) -> Result<TioRef, SystemException> {
        self.0.interval(self.called()?.to(told(other)?))
    }

    fn interval(&self) -> Result<TioRef, SystemException> {
        self.0.interval(self.called()?.interval())
    }
}

impl Tio for Times {
    fn time_interval(&self) -> Result<IntervalT, SystemException> {
        let Interval { lower, upper } = self.called_interval()?;
        Ok(IntervalT { lower_bound: lower, upper_bound: upper })
    }

    fn spans(&self, time: &UtoRef) -> Result<(OverlapType, TioRef), SystemException> {
        let this = self.called_interval()?;
        self.overlap(this, told(time)?.interval())
    }

    fn overlaps(&self, interval: &TioRef) -> Result<(OverlapType, TioRef), SystemException> {
        let this = self.called_interval()?;
        if interval.is_nil() {
            return Err(ExceptionKind::BadParam.because("no interval is given"));
        }
        let IntervalT { lower_bound, upper_bound } = interval.time_interval()?;
        let other = Interval::new(lower_bound, upper_bound);
        let backwards = || ExceptionKind::BadParam.because("the interval ends before it begins");
        self.overlap(this, other.ok_or_else(backwards)?)
    }

    fn time(&self) -> Result<UtoRef, SystemException> {
        let time = self.called_interval()?.time();
        self.0.time(time.ok_or_else(|| {
            ExceptionKind::DataConversion.because("the interval is longer than any inaccuracy")
        })?)
    }
}

impl TimeServiceInterface for Times {
    fn universal_time(&self) -> Result<UtoRef, armilla::Error<UniversalTimeRaises>> {
        let now = self.0.now().ok_or(TimeUnavailable {})?;
        Ok(self.0.time(now)?)
    }

    fn secure_universal_time(&self) -> Result<UtoRef, armilla::Error<SecureUniversalTimeRaises>> {
        // A clock that follows no other one may be anywhere, whatever it is taken for.
        let follows = self.0.clock.read().inaccuracy.is_some();
        let now = self.0.now().filter(|_| follows && self.0.options.is_secure);
        Ok(self.0.time(now.ok_or(TimeUnavailable {})?)?)
    }

    fn new_universal_time(
        &self,
        time: u64,
        inaccuracy: u64,
        displacement: i16,
    ) -> Result<UtoRef, SystemException> {
        if inaccuracy > LARGEST_INACCURACY {
            return Err(ExceptionKind::BadParam.because("an inaccuracy has 48 bits"));
        }
        self.0.time(Utc { time, inaccuracy, displacement })
    }

    fn uto_from_utc(&self, time: &UtcT) -> Result<UtoRef, SystemException> {
        self.0.time(utc(time))
    }

    fn new_interval(&self, lower: u64, upper: u64) -> Result<TioRef, SystemException> {
        let interval = Interval::new(lower, upper);
        let backwards = || ExceptionKind::BadParam.because("the interval ends before it begins");
        self.0.interval(interval.ok_or_else(backwards)?)
    }
}
