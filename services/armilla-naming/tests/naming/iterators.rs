//! Binding iterators, and their limits.

use crate::served;
use armilla::ExceptionKind;
use armilla_cos_naming::*;
use armilla_naming::{IteratorLimits, NamingService};
use served::{Served, name, object};
use std::time::Duration;

fn filled(limits: IteratorLimits, count: usize) -> Served {
    let served = Served::by(NamingService::builder().iterator_limits(limits));
    for number in 0..count {
        let object = object(&served.client, "vega");
        served.root.bind(&name(&format!("n{number:03}")), &object).unwrap();
    }
    served
}

fn ids(bindings: &[Binding]) -> Vec<String> {
    bindings.iter().map(|binding| binding.binding_name[0].id.clone()).collect()
}

#[test]
fn an_iterator_gives_the_rest() {
    let served = filled(IteratorLimits::default(), 10);
    let (first, rest) = served.root.list(3).unwrap();
    assert_eq!(ids(&first), ["n000", "n001", "n002"]);
    let (more, one) = rest.next_one().unwrap();
    assert!(more && one.binding_name[0].id == "n003");
    let (more, some) = rest.next_n(4).unwrap();
    assert!(more && ids(&some) == ["n004", "n005", "n006", "n007"]);
    let (more, last) = rest.next_n(100).unwrap();
    assert!(more && ids(&last) == ["n008", "n009"]);
    assert_eq!(rest.next_n(1).unwrap(), (false, vec![]));
    assert!(!rest.next_one().unwrap().0);
    assert_eq!(rest.next_n(0).unwrap_err().kind(), ExceptionKind::BadParam);
    rest.destroy().unwrap();
    assert!(rest.object().non_existent().unwrap());
    assert_eq!(rest.next_one().unwrap_err().kind(), ExceptionKind::ObjectNotExist);
    assert!(served.root.list(10).unwrap().1.is_nil(), "all fit");
    let (none, rest) = served.root.list(0).unwrap();
    assert!(none.is_empty() && !rest.is_nil());
}

#[test]
fn a_reply_has_at_most_as_many_bindings_as_the_service_gives() {
    let mut limits = IteratorLimits::default();
    limits.batch = 4;
    let served = filled(limits, 10);
    let (first, rest) = served.root.list(1000).unwrap();
    assert_eq!((first.len(), rest.is_nil()), (4, false));
    assert_eq!(rest.next_n(1000).unwrap().1.len(), 4);
    assert_eq!(rest.next_n(1000).unwrap().1.len(), 2);
}

#[test]
fn a_client_that_leaves_iterators_open_loses_the_oldest() {
    let mut limits = IteratorLimits::default();
    limits.per_client = 3;
    let served = filled(limits, 3);
    let open: Vec<_> = (0..5).map(|_| served.root.list(1).unwrap().1).collect();
    assert_eq!(served.service.open_iterators(), 3);
    let alive = open.iter().map(|one| !one.object().non_existent().unwrap());
    assert_eq!(alive.collect::<Vec<_>>(), [false, false, true, true, true]);
}

#[test]
fn idle_iterators_are_destroyed() {
    let mut limits = IteratorLimits::default();
    limits.idle = Duration::ZERO;
    let served = filled(limits, 3);
    let (_, rest) = served.root.list(1).unwrap();
    assert_eq!(rest.next_one().unwrap_err().kind(), ExceptionKind::ObjectNotExist);
    served.service.sweep_iterators();
    assert_eq!(served.service.open_iterators(), 0);
}

#[test]
fn an_iterator_ends_with_its_context() {
    let served = filled(IteratorLimits::default(), 0);
    let context = served.root.new_context().unwrap();
    for id in ["a", "b"] {
        context.bind(&name(id), &object(&served.client, id)).unwrap();
    }
    let (_, rest) = context.list(1).unwrap();
    for id in ["a", "b"] {
        context.unbind(&name(id)).unwrap();
    }
    context.destroy().unwrap();
    assert_eq!(rest.next_n(5).unwrap(), (false, vec![]));
}
