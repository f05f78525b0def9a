//! The Rust of each construct of IDL compiles without warnings.
//!
//! The IDL is that of `crates/armilla-idl/tests/rust`, where the compiler's own tests compare
//! fragments of the result; here the whole of it is compiled.

#![deny(warnings)]

use armilla::{CdrResult, CustomMarshal, Decoder, Encoder};
use armilla_cdr::{Any, ByteOrder, Decode, Encode, TypeCode, Typed};
use compiled::recursion::recursion::{Bar, Branch, Foo, Tree};

/// A module for each file.
#[allow(missing_docs)]
pub(crate) mod compiled {
    include!(concat!(env!("OUT_DIR"), "/constructs/all.rs"));
}

/// A `custom` valuetype compiles once the program says how it travels.
impl CustomMarshal for compiled::values::drawing::Sealed {
    fn marshal<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        out.put_string(&self.text)
    }

    fn unmarshal(input: &mut Decoder<'_>) -> CdrResult<Self> {
        Ok(Self { text: input.string()?.to_string() })
    }
}

#[test]
fn generated_code_compiles_without_warnings() {
    assert_eq!(compiled::constants::limits::MAX_ACCOUNTS, 16);
}

#[test]
fn the_timing_of_operations_is_a_constant() {
    use armilla::RtLevel;
    use std::time::Duration;

    let [update, store] = compiled::timing::nav::filter::RT_INFO else { panic!() };
    assert_eq!(update.operation, "Nav::Filter::update");
    assert_eq!(update.period, Some(Duration::from_millis(10)));
    assert_eq!((update.criticality, update.importance), (RtLevel::High, RtLevel::VeryLow));
    assert_eq!(update.calls[0].delay, Duration::from_micros(200));
    assert_eq!((store.oneway, store.wcet), (true, Some(Duration::from_micros(1_500))));
}

/// Writes a value and its TypeCode, and reads both: as its own type, and by the TypeCode.
fn check_travel<T>(value: &T)
where
    T: Typed + Encode + PartialEq + std::fmt::Debug + for<'a> Decode<'a>,
{
    let type_code = T::type_code();
    for order in [ByteOrder::Big, ByteOrder::Little] {
        let mut out = Encoder::new(order);
        type_code.encode(&mut out).unwrap();
        value.encode(&mut out).unwrap();
        let octets = out.to_vec();
        let mut input = Decoder::new(&octets, order);
        assert_eq!(TypeCode::decode(&mut input).unwrap(), type_code);
        assert_eq!(&T::decode(&mut input).unwrap(), value);
        let mut input = Decoder::new(&octets, order);
        let code = TypeCode::decode(&mut input).unwrap();
        let any = Any::read(code, &mut input).unwrap();
        assert_eq!(&any.get::<T>().unwrap().unwrap(), value);
    }
}

#[test]
fn a_struct_that_contains_itself_through_another_travels() {
    let leaf = Foo { b: Bar { c: Vec::new() } };
    let foo = Foo { b: Bar { c: vec![leaf.clone(), Foo { b: Bar { c: vec![leaf] } }] } };
    check_travel(&foo.b);
    check_travel(&foo);
}

#[test]
fn a_union_that_contains_itself_through_a_struct_travels() {
    let leaf = Tree::Leaf { discriminator: 7, value: 3 };
    let inner = Branch { name: "inner".into(), below: vec![leaf.clone()] };
    let outer = Branch { name: "outer".into(), below: vec![Tree::Part(inner), leaf] };
    check_travel(&outer);
    check_travel(&Tree::Part(outer));
}
