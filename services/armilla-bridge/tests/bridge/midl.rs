//! Views as MIDL.

const SHOP: &str = include_str!("../idl/shop.idl");

/// The text of a file of IDL is its MIDL; `UPDATE_GOLDEN=1` writes it anew.
#[test]
fn views_are_written_as_midl() {
    let midl = armilla_bridge::midl(&[("shop.idl".to_owned(), SHOP.to_owned())]).unwrap();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write("tests/idl/shop_views.idl", &midl).unwrap();
    }
    let known = std::fs::read_to_string("tests/idl/shop_views.idl").unwrap();
    assert!(known == midl, "UPDATE_GOLDEN=1 accepts this:\n{midl}");
}
