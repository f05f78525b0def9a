//! Types, and values of them, at random: for properties that hold for all.

use armilla_cdr::type_code::{NamedCode, TypeCodeFactory, UnionMember};
use armilla_cdr::value::ValueHandle;
use armilla_cdr::{ByteOrder, CodeSet, Encode, Encoder, LongDouble, TypeCode};
use proptest::prelude::*;
use std::sync::Arc;

/// Types without parts.
fn simple() -> impl Strategy<Value = TypeCode> {
    prop_oneof![
        Just(TypeCode::Short),
        Just(TypeCode::UShort),
        Just(TypeCode::Long),
        Just(TypeCode::ULong),
        Just(TypeCode::LongLong),
        Just(TypeCode::ULongLong),
        Just(TypeCode::Float),
        Just(TypeCode::Double),
        Just(TypeCode::LongDouble),
        Just(TypeCode::Boolean),
        Just(TypeCode::Char),
        Just(TypeCode::WChar),
        Just(TypeCode::Octet),
        Just(TypeCode::Any),
        Just(TypeCode::TypeCode),
        (0..9_u32).prop_map(TypeCode::String),
        (0..9_u32).prop_map(TypeCode::WString),
        (1..=31_u16).prop_map(|digits| TypeCode::Fixed { digits, scale: digits as i16 / 2 }),
        Just(TypeCode::object_reference("IDL:Bank/Account:1.0", "Account")),
        Just(TypeCode::abstract_interface("IDL:Describable:1.0", "Describable")),
        Just(TypeCode::Component(Arc::new(NamedCode {
            id: "IDL:Pump:1.0".into(),
            name: "Pump".into()
        }))),
        Just(TypeCode::home("IDL:PumpHome:1.0", "PumpHome")),
        Just(colour()),
        Just(linked_list()),
    ]
}

fn colour() -> TypeCode {
    TypeCode::enumeration("IDL:Colour:1.0", "Colour", ["red", "green", "blue"])
}

/// `valuetype List { public long number; public List next; };`
fn linked_list() -> TypeCode {
    const ID: &str = "IDL:List:1.0";
    let next = TypeCode::recursive(ID);
    let members = [("number", TypeCode::Long, true), ("next", next, true)];
    TypeCode::value(ID, "List", 0, TypeCode::Null, members)
}

/// `struct Tree { T leaf; sequence<Tree> children; };`
fn tree(leaf: TypeCode, id: u32) -> TypeCode {
    let id = format!("IDL:Tree/T{id}:1.0");
    let children = TypeCode::sequence(TypeCode::recursive(id.as_str()), 0);
    TypeCode::structure(id, "Tree", [("leaf", leaf), ("children", children)])
}

/// `struct Hen { T leaf; sequence<Egg> eggs; }; struct Egg { sequence<Hen> hens; };`
fn hen_and_egg(leaf: TypeCode, id: u32) -> TypeCode {
    let (hen, egg) = (format!("IDL:Hen{id}:1.0"), format!("IDL:Egg{id}:1.0"));
    let hens = TypeCode::sequence(TypeCode::recursive(hen.as_str()), 0);
    let egg = TypeCode::structure(egg, "Egg", [("hens", hens)]);
    TypeCode::structure(hen, "Hen", [("leaf", leaf), ("eggs", TypeCode::sequence(egg, 2))])
}

/// Types by which a union can be chosen, each with three labels.
fn discriminators() -> impl Strategy<Value = (TypeCode, [i64; 3])> {
    let alias = TypeCode::alias("IDL:Number:1.0", "Number", TypeCode::Short);
    prop_oneof![
        Just((TypeCode::Short, [-1, 0, i64::from(i16::MIN)])),
        Just((TypeCode::UShort, [7, 65535, 0])),
        Just((TypeCode::Long, [0, 1, i64::from(i32::MIN)])),
        Just((TypeCode::ULong, [0, 1 << 31, 2])),
        Just((TypeCode::LongLong, [0, i64::MIN, i64::MAX])),
        // The last is the largest, as two's complement.
        Just((TypeCode::ULongLong, [0, i64::MIN, -1])),
        Just((TypeCode::Octet, [0, 1, 255])),
        Just((TypeCode::Char, [0x61, 0xe9, 0])),
        Just((TypeCode::WChar, [0x61, 0x20ac, 0x1d11e])),
        Just((TypeCode::Boolean, [1, 0, 0])),
        Just((colour(), [2, 0, 1])),
        Just((alias, [-3, 3, 0])),
    ]
}

fn union(
    (discriminator, labels): (TypeCode, [i64; 3]),
    members: &[TypeCode],
    has_default: bool,
    id: u32,
) -> TypeCode {
    let count =
        if discriminator == TypeCode::Boolean { members.len().min(2) } else { members.len() };
    let members = members.iter().zip(labels).enumerate().take(count);
    let members = members.map(|(index, (ty, label))| UnionMember {
        label: (!has_default || index + 1 != count).then_some(label),
        name: format!("case_{index}"),
        ty: ty.clone(),
    });
    TypeCodeFactory::create_union_tc(&format!("IDL:U{id}:1.0"), "Choice", discriminator, members)
        .unwrap()
}

/// `union Nest switch (boolean) { case TRUE: sequence<Nest> nests; case FALSE: T leaf; };`
fn nest(leaf: TypeCode, id: u32) -> TypeCode {
    let id = format!("IDL:Nest{id}:1.0");
    let nests = TypeCode::sequence(TypeCode::recursive(id.as_str()), 0);
    let cases = [(1, "nests", nests), (0, "leaf", leaf)];
    TypeCode::union(id, "Nest", TypeCode::Boolean, None, cases)
}

fn event(members: &[TypeCode], id: u32) -> TypeCode {
    let members = members.iter().enumerate().map(|(i, ty)| (format!("m{i}"), ty.clone(), false));
    TypeCode::event(format!("IDL:Event{id}:1.0"), "Event", 0, TypeCode::Null, members)
}

fn valuetype(truncatable: bool, members: &[TypeCode], id: u32) -> TypeCode {
    let base = [("first", TypeCode::Double, false)];
    let base = TypeCode::value("IDL:Base:1.0", "Base", 0, TypeCode::Null, base);
    let modifier = if truncatable { 3 } else { 0 };
    let members = members.iter().enumerate().map(|(i, ty)| (format!("m{i}"), ty.clone(), true));
    TypeCode::value(format!("IDL:V{id}:1.0"), "Derived", modifier, base, members)
}

/// Any type. An exception is part of none.
pub(crate) fn types() -> impl Strategy<Value = TypeCode> {
    let exception = |ty| TypeCode::exception("IDL:E:1.0", "E", [("why", ty)]);
    prop_oneof![9 => parts(), 1 => parts().prop_map(exception)]
}

/// What makes a repository id one of its own, as good as always.
fn id() -> impl Strategy<Value = u32> {
    any::<u32>()
}

fn parts() -> impl Strategy<Value = TypeCode> {
    simple().prop_recursive(4, 24, 4, |part| {
        let parts = || prop::collection::vec(part.clone(), 1..4);
        let names = |parts: Vec<TypeCode>| {
            parts.into_iter().enumerate().map(|(i, ty)| (format!("m{i}"), ty)).collect::<Vec<_>>()
        };
        prop_oneof![
            (part.clone(), 0..5_u32).prop_map(|(ty, bound)| TypeCode::sequence(ty, bound)),
            (part.clone(), 1..4_u32).prop_map(|(ty, length)| TypeCode::array(ty, length)),
            (part.clone(), id())
                .prop_map(|(ty, n)| { TypeCode::alias(format!("IDL:A{n}:1.0"), "Alias", ty) }),
            (part.clone(), id())
                .prop_map(|(ty, n)| { TypeCode::value_box(format!("IDL:B{n}:1.0"), "Box", ty) }),
            (part.clone(), id()).prop_map(|(ty, n)| tree(ty, n)),
            (parts(), id()).prop_map(move |(p, n)| {
                TypeCode::structure(format!("IDL:S{n}:1.0"), "S", names(p))
            }),
            (part.clone(), id()).prop_map(|(ty, n)| hen_and_egg(ty, n)),
            (part.clone(), id()).prop_map(|(ty, n)| nest(ty, n)),
            (discriminators(), parts(), any::<bool>(), id())
                .prop_map(|(by, p, d, n)| union(by, &p, d, n)),
            (parts(), id()).prop_map(|(p, n)| event(&p, n)),
            (parts(), any::<bool>(), id()).prop_map(|(p, t, n)| valuetype(t, &p, n)),
        ]
    })
}

/// Writes values that depend on a seed.
struct Author {
    seed: u64,
    /// The last value written, and its type, to be shared.
    shared: Option<(String, ValueHandle)>,
    enclosing: Vec<TypeCode>,
}

impl Author {
    fn below(&mut self, limit: u64) -> u64 {
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 7;
        self.seed ^= self.seed << 17;
        self.seed % limit
    }

    fn text(&mut self, bound: u32) -> String {
        const LETTERS: [char; 6] = ['a', 'Z', 'é', 'ß', '0', ' '];
        let length = self.below(u64::from(if bound == 0 { 12 } else { bound }) + 1);
        (0..length).map(|_| LETTERS[self.below(6) as usize]).collect()
    }

    fn wide_text(&mut self, bound: u32) -> String {
        self.text(bound).replace('Z', "𝄞").replace('0', "\u{ffff}")
    }

    fn write(&mut self, code: &TypeCode, out: &mut Encoder<'_>) {
        let number = self.below(1 << 62);
        match code {
            TypeCode::Short | TypeCode::UShort => out.put_u16(number as u16),
            TypeCode::Long | TypeCode::ULong => out.put_u32(number as u32),
            TypeCode::LongLong | TypeCode::ULongLong => out.put_u64(number),
            TypeCode::Float => out.put_f32(number as f32),
            TypeCode::Double => out.put_f64(number as f64),
            TypeCode::LongDouble => {
                out.put_long_double(LongDouble::from_bits(u128::from(number) << 60));
            }
            TypeCode::Boolean => out.put_bool(number & 1 == 0),
            TypeCode::Char | TypeCode::Octet => out.put_u8(number as u8),
            TypeCode::WChar => out.put_wchar(['ä', '€', '𝄞'][number as usize % 3]).unwrap(),
            TypeCode::String(bound) => out.put_string(&self.text(*bound)).unwrap(),
            TypeCode::WString(bound) => out.put_wstring(&self.wide_text(*bound)).unwrap(),
            TypeCode::Fixed { digits, .. } => {
                // The first half of an octet is no digit where their number is even.
                let mut octets = vec![0x12; usize::from(*digits) / 2];
                octets.iter_mut().take(1).filter(|_| digits % 2 == 0).for_each(|o| *o = 2);
                out.copy_raw(&octets);
                out.put_u8(if number & 1 == 0 { 0x3c } else { 0x7d });
            }
            TypeCode::Enum(code) => out.put_u32((number % code.enumerators.len() as u64) as u32),
            TypeCode::Any => {
                let wide = TypeCode::sequence(TypeCode::WChar, 0);
                let inner = [TypeCode::Double, linked_list(), wide, TypeCode::Any, TypeCode::Null];
                let inner = &inner[number as usize % 5];
                write_type(inner, out);
                // What an any shares it shares within itself.
                let outside = self.shared.take();
                self.write(inner, out);
                self.shared = outside;
            }
            TypeCode::TypeCode => write_type(&tree(TypeCode::String(4), 0), out),
            TypeCode::Null => {}
            TypeCode::ObjectReference(_) | TypeCode::Component(_) | TypeCode::Home(_) => {
                self.reference(out);
            }
            TypeCode::AbstractInterface(_) if number & 1 == 0 => {
                out.put_bool(true);
                self.reference(out);
            }
            TypeCode::AbstractInterface(_) => {
                out.put_bool(false);
                out.put_null_value();
            }
            TypeCode::Recursive(id) => {
                let found = self.enclosing.iter().rposition(|code| code.id() == Some(id)).unwrap();
                let target = self.enclosing[found].clone();
                self.write(&target, out);
            }
            _ => {
                self.enclosing.push(code.clone());
                self.composed(code, out);
                self.enclosing.pop();
            }
        }
    }

    fn reference(&mut self, out: &mut Encoder<'_>) {
        out.put_string("IDL:Bank/Account:1.0").unwrap();
        out.put_u32(1);
        out.put_u32(0);
        out.copy_octets(&vec![7; self.below(20) as usize]).unwrap();
    }

    fn composed(&mut self, code: &TypeCode, out: &mut Encoder<'_>) {
        // Deep within, sequences are empty and values null, so that recursive types end.
        let some = if self.enclosing.len() > 12 { 0 } else { self.below(4) };
        match code {
            TypeCode::Struct(code) => code.members.iter().for_each(|m| self.write(&m.ty, out)),
            TypeCode::Exception(code) => {
                out.put_string(&code.id).unwrap();
                code.members.iter().for_each(|m| self.write(&m.ty, out));
            }
            TypeCode::Alias(code) => self.write(&code.ty, out),
            TypeCode::Array(element, length) => {
                (0..*length).for_each(|_| self.write(element, out));
            }
            TypeCode::Sequence(element, bound) => {
                let length = if *bound == 0 { some } else { some.min((*bound).into()) };
                out.put_u32(length as u32);
                (0..length).for_each(|_| self.write(element, out));
            }
            TypeCode::Union(code) => {
                let chosen = self.below(code.cases.len() as u64) as u32;
                let case = &code.cases[chosen as usize];
                match code.default {
                    Some(default) if default == chosen => {
                        let label = code.unused_label().unwrap();
                        discriminate(&code.discriminator, label, out);
                    }
                    _ => discriminate(&code.discriminator, case.label, out),
                }
                self.write(&case.ty, out);
            }
            code if some == 0 => {
                assert!(code.is_valuetype(), "{code:?}");
                out.put_null_value();
            }
            code => self.valuetype(code, some, out),
        }
    }

    fn valuetype(&mut self, code: &TypeCode, some: u64, out: &mut Encoder<'_>) {
        let id = code.id().unwrap().to_owned();
        let shared = self.shared.clone().filter(|(known, _)| *known == id && some == 1);
        let new: ValueHandle = Arc::new(self.below(99));
        let handle = shared.map_or(new, |(_, handle)| handle);
        let ids = [id.as_bytes(), b"IDL:Base:1.0"];
        let truncatable = code.type_modifier() == Some(3);
        let ids = if truncatable { &ids[..] } else { &ids[..1] };
        let Some(mut state) = out.begin_dynamic_value(&handle, ids, some == 3, None).unwrap()
        else {
            return;
        };
        self.shared = Some((id, handle));
        match code {
            TypeCode::ValueBox(code) => self.write(&code.ty, &mut state),
            TypeCode::Value(code) | TypeCode::Event(code) => {
                if let TypeCode::Value(base) = &code.base {
                    base.members.iter().for_each(|m| self.write(&m.ty, &mut state));
                }
                code.members.iter().for_each(|m| self.write(&m.ty, &mut state));
            }
            _ => unreachable!(),
        }
        out.end_value(state, Ok(())).unwrap();
    }
}

/// Writes the value of a discriminator.
fn discriminate(code: &TypeCode, label: i64, out: &mut Encoder<'_>) {
    match code.resolved() {
        TypeCode::Short | TypeCode::UShort => out.put_u16(label as u16),
        TypeCode::LongLong | TypeCode::ULongLong => out.put_i64(label),
        TypeCode::Boolean | TypeCode::Char | TypeCode::Octet => out.put_u8(label as u8),
        TypeCode::WChar => out.put_wchar(char::from_u32(label as u32).unwrap()).unwrap(),
        _ => out.put_u32(label as u32),
    }
}

/// Writes a TypeCode that need not live as long as the output.
fn write_type(code: &TypeCode, out: &mut Encoder<'_>) {
    let octets = encoded(code, out.order(), out.len());
    out.align(4);
    out.copy_raw(&octets[octets.len().min(out.len())..]);
}

/// The octets of a message in which `value` stands behind so many others.
pub(crate) fn encoded<T: Encode>(value: &T, order: ByteOrder, before: usize) -> Vec<u8> {
    let mut out = Encoder::with_buffer(vec![0; before], order, CodeSet::Iso8859_1);
    value.encode(&mut out).unwrap();
    out.to_vec()
}

/// A message with a value of `code` in it, as an any.
pub(crate) fn message(code: &TypeCode, seed: u64, order: ByteOrder, before: usize) -> Vec<u8> {
    let mut out = Encoder::with_buffer(vec![0; before], order, CodeSet::Iso8859_1);
    write_type(code, &mut out);
    Author { seed, shared: None, enclosing: Vec::new() }.write(code, &mut out);
    out.to_vec()
}
