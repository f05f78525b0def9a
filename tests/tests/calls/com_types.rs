//! Structs, enums and successes of COM: what the compiler makes of them travels over DCOM.

use crate::com::served;
use crate::constructs::compiled::com_types::plant::{
    IRecorder, IRecorderProxy, IShelf, IShelfProxy, Stretch, i_recorder, i_shelf,
};
use crate::constructs::compiled::com_types::{Quality, Reading, Source};
use armilla_dcerpc::ndr::{ConformantVarying, Parameters};
use armilla_dcerpc::{ByteOrder, Status};
use armilla_dcom::automation::{Bstr, Date, Variant};
use std::sync::Mutex;

/// A reading whose handle is its place.
fn reading(handle: u32) -> Reading {
    let unit = (handle % 2 == 1).then(|| "°C".to_owned());
    let value = match handle {
        0 => Variant::Empty,
        _ => f64::from(handle).into(),
    };
    Reading { handle, quality: Quality::QUALITY_GOOD, unit, value, stamp: [1, 2] }
}

/// What has been recorded, and how much of it was read.
struct Recorder {
    at: Mutex<u32>,
}

const RECORDED: u32 = 5;

impl Recorder {
    fn pass(&self, count: u32) -> std::ops::Range<u32> {
        let mut at = self.at.lock().unwrap();
        let from = *at;
        *at = (from + count).min(RECORDED);
        from..*at
    }
}

fn whether(all: bool) -> Status {
    if all { Status::OK } else { Status::FALSE }
}

impl IRecorder for Recorder {
    fn next(&self, count: u32) -> Result<(Status, Vec<Reading>), Status> {
        let passed = self.pass(count);
        Ok((whether(passed.len() == count as usize), passed.map(reading).collect()))
    }

    fn skip(&self, count: u32) -> Result<Status, Status> {
        Ok(whether(self.pass(count).len() == count as usize))
    }

    fn last(&self, source: Source) -> Result<Reading, Status> {
        match source {
            Source::SOURCE_CACHE => Ok(reading(RECORDED - 1)),
            Source::SOURCE_DEVICE => Err(Status::FAIL),
            Source(other) => Ok(Reading { quality: Quality(other), ..reading(0) }),
        }
    }

    fn find(&self, like: Option<Reading>) -> Result<Option<Reading>, Status> {
        Ok(like.filter(|like| like.handle < RECORDED))
    }

    fn record(&self, stretch: Stretch) -> Result<Stretch, Status> {
        Ok(Stretch { complete: true, ..stretch })
    }

    fn forget(&self, count: u32, handles: Vec<u32>) -> Result<Vec<Quality>, Status> {
        match handles.len() == count as usize {
            true => Ok(handles.iter().map(|_| Quality::QUALITY_NONE).collect()),
            false => Err(Status::INVALID_ARGUMENT),
        }
    }
}

#[test]
fn a_success_that_is_not_all_comes_with_its_results() {
    let recorder = Recorder { at: Mutex::new(0) };
    let (_server, proxy) = served(i_recorder::object(recorder), i_recorder::IID);
    let recorder = IRecorderProxy(proxy);
    let (all, readings) = recorder.next(3).unwrap();
    assert_eq!((all, readings), (Status::OK, vec![reading(0), reading(1), reading(2)]));
    let (all, readings) = recorder.next(3).unwrap();
    assert_eq!((all, readings), (Status::FALSE, vec![reading(3), reading(4)]));
    assert_eq!(recorder.skip(0).unwrap(), Status::OK);
    assert_eq!(recorder.skip(1).unwrap(), Status::FALSE);
}

#[test]
fn structs_and_enums_are_what_they_were_when_they_arrive() {
    let recorder = Recorder { at: Mutex::new(0) };
    let (_server, proxy) = served(i_recorder::object(recorder), i_recorder::IID);
    let recorder = IRecorderProxy(proxy);
    assert_eq!(recorder.last(Source::SOURCE_CACHE).unwrap(), reading(4));
    // A failure has no results, and a value without a name is kept.
    assert_eq!(recorder.last(Source::SOURCE_DEVICE).unwrap_err().hresult(), Status::FAIL);
    assert_eq!(recorder.last(Source(77)).unwrap().quality, Quality(77));
    assert_eq!(recorder.find(Some(reading(1))).unwrap(), Some(reading(1)));
    assert_eq!(recorder.find(Some(reading(9))).unwrap(), None);
    assert_eq!(recorder.find(None).unwrap(), None);
    assert_eq!(recorder.forget(2, vec![1, 2]).unwrap(), [Quality::QUALITY_NONE; 2]);

    let stretch = Stretch {
        since: Date(1.0),
        until: Date(2.5),
        complete: false,
        source: Source::SOURCE_DEVICE,
        remarks: vec![Bstr::from("calm"), Bstr::null()],
        ends: [reading(1), reading(2)],
        worst: Some(reading(3)),
        all: (0..RECORDED).map(reading).collect(),
        count: RECORDED,
    };
    let whole = recorder.record(stretch.clone()).unwrap();
    assert_eq!(whole, Stretch { complete: true, ..stretch.clone() });
    let empty = Stretch { remarks: vec![], worst: None, all: vec![], count: 0, ..stretch };
    assert_eq!(recorder.record(empty.clone()).unwrap(), Stretch { complete: true, ..empty });
}

struct Shelf;

impl IShelf for Shelf {
    fn next(&self, count: u32) -> Result<(Vec<i32>, u32), Status> {
        match count {
            0 => Err(Status::INVALID_ARGUMENT),
            _ => Ok((vec![7], 1)),
        }
    }

    fn adjust(
        &self,
        level: Option<i32>,
        other: i32,
        note: Option<String>,
    ) -> Result<(Option<i32>, i32, Option<String>), Status> {
        Ok((level.map(|level| level + 1), other + 1, note.map(|note| note + "!")))
    }
}

/// Peers compare the size of an array with the parameter that `size_is` names, and refuse others.
#[test]
fn an_array_that_is_not_full_has_the_size_that_was_asked_for() {
    let (_server, proxy) = served(i_shelf::object(Shelf), i_shelf::IID);
    let next = |count| proxy.call_with_status::<i_shelf::Next>(&i_shelf::NextIn { count }).unwrap();
    let (taken, _) = next(9);
    assert_eq!(taken.numbers, ConformantVarying { maximum: 9, first: 0, values: vec![7] });
    let (taken, failed) = next(0);
    assert_eq!((taken.numbers.maximum, failed), (0, Status::INVALID_ARGUMENT));
}

/// A pointer that leads both ways and may be null travels, one that may not leaves no trace.
#[test]
fn pointers_that_lead_both_ways_are_where_midl_puts_them() {
    let (_server, proxy) = served(i_shelf::object(Shelf), i_shelf::IID);
    let shelf = IShelfProxy(proxy);
    let some = shelf.adjust(Some(1), 2, Some("low".to_owned())).unwrap();
    assert_eq!(some, (Some(2), 3, Some("low!".to_owned())));
    assert_eq!(shelf.adjust(None, 2, None).unwrap(), (None, 3, None));
    let given = i_shelf::AdjustIn { level: Some(5).into(), other: 6, note: None.into() };
    let octets = given.to_stub(ByteOrder::Little).unwrap();
    assert_eq!(octets[4..], [5, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0]);
    assert_ne!(octets[..4], [0; 4]);
}

#[test]
fn a_number_that_an_enum_of_16_bits_does_not_hold_is_not_sent() {
    let recorder = Recorder { at: Mutex::new(0) };
    let (_server, proxy) = served(i_recorder::object(recorder), i_recorder::IID);
    let error = IRecorderProxy(proxy).last(Source(-1)).unwrap_err();
    assert!(error.to_string().contains("Source"), "{error}");
}
