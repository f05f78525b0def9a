//! Arrays of COM and what says how many elements they have: neither end sends nor believes what does not
//! agree (MIDL's `size_is`, `max_is`, `length_is`).

use crate::com::served;
use crate::constructs::compiled::com_types::plant::i_counter::{
    self, FillOut, MakeOut, NestIn, PassIn, PerhapsIn, SumIn, SumOut, TrimIn, TrimOut,
};
use crate::constructs::compiled::com_types::plant::{Batch, ICounter, ICounterProxy, batch};
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
    assert_eq!(room.some, Unique::new(ConformantVarying { maximum: 5, values: vec![] }));
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
