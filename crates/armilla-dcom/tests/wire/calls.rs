//! What calls and answers begin with.

use armilla_dcerpc::ndr::{Conformant, NdrErrorKind, Parameters, Unique, from_stub, to_stub};
use armilla_dcerpc::{ByteOrder, Uuid};
use armilla_dcom::automation::Variant;
use armilla_dcom::automation::dispatch::{Arguments, NamesIn};
use armilla_dcom::remote::{ComplexPingIn, CountsIn, QueryIn};
use armilla_dcom::{ComVersion, Extension, Extensions, OrpcThat, OrpcThis};

const ID: Uuid = Uuid::literal("01020304-0506-0708-090a-0b0c0d0e0f10");

#[test]
fn without_extensions_they_are_short() {
    let octets = to_stub(&OrpcThis::new(ID), ByteOrder::Little).unwrap();
    #[rustfmt::skip]
    assert_eq!(octets, [
        5, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        4, 3, 2, 1, 6, 5, 8, 7, 9, 10, 11, 12, 13, 14, 15, 16,
        0, 0, 0, 0,
    ]);
    assert_eq!(to_stub(&OrpcThat::PLAIN, ByteOrder::Big).unwrap(), [0; 8]);
}

#[test]
fn extensions_are_filled_up() {
    let extension = Extension::new(ID, vec![1, 2, 3]).unwrap();
    assert_eq!(extension.octets(), Some(&[1, 2, 3][..]));
    let extensions = Unique::new(Extensions::new(vec![extension]));
    let call = OrpcThis { extensions, ..OrpcThis::new(ID) };
    for order in [ByteOrder::Little, ByteOrder::Big] {
        let octets = to_stub(&call, order).unwrap();
        // Two pointers, of which one is null; eight octets, of which three count.
        assert_eq!(octets.len(), 32 + 12 + 4 + 8 + 4 + 20 + 8);
        assert_eq!(from_stub::<OrpcThis>(&octets, order).unwrap(), call);
    }
}

#[test]
fn a_client_may_not_be_newer() {
    let version = |major, minor| ComVersion { major, minor };
    let own = ComVersion::CURRENT;
    assert_eq!(own.agreed(&version(5, 1)), Some(version(5, 1)));
    assert_eq!(own.agreed(&version(5, 7)), Some(own.clone()));
    assert_eq!(own.agreed(&version(5, 8)), None);
    assert_eq!(own.agreed(&version(4, 7)), None);
}

/// An array and the parameter that is its size are compared where the interface is one of every server, too.
#[test]
fn sizes_that_do_not_agree_are_refused() {
    let (iid, number) = (Uuid::NIL, Variant::from(1));
    let names = Conformant(vec![Unique::new("Add".into())]);
    let names = NamesIn { reserved: iid, names, count: 1, locale: 0 };
    let query = QueryIn { ipid: iid, references: 5, count: 1, iids: vec![iid].into() };
    let counts = CountsIn::public(&[(iid, 5)]);
    let added = Unique::new(vec![7].into());
    let (set, sequence, removed) = (0, 1, Unique::NULL);
    let ping = ComplexPingIn { set, sequence, adds: 1, removes: 3, added, removed };
    let values = Unique::new(vec![number.into()].into());
    let arguments = Arguments { values, named: Unique::NULL, count: 1, named_count: 2 };
    for order in [ByteOrder::Little, ByteOrder::Big] {
        agree(&names, &NamesIn { count: 2, ..names.clone() }, order);
        agree(&query, &QueryIn { count: 0, ..query.clone() }, order);
        agree(&counts, &CountsIn { count: 2, ..counts.clone() }, order);
        agree(&ping, &ComplexPingIn { adds: 2, ..ping.clone() }, order);
        assert!(to_stub(&arguments, order).is_ok());
        assert!(to_stub(&Arguments { count: 2, ..arguments.clone() }, order).is_err());
    }
    let mut stub = query.to_stub(ByteOrder::Little).unwrap();
    stub[20] = 2;
    assert!(QueryIn::from_stub(&stub, ByteOrder::Little).is_err());
}

fn agree<P: Parameters>(right: &P, wrong: &P, order: ByteOrder) {
    assert!(P::from_stub(&right.to_stub(order).unwrap(), order).is_ok());
    assert!(matches!(wrong.to_stub(order).unwrap_err().kind, NdrErrorKind::InvalidSize { .. }));
}
