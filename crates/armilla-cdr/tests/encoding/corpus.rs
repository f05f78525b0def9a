//! Replays the fuzz corpora of CDR values through the checks of the fuzz targets.

use armilla_cdr::value::ValueHandle;
use armilla_cdr::{
    Any, ByteOrder, CdrResult, CodeSet, CodeSets, Encode, Encoder, TypeCode, WideFormat,
};
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

#[path = "../../../../lab/fuzz/checks/any.rs"]
mod any;
#[path = "../../../../lab/fuzz/checks/cdr_values.rs"]
mod cdr_values;
#[path = "../../../../lab/fuzz/checks/replay.rs"]
mod replay;
#[path = "../../../../lab/fuzz/checks/value.rs"]
mod value;

use replay::replay;

fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../lab/fuzz/corpus").join(name)
}

#[test]
fn values() {
    replay("cdr_values", cdr_values::check);
}

#[test]
fn values_with_their_types() {
    replay("any", any::check);
}

#[test]
fn valuetypes() {
    replay("value", value::check);
}

/// Writes the well-formed part of the corpus:
/// `cargo test -p armilla-cdr --test encoding corpus:: -- --ignored`.
#[test]
#[ignore = "writes lab/fuzz/corpus/cdr_values"]
fn write_seeds() {
    for order in [ByteOrder::Big, ByteOrder::Little] {
        write_types(order);
        write_texts(order);
    }
}

/// Writes one file: how it is read, the types to read, and what `fill` writes.
fn seed(order: ByteOrder, name: &str, mode: u8, types: [u8; 8], fill: &dyn Fn(&mut Encoder<'_>)) {
    let mut out = Encoder::new(order);
    fill(&mut out);
    let octets = [&[mode | order.flag()], &types[..], &out.to_vec()].concat();
    let file = format!("{name}-{order:?}").to_lowercase();
    fs::write(folder("cdr_values").join(file), octets).unwrap();
}

fn write_types(order: ByteOrder) {
    let nested = [vec![vec![1, -1]], vec![], vec![vec![i32::MIN]]];
    seed(order, "numbers", 0, [0, 1, 2, 3, 4, 5, 6, 0], &|out| {
        out.put_u8(1);
        out.put_bool(true);
        out.put_i16(-2);
        out.put_u32(3);
        out.put_i64(-4);
        out.put_f32(0.5);
        out.copy_f64s(&[0.25, f64::NAN, f64::INFINITY]);
        out.put_u8(7);
    });
    seed(order, "sequences", 2, [7, 8, 9, 10, 11, 12, 13, 14], &|out| {
        out.put_string("Atair").unwrap();
        out.copy_octets(&[1, 2, 3]).unwrap();
        out.copy_octets(&[0, 1, 0]).unwrap();
        out.put_u32(2);
        out.copy_u16s(&[1, 2]);
        out.put_u32(1);
        out.put_u64(u64::MAX);
        out.put_u32(3);
        ["", "Vega", "Deneb"].iter().for_each(|text| out.put_string(text).unwrap());
        let mut inner = Encoder::new(order);
        inner.copy_raw(&[0; 8][..out.len() % 8]);
        let skipped = inner.len();
        nested[..].encode(&mut inner).unwrap();
        out.copy_raw(&inner.to_vec()[skipped..]);
        out.copy_u16s(&[1, 2, 3, 4, 5]);
    });
    seed(order, "bounded", 2, [15, 16, 17, 18, 19, 0, 0, 0], &|out| {
        out.put_u32(2);
        out.copy_raw(&[1, 2, 3, 4, 5, 6]);
        out.put_string("four").unwrap();
        out.copy_octets(&[1, 2, 3, 4]).unwrap();
        out.put_u32(1);
        out.put_u32(9);
        out.put_encapsulation(|inner| inner.put_string("inside")).unwrap();
    });
    seed(order, "lent", 0, [23, 24, 0, 23, 24, 23, 0, 0], &|out| {
        out.put_sequence(&[1_u16, 2, 3]).unwrap();
        out.put_sequence(&[u64::MAX, 4]).unwrap();
        out.put_u8(5);
        out.put_sequence(&[6_u16]).unwrap();
        out.put_sequence(&[0_u64; 0]).unwrap();
        out.put_sequence(&[7_u16]).unwrap();
    });
}

fn write_texts(order: ByteOrder) {
    // The code sets that these modes choose are told by `lab/fuzz/checks/cdr_values.rs`.
    for (mode, char, wchar, text) in [
        (0xd4, CodeSet::EucJp, CodeSet::Ucs4, "漢字ｱ"),
        (0xd8, CodeSet::ShiftJis, CodeSet::Utf16, "漢字ｱ"),
        (0x0c, CodeSet::Iso8859_4, CodeSet::Utf16, "Ķņ"),
        (0x4c, CodeSet::Windows1253, CodeSet::Ucs2, "Ωμ"),
    ] {
        let name = format!("texts-{}", char.name().to_lowercase());
        seed(order, &name, mode, [7, 20, 21, 22, 128 | 20, 128 | 21, 7, 0], &|out| {
            out.set_code_sets(CodeSets { char, wchar: Some(wchar), lone_surrogates: false });
            out.put_string(text).unwrap();
            out.put_wchar('\u{feff}').unwrap();
            out.put_wstring("\u{feff}★").unwrap();
            out.put_wstring("four").unwrap();
            out.set_wide_format(WideFormat::Units);
            out.put_wchar('★').unwrap();
            out.put_wstring(text).unwrap();
            out.put_string(text).unwrap();
        });
    }
}

/// A custom value with another one in it, and with what leads back to both.
struct Custom;

impl Encode for Custom {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        let [outer, inner]: [ValueHandle; 2] = [Arc::new(1), Arc::new(2)];
        let begin = |value, out: &mut Encoder<'_>| {
            out.begin_value(value, "", &["IDL:C:1.0"], true, TypeCode::default)
        };
        let Some(mut state) = begin(&outer, out)? else { return Ok(()) };
        state.put_f64(-0.5);
        let Some(mut within) = begin(&inner, &mut state)? else { return Ok(()) };
        within.put_u8(165);
        state.end_value(within, Ok(()))?;
        begin(&outer, &mut state)?;
        begin(&inner, &mut state)?;
        state.put_null_value();
        out.end_value(state, Ok(()))
    }
}

/// Writes the well-formed part of the corpus of values with their types, as [`write_seeds`].
#[test]
#[ignore = "writes lab/fuzz/corpus/any"]
fn write_seeds_with_types() {
    let node = TypeCode::sequence(TypeCode::recursive("IDL:Node:1.0"), 0);
    let node = TypeCode::structure("IDL:Node:1.0", "Node", [("next", node)]);
    let custom = TypeCode::value("IDL:C:1.0", "C", 1, TypeCode::Null, [("", TypeCode::Long, true)]);
    let seeds = [
        ("sequence", Any::new(&vec![1.5, -0.0])),
        ("strings", Any::new(&["Vega".to_owned(), "Deneb".to_owned()])),
        ("nested", Any::new("within").and_then(|inner| Any::new(&inner))),
        ("type", Any::new(&node)),
        ("recursive", Any::with_type(node, &vec![0_u32])),
    ];
    for order in [ByteOrder::Big, ByteOrder::Little] {
        let write = |name: &str, out: Encoder<'_>| {
            let octets = [&[order.flag()], &out.to_vec()[..]].concat();
            let file = format!("{name}-{order:?}").to_lowercase();
            fs::write(folder("any").join(file), octets).unwrap();
        };
        for (name, seed) in &seeds {
            let mut out = Encoder::new(order);
            seed.as_ref().unwrap().encode(&mut out).unwrap();
            write(name, out);
        }
        let mut out = Encoder::new(order);
        custom.write(&mut out).unwrap();
        Custom.encode(&mut out).unwrap();
        write("custom", out);
    }
}
