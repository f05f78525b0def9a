//! Arrays of COM and what says how many elements they have: neither end sends nor believes what does not
//! agree (MIDL's `size_is`, `max_is`, `length_is`).

use crate::com::served;
use crate::constructs::compiled::com_types::plant::i_counter::{
    self, FillOut, MakeOut, NestIn, PassIn, PerhapsIn, SumIn, SumOut, TrimIn, TrimOut,
};
use crate::constructs::compiled::com_types::plant::i_part::{self, MoveIn, MoveOut};
use crate::constructs::compiled::com_types::plant::{
    Batch, ICounter, ICounterProxy, IPart, IPartProxy, Part, batch, part,
};
use armilla_dcerpc::ndr::{ConformantVarying, Ndr, Operation, Parameters, Unique};
use armilla_dcerpc::{ByteOrder, Status, Uuid};
use armilla_dcom::server::{Object, ObjectCall};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// How often it was called is the first thing that it counts.
#[derive(Default)]
struct Counter(Arc<AtomicU32>);

impl Counter {
    fn called(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl ICounter for Counter {
    fn sum(&self, count: u32, numbers: Vec<i32>) -> Result<i32, Status> {
        self.called();
        assert_eq!(count as usize, numbers.len());
        Ok(numbers.iter().sum())
    }

    fn perhaps(&self, _: u32, numbers: Vec<i32>) -> Result<u32, Status> {
        self.called();
        Ok(numbers.len() as u32)
    }

    /// As many as it is told to give, whatever the size is; a failure for fewer than none.
    fn fill(&self, _: u32, give: i32) -> Result<Vec<i32>, Status> {
        self.called();
        if give < 0 { Err(Status::FAIL) } else { Ok((0..give).collect()) }
    }

    fn make(&self, give: i32) -> Result<(u32, Vec<i32>), Status> {
        self.called();
        Ok((2, (0..give).collect()))
    }

    fn trim(&self, count: u32, numbers: Vec<i32>) -> Result<(u32, Vec<i32>), Status> {
        self.called();
        let less = numbers.len().saturating_sub(1);
        Ok((count.saturating_sub(1), numbers[..less].to_vec()))
    }

    fn nest(&self, _: u16, _: Option<u16>, table: Vec<Vec<i32>>) -> Result<i32, Status> {
        self.called();
        Ok(table.iter().flatten().sum())
    }

    fn pass(&self, batch: Batch) -> Result<Batch, Status> {
        self.called();
        Ok(batch)
    }
}

fn batch() -> Batch {
    let (pairs, some, tail) = (vec![1, 2, 3, 4], vec![7], vec![8, 9]);
    Batch { half: 2, pairs, room: 5, used: 1, some, last: 1, tail }
}

#[test]
fn an_array_that_is_not_as_long_as_its_size_is_not_sent() {
    let calls = Arc::<AtomicU32>::default();
    let counter = i_counter::object(Counter(calls.clone()));
    let (_server, proxy) = served(counter, i_counter::IID);
    let counter = ICounterProxy(proxy);
    let refused = |error: armilla_dcom::client::Error, says: &str| {
        let text = error.to_string();
        assert!(text.contains(says), "{text}");
        assert_eq!(error.hresult(), Status::INVALID_ARGUMENT);
    };
    let sum = "`numbers` has 2 elements, and `size_is(count)` says 3";
    refused(counter.sum(3, vec![1, 2]).unwrap_err(), sum);
    refused(counter.sum(3, vec![]).unwrap_err(), "`numbers` has 0 elements");
    refused(counter.sum(u32::MAX, vec![1]).unwrap_err(), "says 4294967295");
    refused(counter.perhaps(3, vec![1]).unwrap_err(), "`numbers` has 1 elements");
    refused(counter.trim(0, vec![1]).unwrap_err(), "`size_is(*count)` says 0");
    let table = || vec![vec![1, 2], vec![3]];
    refused(counter.nest(2, Some(4), table()).unwrap_err(), "`table` has 1 elements");
    refused(counter.nest(3, Some(4), table()).unwrap_err(), "`size_is(rows)` says 3");
    refused(counter.nest(2, None, table()).unwrap_err(), "`size_is(*columns>>1)` says no number");
    let passed = |batch, says| refused(counter.pass(batch).unwrap_err(), says);
    passed(
        Batch { half: 3, ..batch() },
        "`Batch.pairs` has 4 elements, and `size_is(half*2)` says 6",
    );
    passed(
        Batch { used: 2, ..batch() },
        "`Batch.some` has 1 elements, and `length_is(used)` says 2",
    );
    passed(Batch { room: 0, ..batch() }, "`Batch.some` has 1 elements, and `size_is(room)` says 0");
    passed(Batch { last: 2, ..batch() }, "`Batch.tail` has 2 elements, and `max_is(last)` says 3");
    assert_eq!(calls.load(Ordering::Relaxed), 0);

    assert_eq!(counter.sum(3, vec![1, 2, 3]).unwrap(), 6);
    assert_eq!(counter.sum(0, vec![]).unwrap(), 0);
    assert_eq!(counter.trim(2, vec![1, 2]).unwrap(), (1, vec![1]));
    assert_eq!(counter.nest(2, Some(5), vec![vec![1, 2], vec![3, 4]]).unwrap(), 10);
    assert_eq!(counter.pass(batch()).unwrap(), batch());
}

/// A pointer that may be null is null where its array is empty and its size is not 0.
#[test]
fn an_array_that_may_be_missing_is() {
    let (_server, proxy) = served(i_counter::object(Counter::default()), i_counter::IID);
    let counter = ICounterProxy(proxy);
    assert_eq!(counter.perhaps(3, vec![]).unwrap(), 0);
    assert_eq!(counter.perhaps(0, vec![]).unwrap(), 0);
    let missing = Batch { pairs: vec![], used: 4, some: vec![], ..batch() };
    assert_eq!(counter.pass(missing.clone()).unwrap(), missing);
    let sent = batch::Wire::from(missing);
    assert_eq!((sent.pairs, sent.some), (Unique::NULL, Unique::NULL));
    let room = batch::Wire::from(Batch { used: 0, some: vec![], ..batch() });
    assert_eq!(room.some, Unique::new(ConformantVarying { maximum: 5, first: 0, values: vec![] }));
}

/// The stub of parameters with some other number at an offset.
fn patched<T: Parameters>(given: &T, order: ByteOrder, at: usize, number: u32) -> Vec<u8> {
    let mut stub = given.to_stub(order).unwrap();
    let octets = match order {
        ByteOrder::Little => number.to_le_bytes(),
        ByteOrder::Big => number.to_be_bytes(),
    };
    stub[at..at + 4].copy_from_slice(&octets);
    stub
}

#[test]
fn octets_whose_sizes_do_not_agree_are_refused_in_both_byte_orders() {
    for order in [ByteOrder::Little, ByteOrder::Big] {
        let sum = SumIn { count: 2, numbers: vec![1, 2].into() };
        assert!(SumIn::from_stub(&patched(&sum, order, 0, 2), order).is_ok());
        assert!(SumIn::from_stub(&patched(&sum, order, 0, 1), order).is_err());
        assert!(SumIn::from_stub(&patched(&sum, order, 0, u32::MAX), order).is_err());
        let perhaps = PerhapsIn { count: 1, numbers: Unique::new(vec![1].into()) };
        assert!(PerhapsIn::from_stub(&patched(&perhaps, order, 0, 2), order).is_err());
        assert!(PerhapsIn::from_stub(&patched(&perhaps, order, 8, 0), order).is_err());
        // Null, whatever the size is.
        assert!(PerhapsIn::from_stub(&patched(&perhaps, order, 4, 0), order).is_ok());
        let trim = TrimIn { count: 1, numbers: vec![1].into() };
        assert!(TrimIn::from_stub(&patched(&trim, order, 0, 3), order).is_err());
        let nest = NestIn {
            rows: 1,
            columns: Unique::new(2),
            table: vec![Unique::new(vec![5].into())].into(),
        };
        assert!(NestIn::from_stub(&nest.to_stub(order).unwrap(), order).is_ok());
        assert!(NestIn::from_stub(&patched(&nest, order, 4, 0), order).is_err());
        // A size in front of the struct, and one within, of the array at its end.
        let pass = PassIn { batch: batch().into() };
        assert!(PassIn::from_stub(&pass.to_stub(order).unwrap(), order).is_ok());
        assert!(PassIn::from_stub(&patched(&pass, order, 0, 1), order).is_err());
        for member in [4, 12, 16] {
            assert!(
                PassIn::from_stub(&patched(&pass, order, member, 3), order).is_err(),
                "{member}"
            );
        }
    }
}

#[test]
fn a_server_refuses_what_disagrees_as_windows_does() {
    let calls = Arc::<AtomicU32>::default();
    let (_server, proxy) = served(i_counter::object(Counter(calls.clone())), i_counter::IID);
    let answer = proxy.call_by_number(
        i_counter::Sum::OPNUM,
        |out| [3u32, 2, 1, 2].iter().try_for_each(|number| number.write(out)),
        i32::read,
    );
    assert_eq!(answer.unwrap_err().status(), Some(Status(0x0000_06f7)));
    assert_eq!(calls.load(Ordering::Relaxed), 0);
}

/// A servant that gives an array of another size fails, and a method that fails gives what clients expect.
#[test]
fn a_servant_gives_arrays_of_their_sizes() {
    let (_server, proxy) = served(i_counter::object(Counter::default()), i_counter::IID);
    let counter = ICounterProxy(proxy.clone());
    assert_eq!(counter.fill(2, 2).unwrap(), [0, 1]);
    assert_eq!(counter.fill(2, 1).unwrap_err().status(), Some(Status::SERVER_FAULT));
    assert_eq!(counter.make(3).unwrap(), (2, vec![0, 1, 2]));
    assert_eq!(counter.make(2).unwrap_err().status(), Some(Status::SERVER_FAULT));
    assert_eq!(counter.make(0).unwrap(), (2, vec![]));
    assert_eq!(counter.fill(2, -1).unwrap_err().status(), Some(Status::FAIL));
    let failed = |count| {
        let given = i_counter::FillIn { count, give: -1 };
        let (out, status) = proxy.call_with_status::<i_counter::Fill>(&given).unwrap();
        assert_eq!(status, Status::FAIL);
        out.numbers.0
    };
    assert_eq!(failed(3), [0; 3]);
    assert_eq!(failed(u32::MAX), [0; 0]);
}

/// It gives two numbers, whatever it is asked for.
struct Liar(Status);

impl Object for Liar {
    fn supports(&self, iid: Uuid) -> bool {
        iid == i_counter::IID
    }

    fn call(&self, call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
        let two = || vec![1, 2];
        match call.opnum {
            i_counter::Fill::OPNUM => call.answer_with(&FillOut { numbers: two().into() }, self.0),
            i_counter::Make::OPNUM => {
                let numbers = Unique::new(two().into());
                call.answer_with(&MakeOut { taken: 2, numbers }, self.0)
            }
            i_counter::Trim::OPNUM => {
                call.answer_with(&TrimOut { count: 1, numbers: two().into() }, self.0)
            }
            _ => call.answer_with(&SumOut { sum: 0 }, self.0),
        }
    }
}

#[test]
fn a_client_believes_no_answer_whose_sizes_do_not_agree() {
    let (_server, proxy) = served(Arc::new(Liar(Status::OK)), i_counter::IID);
    let counter = ICounterProxy(proxy);
    assert_eq!(counter.fill(2, 0).unwrap(), [1, 2]);
    let error = counter.fill(3, 0).unwrap_err();
    assert_eq!(error.hresult(), Status::BAD_STUB);
    let says = "the answer is malformed: `numbers` has 2 elements, and `size_is(count)` says 3";
    assert!(error.to_string().contains(says), "{error}");
    assert_eq!(counter.make(0).unwrap_err().hresult(), Status::BAD_STUB);
    assert_eq!(counter.trim(2, vec![1, 2]).unwrap_err().hresult(), Status::BAD_STUB);
    // What a failure has for results says nothing.
    let (_server, proxy) = served(Arc::new(Liar(Status::FAIL)), i_counter::IID);
    assert_eq!(ICounterProxy(proxy).fill(3, 0).unwrap_err().status(), Some(Status::FAIL));
}

/// Gives back what it was given, but for one element of those to move.
struct Parts;

impl IPart for Parts {
    fn r#move(&self, size: u32, from: u32, _: u32, n: Vec<i32>) -> Result<(u32, Vec<i32>), Status> {
        assert!(size >= from);
        if n.is_empty() { Err(Status::FAIL) } else { Ok((from + 1, n[1..].to_vec())) }
    }

    fn pass(&self, part: Part) -> Result<Part, Status> {
        Ok(part)
    }

    fn pick(&self, _: u32, count: u32, w: Vec<u16>, o: Vec<u8>, m: Vec<u8>) -> Result<u32, Status> {
        assert_eq!(o.len(), 16 + 2 * count as usize);
        Ok((w.len() + m.len()) as u32)
    }
}

fn part() -> Part {
    let octets = vec![7; 2 * 24];
    Part { from: 3, last: 4, room: 6, some: vec![30, 40], wide: true, count: 2, octets }
}

/// `first_is`: the elements of a `Vec` are those from there on, and the others do not travel.
#[test]
fn a_part_of_an_array_says_where_it_begins() {
    let (_server, proxy) = served(i_part::object(Parts), i_part::IID);
    let (parts, wire) = (IPartProxy(proxy.clone()), part::Wire::from(part()));
    let some = wire.some.get().unwrap();
    assert_eq!((some.maximum, some.first, &some.values[..]), (6, 3, &[30, 40][..]));
    assert_eq!(parts.pass(part()).unwrap(), part());
    assert_eq!(parts.r#move(5, 2, 3, vec![1, 2, 3]).unwrap(), (3, vec![2, 3]));
    let refused = |error: armilla_dcom::client::Error, says: &str| {
        assert!(error.to_string().contains(says), "{error}");
    };
    let passed = |part, says| refused(parts.pass(part).unwrap_err(), says);
    let some = |some| Part { some, ..part() };
    passed(some(vec![1]), "`Part.some` has 1 elements, and `last_is(last)` says 2");
    let beyond = Part { room: 4, ..part() };
    passed(beyond, "`Part.some` has 5 elements, and `size_is(room)` says 4");
    let before = Part { from: -1, last: 0, ..part() };
    passed(before, "`Part.some` begins with element 0, and `first_is(from)` says -1");
    // What is left of the array is not what the servant gives.
    let moved = parts.r#move(6, 2, 3, vec![1, 2, 3]).unwrap_err();
    assert_eq!(moved.status(), Some(Status::SERVER_FAULT));
    // A method that fails gives as much as was asked for, from 0 on.
    let nothing = MoveIn { size: 5, from: 5, length: 0, numbers: placed(5, 5, &[]) };
    let (out, status) = proxy.call_with_status::<i_part::Move>(&nothing).unwrap();
    assert_eq!((status, out.moved), (Status::FAIL, placed(5, 0, &[0; 5])));
}

fn placed(maximum: u32, first: u32, values: &[i32]) -> ConformantVarying<i32> {
    ConformantVarying { maximum, first, values: values.to_vec() }
}

#[test]
fn octets_that_begin_elsewhere_are_refused_in_both_byte_orders() {
    for order in [ByteOrder::Little, ByteOrder::Big] {
        let given = MoveIn { size: 5, from: 2, length: 2, numbers: placed(5, 2, &[1, 2]) };
        assert_eq!(
            MoveIn::from_stub(&given.to_stub(order).unwrap(), order).unwrap().numbers.first,
            2
        );
        // `from`, and where the array itself says that it begins.
        for at in [4, 16] {
            assert!(MoveIn::from_stub(&patched(&given, order, at, 1), order).is_err(), "{at}");
        }
        // Without `first_is` an array begins with its first element.
        let batch = batch::Wire::from(batch());
        let first = |first| {
            let mut batch = batch.clone();
            batch.some = Unique::new(ConformantVarying { maximum: 5, first, values: vec![7] });
            let stub = PassIn { batch }.to_stub(order);
            stub.map(|stub| PassIn::from_stub(&stub, order).is_ok())
        };
        assert_eq!(first(0), Ok(true));
        assert!(first(1).is_err());
    }
}

/// A server that gives elements from elsewhere is not believed.
#[test]
fn an_answer_that_begins_elsewhere_is_malformed() {
    struct Elsewhere;
    impl Object for Elsewhere {
        fn supports(&self, iid: Uuid) -> bool {
            iid == i_part::IID
        }

        fn call(&self, call: &ObjectCall<'_>) -> Result<Vec<u8>, Status> {
            call.answer(&MoveOut { to: 1, moved: placed(3, 2, &[1]) })
        }
    }
    let (_server, proxy) = served(Arc::new(Elsewhere), i_part::IID);
    let error = IPartProxy(proxy).r#move(3, 0, 0, vec![]).unwrap_err();
    assert_eq!(error.hresult(), Status::BAD_STUB);
    let says = "`moved` begins with element 2, and `first_is(*to)` says 1";
    assert!(error.to_string().contains(says), "{error}");
}

/// `?:`, comparisons and `sizeof` say how many elements there are; the size of a pointer says nothing.
#[test]
fn sizes_are_expressions_of_c() {
    let (_server, proxy) = served(i_part::object(Parts), i_part::IID);
    let parts = IPartProxy(proxy);
    let words = |count: usize| vec![0; count];
    let octets = |count: u32| vec![0; 16 + 2 * count as usize];
    let pick = |mode, count, words: Vec<u16>| parts.pick(mode, count, words, octets(count), vec![]);
    assert_eq!(pick(1, 6, words(6)).unwrap(), 6);
    assert_eq!(pick(3, 6, words(2)).unwrap(), 2);
    // `~-6` is 5. Nothing is divided by 0, which is the mode.
    assert_eq!(pick(0, 6, words(5)).unwrap(), 5);
    let error = pick(3, 6, words(6)).unwrap_err().to_string();
    assert!(error.contains("`words` has 6 elements, and `size_is(mode==1?count"), "{error}");
    let error = parts.pick(1, 1, words(1), octets(2), vec![]).unwrap_err().to_string();
    let says = "`octets` has 20 elements, and `size_is(sizeof(GUID)+sizeof(unsigned short)*(int)count)` says 18";
    assert!(error.contains(says), "{error}");
    assert_eq!(parts.pick(1, 1, words(1), octets(1), vec![0; 7]).unwrap(), 8);
    // A sample is 24 octets long, and eight samples are too many.
    let passed =
        |count, octets: usize| parts.pass(Part { count, octets: vec![0; octets], ..part() });
    assert!(passed(3, 72).is_ok() && passed(0, 1).is_ok() && passed(8, 0).is_ok());
    let error = passed(3, 71).unwrap_err().to_string();
    assert!(error.contains("`Part.octets` has 71 elements"), "{error}");
}
