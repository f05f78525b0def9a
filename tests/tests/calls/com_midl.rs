//! A file as Windows programs have it (MIDL): its unions, pointers and arrays travel over DCOM.

use crate::com::served;
use crate::constructs::compiled::com_midl::{
    Date, Filetime, IOwn, IOwnProxy, IValve, IValveProxy, Kind, Part, PartWhat, Point, Rect, Value,
    ValueList, i_own, i_valve, part, value, valve, valve_events,
};
use armilla_dcerpc::ndr::{from_stub, to_stub};
use armilla_dcerpc::{ByteOrder, Status};
use armilla_dcom::InterfacePointer;
use std::sync::Mutex;

/// A part, and those behind it.
fn chain(length: u16) -> Option<Box<Part>> {
    let kind = length.checked_sub(1)?;
    let what = match kind {
        1 | 2 => PartWhat::Number(kind, 40 + i32::from(kind)),
        3 => PartWhat::Valve(None),
        _ => PartWhat::Nothing(kind),
    };
    let since = Filetime { dw_low_date_time: 1, dw_high_date_time: 2 };
    let label = (kind != 2).then(|| b"part".to_vec());
    let shared = (kind == 2).then_some(7);
    let octets = vec![kind as u8; usize::from(kind) * 2];
    let size = u32::from(kind);
    Some(Box::new(Part { next: chain(kind), since, shared, label, kind, what, size, octets }))
}

struct Valve(Mutex<f64>);

impl IValve for Valve {
    fn get_open(&self) -> Result<f64, Status> {
        Ok(*self.0.lock().unwrap())
    }

    fn put_open(&self, fraction: f64) -> Result<(), Status> {
        *self.0.lock().unwrap() = fraction;
        Ok(())
    }

    fn remote_here(&self, count: u32) -> Result<(Vec<u8>, u32), Status> {
        Ok((vec![9; count as usize / 2], count / 2 + 1))
    }

    fn parts(
        &self,
        parts: Vec<Option<Box<Part>>>,
        last: i32,
    ) -> Result<(u32, Vec<Option<Box<Part>>>), Status> {
        let whole = parts.len() == last as usize + 1;
        whole.then_some((parts.len() as u32, parts)).ok_or(Status::INVALID_ARGUMENT)
    }

    fn say(&self, value: Value, how: i32) -> Result<Value, Status> {
        match how {
            0 => Err(Status::FAIL),
            _ => Ok(value),
        }
    }

    fn next(
        &self,
        next: Option<InterfacePointer>,
        without: u32,
    ) -> Result<Option<InterfacePointer>, Status> {
        Ok(next.filter(|_| without == 0))
    }
}

#[test]
fn what_midl_declares_goes_there_and_comes_back() {
    let (_server, proxy) = served(i_valve::object(Valve(Mutex::new(0.5))), i_valve::IID);
    let valve = IValveProxy(proxy);
    valve.put_open(0.75).unwrap();
    assert_eq!(valve.get_open().unwrap(), 0.75);
    assert_eq!(valve.remote_here(8).unwrap(), (vec![9; 4], 5));
    assert_eq!(valve.next(None, 0).unwrap(), None);

    let parts = vec![chain(5), None, chain(1)];
    assert_eq!(valve.parts(parts.clone(), 2).unwrap(), (3, parts));
    assert_eq!(valve.parts(vec![None], 2).unwrap_err().hresult(), Status::INVALID_ARGUMENT);

    let list = ValueList { count: 2, numbers: vec![-1, 1] };
    let values = [
        Value::Level(1.5),
        Value::Name(Some("Füllstand".to_owned())),
        Value::List(Kind::KIND_BOTH, list),
        Value::Nothing(Kind(7)),
    ];
    for value in values {
        assert_eq!(valve.say(value.clone(), 1).unwrap(), value);
        assert_eq!(valve.say(value, 0).unwrap_err().hresult(), Status::FAIL);
    }
}

#[test]
fn the_arm_of_a_union_lies_where_the_largest_one_would() {
    let level = value::Wire::from(Value::Level(1.5));
    let mut octets = vec![1, 0, 0, 0, 0, 0, 0, 0];
    octets.extend(1.5f64.to_le_bytes());
    assert_eq!(to_stub(&level, ByteOrder::Little).unwrap(), octets);
    // Four, then a pointer: the tag says which arm, and another one is refused.
    octets[0] = 3;
    assert!(from_stub::<value::Wire>(&octets, ByteOrder::Little).is_err());
    let wrong = value::Wire::List(Kind::KIND_LEVEL, Default::default());
    assert!(to_stub(&wrong, ByteOrder::Little).is_err());
}

#[test]
fn the_size_of_an_array_stands_before_the_struct_that_it_ends() {
    for order in [ByteOrder::Little, ByteOrder::Big] {
        let whole = *chain(4).unwrap();
        let octets = to_stub(&part::Wire::from(whole.clone()), order).unwrap();
        let count = <[u8; 4]>::try_from(&octets[..4]).unwrap();
        let count = match order {
            ByteOrder::Little => u32::from_le_bytes(count),
            ByteOrder::Big => u32::from_be_bytes(count),
        };
        assert_eq!(count, 6);
        let back: part::Wire = from_stub(&octets, order).unwrap();
        assert_eq!(Part::from(back), whole);
        for end in 0..octets.len() {
            assert!(from_stub::<part::Wire>(&octets[..end], order).is_err());
        }
    }
}

#[test]
fn classes_and_events_have_their_numbers() {
    assert_eq!(valve::CLSID.to_string(), "6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1d54");
    assert_eq!((valve_events::FRACTION, valve_events::MOVED), (1, 16));
}

struct Own;

impl IOwn for Own {
    fn r#where(&self, at: Date, within: Rect) -> Result<Point, Status> {
        Ok(Point { x: at.year.into(), y: at.day.into(), z: within.right.into() })
    }
}

/// What a file declares is meant, though Windows has something else of that name.
#[test]
fn names_of_windows_have_the_meaning_that_a_file_gives_them() {
    let (_server, proxy) = served(i_own::object(Own), i_own::IID);
    let within = Rect { left: 0, top: 0, right: 9, bottom: 9 };
    let place = IOwnProxy(proxy).r#where(Date { year: 2026, day: 7 }, within).unwrap();
    assert_eq!(place, Point { x: 2026.0, y: 7.0, z: 9.0 });
}
