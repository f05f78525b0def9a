//! Object references of all kinds, and the bindings in them.

use armilla_dcerpc::ndr::{from_stub, to_stub};
use armilla_dcerpc::{ByteOrder, Uuid};
use armilla_dcom::{
    DualStringArray, InterfacePointer, ObjRef, ObjRefError, Reference, SecurityBinding,
    StandardReference, StringArrayUnits, StringBinding,
};

const IID: Uuid = Uuid::literal("00020400-0000-0000-c000-000000000046");
const CLASS: Uuid = Uuid::literal("01020304-0506-0708-090a-0b0c0d0e0f10");

pub(crate) fn bindings() -> DualStringArray {
    let security =
        |service, principal: &str| SecurityBinding { service, principal: principal.into() };
    DualStringArray {
        strings: vec![StringBinding::tcp("PLANT[49152]"), StringBinding::tcp("192.0.2.7[49152]")],
        security: vec![security(9, ""), security(10, "PLANT\\operator")],
    }
}

const STANDARD: StandardReference = StandardReference {
    flags: StandardReference::NO_PING,
    public_references: 5,
    oxid: 0x0102_0304_0506_0708,
    oid: 9,
    ipid: CLASS,
};

/// One of each kind.
pub(crate) fn references() -> Vec<ObjRef> {
    let (standard, resolver) = (STANDARD, bindings());
    let class = CLASS;
    let kinds = [
        Reference::Standard { standard, resolver: resolver.clone() },
        Reference::Standard { standard, resolver: DualStringArray::default() },
        Reference::Handler { standard, class, resolver: resolver.clone() },
        Reference::Custom { class, extensions: 0, data: vec![1, 2, 3] },
        Reference::Extended { standard, resolver, element: (class, vec![1; 13]) },
    ];
    kinds.map(|reference| ObjRef { iid: IID, reference }).into()
}

#[test]
fn every_kind_comes_back() {
    for reference in references() {
        let octets = reference.encode().unwrap();
        assert_eq!(ObjRef::decode(&octets).unwrap(), reference);
        let fixed = match reference.reference {
            Reference::Custom { .. } => 48,
            _ => octets.len(),
        };
        for end in 0..fixed {
            assert!(ObjRef::decode(&octets[..end]).is_err(), "{end} octets of {reference:?}");
        }
    }
}

#[test]
fn octets_lie_where_the_specification_says() {
    let resolver = DualStringArray { strings: vec![StringBinding::tcp("h")], security: vec![] };
    let reference = Reference::Standard { standard: STANDARD, resolver };
    let octets = ObjRef { iid: IID, reference }.encode().unwrap();
    #[rustfmt::skip]
    assert_eq!(octets, [
        b'M', b'E', b'O', b'W', 1, 0, 0, 0,
        0, 4, 2, 0, 0, 0, 0, 0, 0xc0, 0, 0, 0, 0, 0, 0, 0x46,
        0, 0x10, 0, 0, 5, 0, 0, 0,
        8, 7, 6, 5, 4, 3, 2, 1, 9, 0, 0, 0, 0, 0, 0, 0,
        4, 3, 2, 1, 6, 5, 8, 7, 9, 10, 11, 12, 13, 14, 15, 16,
        5, 0, 4, 0, 7, 0, b'h', 0, 0, 0, 0, 0, 0, 0,
    ]);
}

#[test]
fn what_is_no_reference_says_why() {
    let octets = references()[0].encode().unwrap();
    let with = |at: usize, octet| {
        let mut octets = octets.clone();
        octets[at] = octet;
        ObjRef::decode(&octets)
    };
    assert_eq!(with(0, b'm'), Err(ObjRefError::Signature));
    assert_eq!(with(4, 3), Err(ObjRefError::Kind(3)));
    // The security bindings begin within the string bindings.
    assert_eq!(with(66, 3), Err(ObjRefError::Bindings));
    let bad = DualStringArray { strings: vec![StringBinding::tcp("a\0b")], security: vec![] };
    assert_eq!(bad.to_units(), Err(ObjRefError::Text));
}

#[test]
fn bindings_are_a_parameter_too() {
    for array in [bindings(), DualStringArray::default()] {
        for order in [ByteOrder::Little, ByteOrder::Big] {
            let stub = to_stub(&array.to_units().unwrap(), order).unwrap();
            let units: StringArrayUnits = from_stub(&stub, order).unwrap();
            assert_eq!(DualStringArray::from_units(&units).unwrap(), array);
        }
    }
    let nothing = StringArrayUnits { count: 0, security_offset: 0, units: vec![].into() };
    assert_eq!(DualStringArray::from_units(&nothing), Ok(DualStringArray::default()));
    let beyond = StringArrayUnits { count: 9, security_offset: 0, units: vec![].into() };
    assert_eq!(DualStringArray::from_units(&beyond), Err(ObjRefError::Bindings));
}

#[test]
fn a_binding_may_have_a_port() {
    let split = |address: &str| {
        let binding = StringBinding::tcp(address);
        let (host, port) = binding.host_and_port();
        (host.to_owned(), port)
    };
    assert_eq!(split("PLANT[49152]"), ("PLANT".into(), Some(49_152)));
    assert_eq!(split("192.0.2.7"), ("192.0.2.7".into(), None));
    assert_eq!(split("PLANT[70000]"), ("PLANT[70000]".into(), None));
}

#[test]
fn a_reference_is_a_parameter_of_either_order() {
    let reference = &references()[0];
    for order in [ByteOrder::Little, ByteOrder::Big] {
        let stub = to_stub(&InterfacePointer::new(reference).unwrap(), order).unwrap();
        let pointer: InterfacePointer = from_stub(&stub, order).unwrap();
        assert_eq!(pointer.reference().as_ref(), Ok(reference));
    }
}
