//! What calls and answers begin with.

use armilla_dcerpc::ndr::{Unique, from_stub, to_stub};
use armilla_dcerpc::{ByteOrder, Uuid};
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
