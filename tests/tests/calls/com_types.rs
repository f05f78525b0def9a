//! Structs, enums and successes of COM: what the compiler makes of them travels over DCOM.

use crate::com::served;
use crate::constructs::compiled::com_types::plant::{
    IRecorder, IRecorderProxy, Stretch, i_recorder,
};
use crate::constructs::compiled::com_types::{Quality, Reading, Source};
use armilla_dcerpc::Status;
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

#[test]
fn a_number_that_an_enum_of_16_bits_does_not_hold_is_not_sent() {
    let recorder = Recorder { at: Mutex::new(0) };
    let (_server, proxy) = served(i_recorder::object(recorder), i_recorder::IID);
    let error = IRecorderProxy(proxy).last(Source(-1)).unwrap_err();
    assert!(error.to_string().contains("Source"), "{error}");
}
