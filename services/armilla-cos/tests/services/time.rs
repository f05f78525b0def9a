//! Times and intervals, and what clocks are believed.

use armilla::{Error, ExceptionKind, Orb};
use armilla_cos::time::corba::time_service::{SecureUniversalTimeRaises, UniversalTimeRaises};
use armilla_cos::time::corba::{
    ComparisonType, OverlapType, TimeComparison, TimeService as _, Tio, UtcT, Uto,
};
use armilla_cos::time::model::{LARGEST_INACCURACY, UNIX, Utc, of_system};
use armilla_cos::time::{Clock, Reading, TimeOptions, TimeService};
use std::sync::{Arc, Mutex};
use std::time::{Duration, UNIX_EPOCH};

/// A clock that a test sets.
#[derive(Clone)]
pub(crate) struct Driven(pub(crate) Arc<Mutex<Reading>>);

impl Driven {
    pub(crate) fn new(inaccuracy: Option<u64>) -> Self {
        Self(Arc::new(Mutex::new(Reading { time: UNIX, inaccuracy, monotonic: 0 })))
    }

    /// Time passes.
    pub(crate) fn pass(&self, units: u64) {
        let mut reading = self.0.lock().unwrap();
        reading.time += units;
        reading.monotonic += units;
    }
}

impl Clock for Driven {
    fn read(&self) -> Reading {
        *self.0.lock().unwrap()
    }
}

fn serve(clock: Driven, change: impl FnOnce(&mut TimeOptions)) -> (Orb, TimeService) {
    let orb = Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
    let mut options = TimeOptions::default();
    change(&mut options);
    let service = TimeService::serve_clock(&orb, Arc::new(clock), options).unwrap();
    (orb, service)
}

#[test]
fn the_system_and_the_service_count_from_the_same_day() {
    assert_eq!(of_system(UNIX_EPOCH), UNIX);
    assert_eq!(of_system(UNIX_EPOCH + Duration::from_secs(1)), UNIX + 10_000_000);
    // 141,427 days from the first day of the Gregorian calendar to 1970.
    assert_eq!(UNIX, 141_427 * 86_400 * 10_000_000);
}

#[test]
fn times_compare_as_far_as_anybody_can_say() {
    let (orb, service) = serve(Driven::new(None), |_| ());
    let time =
        |time, inaccuracy| service.reference().new_universal_time(time, inaccuracy, 0).unwrap();
    for (one, other, interval, middle) in [
        ((100, 5), (111, 5), TimeComparison::TcLessThan, TimeComparison::TcLessThan),
        ((100, 5), (110, 5), TimeComparison::TcIndeterminate, TimeComparison::TcLessThan),
        ((111, 5), (100, 5), TimeComparison::TcGreaterThan, TimeComparison::TcGreaterThan),
        ((100, 0), (100, 0), TimeComparison::TcEqualTo, TimeComparison::TcEqualTo),
        ((100, 1), (100, 1), TimeComparison::TcIndeterminate, TimeComparison::TcEqualTo),
    ] {
        let (one, other) = (time(one.0, one.1), time(other.0, other.1));
        assert_eq!(one.compare_time(ComparisonType::IntervalC, &other), Ok(interval));
        assert_eq!(one.compare_time(ComparisonType::MidC, &other), Ok(middle));
    }
    let far = time(100, 5).time_to_interval(&time(90, 50)).unwrap().time_interval().unwrap();
    assert_eq!((far.lower_bound, far.upper_bound), (90, 100));
    orb.shutdown();
}

#[test]
fn intervals_overlap_or_have_a_gap() {
    let (orb, service) = serve(Driven::new(None), |_| ());
    let interval = |lower, upper| service.reference().new_interval(lower, upper).unwrap();
    for ((lower, upper), how, common) in [
        ((10, 20), OverlapType::OtContainer, (10, 20)),
        ((12, 15), OverlapType::OtContainer, (12, 15)),
        ((5, 30), OverlapType::OtContained, (10, 20)),
        ((15, 30), OverlapType::OtOverlap, (15, 20)),
        ((20, 30), OverlapType::OtOverlap, (20, 20)),
        ((25, 30), OverlapType::OtNoOverlap, (20, 25)),
        ((2, 4), OverlapType::OtNoOverlap, (4, 10)),
    ] {
        let (found, overlap) = interval(10, 20).overlaps(&interval(lower, upper)).unwrap();
        let overlap = overlap.time_interval().unwrap();
        assert_eq!((found, (overlap.lower_bound, overlap.upper_bound)), (how, common));
    }
    let middle = interval(10, 21).time().unwrap().utc_time().unwrap();
    assert_eq!((middle.time, middle.inacclo), (15, 6));
    let time = service.reference().new_universal_time(18, 4, 0).unwrap();
    assert_eq!(interval(10, 20).spans(&time).unwrap().0, OverlapType::OtOverlap);
    let backwards = service.reference().new_interval(2, 1).unwrap_err();
    assert_eq!(backwards.kind(), ExceptionKind::BadParam);
    assert_eq!(interval(0, u64::MAX).time().unwrap_err().kind(), ExceptionKind::DataConversion);
    orb.shutdown();
}

#[test]
fn a_time_is_what_its_reference_says() {
    let (orb, service) = serve(Driven::new(Some(7)), |it| it.displacement = 60);
    let wide = UtcT { time: 1, inacclo: 2, inacchi: 3, tdf: -60 };
    let time = service.reference().uto_from_utc(&wide).unwrap();
    assert_eq!(time.utc_time().unwrap(), wide);
    assert_eq!(time.inaccuracy(), Ok((3 << 32) + 2));
    let now = service.reference().universal_time().unwrap();
    let known = Utc { time: UNIX, inaccuracy: 7, displacement: 60 };
    assert_eq!((now.time(), now.inaccuracy(), now.tdf()), (Ok(UNIX), Ok(7), Ok(60)));
    assert_eq!(service.now(), Some(known));
    let later = service.reference().new_universal_time(100, 1, 0).unwrap().absolute_time().unwrap();
    assert_eq!((later.time(), later.inaccuracy()), (Ok(UNIX + 100), Ok(8)));
    let never = service.reference().new_universal_time(u64::MAX, 0, 0).unwrap();
    assert_eq!(never.absolute_time().unwrap_err().kind(), ExceptionKind::DataConversion);
    let vague = service.reference().new_universal_time(0, LARGEST_INACCURACY + 1, 0).unwrap_err();
    assert_eq!(vague.kind(), ExceptionKind::BadParam);
    orb.shutdown();
}

#[test]
fn a_clock_is_believed_as_far_as_it_follows_another_one_or_an_operator_says_so() {
    let unavailable =
        |result| matches!(result, Err(Error::User(UniversalTimeRaises::TimeUnavailable(_))));
    let insecure =
        |result| matches!(result, Err(Error::User(SecureUniversalTimeRaises::TimeUnavailable(_))));
    let second = Some(Duration::from_secs(1));
    for (kernel, told, is_secure, has_time, has_secure) in [
        (None, None, true, false, false),
        (None, second, true, true, false),
        (Some(9), None, false, true, false),
        (Some(9), None, true, true, true),
    ] {
        let (orb, service) =
            serve(Driven::new(kernel), |it| (it.inaccuracy, it.is_secure) = (told, is_secure));
        let reference = service.reference();
        assert_eq!(!unavailable(reference.universal_time()), has_time);
        assert_eq!(!insecure(reference.secure_universal_time()), has_secure);
        orb.shutdown();
    }
}
