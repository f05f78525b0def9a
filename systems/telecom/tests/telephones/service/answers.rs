//! One string or many, and iterators over the rest.

use super::{PATIENCE, Setup};
use armilla::{Error, ExceptionKind};
use std::time::Instant;
use telecom::iterators::{IDLE, MAX_ITERATORS};
use telecom::telecom::call_details::{GetMultipleStringsRaises, GetSingleStringRaises};
use telecom::telecom::{CallDetails, Manager, StringIterator};

#[test]
fn a_key_finds_one_record_or_all_in_batches() {
    let setup = Setup::new(1);
    let calls = setup.manager.calls().unwrap();
    // A thousand subscribers have made four calls each.
    let first = calls.get_single_string("55500042").unwrap();
    assert!(first.starts_with("55500042 556"), "{first}");
    let (all, rest) = calls.get_multiple_strings("55500042", 10).unwrap();
    assert_eq!((all.len(), &all[0], rest.is_nil()), (4, &first, true));

    let (mut some, rest) = calls.get_multiple_strings("5550004", 15).unwrap();
    assert_eq!(some.len(), 15);
    for expected in [15, 10, 0] {
        let next = rest.next_n(15).unwrap();
        assert_eq!(next.len(), expected);
        some.extend(next);
    }
    assert!(some.is_sorted() && some.iter().all(|record| record.starts_with("5550004")));
    rest.destroy().unwrap();
    assert_eq!(rest.next_n(1).unwrap_err().kind(), ExceptionKind::ObjectNotExist);
    assert_eq!(setup.service.iterators.count(), 0);
}

#[test]
fn a_key_without_records_is_an_exception_for_one_and_an_empty_sequence_for_many() {
    let setup = Setup::new(1);
    let calls = setup.manager.calls().unwrap();
    let Err(Error::User(GetSingleStringRaises::Unknown(unknown))) = calls.get_single_string("x")
    else {
        panic!("there is no such record")
    };
    assert_eq!(unknown.what, "a record that begins with \"x\"");
    let (none, rest) = calls.get_multiple_strings("x", 10).unwrap();
    assert!(none.is_empty() && rest.is_nil());
}

#[test]
fn an_iterator_is_destroyed_when_nobody_calls_it() {
    let setup = Setup::new(100);
    let (_, used) = setup.manager.elements("", 10).unwrap();
    let (_, forgotten) = setup.manager.elements("", 10).unwrap();
    let begun = Instant::now();
    setup.service.iterators.sweep(begun);
    assert_eq!(setup.service.iterators.count(), 2);
    assert_eq!(used.next_n(1).unwrap(), ["ne00010"]);
    // `used` was called after `begun`, `forgotten` before.
    setup.service.iterators.sweep(begun + IDLE);
    assert_eq!(used.next_n(1).unwrap(), ["ne00011"]);
    let gone = forgotten.next_n(1).unwrap_err();
    assert_eq!(gone.kind(), ExceptionKind::ObjectNotExist);
    setup.service.iterators.sweep(begun + PATIENCE + IDLE);
    assert_eq!(setup.service.iterators.count(), 0);
}

#[test]
fn there_is_a_limit_to_iterators() {
    let setup = Setup::new(1);
    let calls = setup.manager.calls().unwrap();
    for _ in 0..MAX_ITERATORS {
        calls.get_multiple_strings("", 1).unwrap();
    }
    let refused = calls.get_multiple_strings("", 1).unwrap_err();
    let Error::User(GetMultipleStringsRaises::TooMany(limit)) = refused else {
        panic!("{refused}")
    };
    assert_eq!(limit.limit as usize, MAX_ITERATORS);
}
