//! TypeCodes and values of any type: round trips in both byte orders, types that contain
//! themselves, sharing, comparison, and hostile input.

use armilla_cdr::{
    Any, ByteOrder, CdrErrorKind, CodeSet, Decode, Decoder, Encode, Encoder, TypeCode, Typed,
};
use std::time::{Duration, Instant};

const ORDERS: [ByteOrder; 2] = [ByteOrder::Big, ByteOrder::Little];

fn octets<T: Encode>(value: &T, order: ByteOrder, before: usize) -> Vec<u8> {
    let mut out = Encoder::with_buffer(vec![0; before], order, CodeSet::Utf8);
    value.encode(&mut out).unwrap();
    out.to_vec()
}

/// Encodes and decodes, at every alignment and in both orders.
fn round_trip<T: Encode + for<'a> Decode<'a> + PartialEq + std::fmt::Debug>(value: &T) {
    for order in ORDERS {
        for before in 0..8 {
            let octets = octets(value, order, before);
            let mut input = Decoder::at(&octets, before, order).with_code_set(CodeSet::Utf8);
            assert_eq!(&T::decode(&mut input).unwrap(), value, "{order:?}, {before} octets before");
            assert_eq!(input.remaining(), 0);
        }
    }
}

/// `struct Tree { string name; sequence<Tree> children; };`
fn tree() -> TypeCode {
    const ID: &str = "IDL:Tree:1.0";
    let children = TypeCode::sequence(TypeCode::recursive(ID), 0);
    TypeCode::structure(ID, "Tree", [("name", TypeCode::String(0)), ("children", children)])
}

/// A union over `long` with labels 1 and 2 and a default case.
fn shape() -> TypeCode {
    let cases = [
        (1, "radius", TypeCode::Double),
        (0, "text", TypeCode::String(0)),
        (-2, "corners", TypeCode::sequence(TypeCode::Short, 0)),
    ];
    TypeCode::union("IDL:Shape:1.0", "Shape", TypeCode::Long, Some(1), cases)
}

#[derive(Debug, PartialEq)]
struct Tree {
    name: String,
    children: Vec<Tree>,
}

impl Typed for Tree {
    fn type_code() -> TypeCode {
        tree()
    }
}

impl Encode for Tree {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> armilla_cdr::CdrResult {
        self.name.encode(out)?;
        self.children.encode(out)
    }
}

impl<'a> Decode<'a> for Tree {
    fn decode(input: &mut Decoder<'a>) -> armilla_cdr::CdrResult<Self> {
        Ok(Self { name: Decode::decode(input)?, children: Decode::decode(input)? })
    }
}

#[test]
fn a_value_comes_out_as_the_type_that_it_went_in_as() {
    let bounded = TypeCode::sequence(TypeCode::Char, 3);
    let chars = TypeCode::alias("IDL:Chars:1.0", "Chars", bounded.clone());
    let any = Any::with_type(chars.clone(), &b"abc".to_vec()).unwrap();
    assert_eq!(any.get::<Vec<u8>>().unwrap(), None, "octets are no characters");
    assert_eq!(any.get_as::<Vec<u8>>(&chars).unwrap().as_deref(), Some(&b"abc"[..]));
    assert_eq!(any.get_as::<Vec<u8>>(&bounded).unwrap().as_deref(), Some(&b"abc"[..]));
    let unbounded = TypeCode::sequence(TypeCode::Char, 0);
    assert_eq!(any.get_as::<Vec<u8>>(&unbounded).unwrap(), None, "another bound");
    let letter = Any::with_type(TypeCode::Char, &b'x').unwrap();
    assert_eq!(letter.get_as::<u8>(&TypeCode::Char).unwrap(), Some(b'x'));
    let number = Any::new(&7_i32).unwrap();
    assert!(number.get_as::<i16>(&TypeCode::Long).is_err(), "more octets than are read");
    assert!(number.get_as::<i64>(&TypeCode::Long).is_err(), "fewer");
}

#[test]
fn every_kind_of_type_survives_the_wire() {
    let colours = TypeCode::enumeration("IDL:Colour:1.0", "Colour", ["red", "green"]);
    let types = [
        TypeCode::Null,
        TypeCode::LongLong,
        TypeCode::String(17),
        TypeCode::WString(0),
        TypeCode::Fixed { digits: 31, scale: -4 },
        TypeCode::object_reference("IDL:Bank/Account:1.0", "Account"),
        TypeCode::array(TypeCode::array(TypeCode::Octet, 3), 4),
        TypeCode::alias("IDL:Name:1.0", "Name", TypeCode::String(0)),
        TypeCode::exception("IDL:Lost:1.0", "Lost", [("where", TypeCode::Any)]),
        colours.clone(),
        shape(),
        tree(),
        TypeCode::structure("IDL:Both:1.0", "Both", [("a", tree()), ("b", colours)]),
    ];
    types.iter().for_each(round_trip);
}

#[test]
fn a_part_that_stands_several_times_is_written_once() {
    let mut ty = TypeCode::sequence(TypeCode::Long, 0);
    for level in 0..30 {
        let members = [("left", ty.clone()), ("right", ty)];
        ty = TypeCode::structure(format!("IDL:Level{level}:1.0"), "", members);
    }
    let octets = octets(&ty, ByteOrder::NATIVE, 0);
    assert!(octets.len() < 4096, "{} octets for 30 levels", octets.len());
    let start = Instant::now();
    let mut input = Decoder::new(&octets, ByteOrder::NATIVE);
    assert_eq!(TypeCode::decode(&mut input).unwrap(), ty);
    assert!(start.elapsed() < Duration::from_secs(60), "2³⁰ pairs would take longer");
}

#[test]
fn equality_counts_names_and_equivalence_does_not() {
    let named = TypeCode::alias("IDL:Name:1.0", "Name", TypeCode::String(0));
    assert_ne!(named, TypeCode::String(0));
    assert!(named.is_equivalent(&TypeCode::String(0)));
    assert!(!named.is_equivalent(&TypeCode::String(8)));

    let with = |name: &str, ty| TypeCode::structure("IDL:S:1.0", name, [(name, ty)]);
    assert_ne!(with("a", TypeCode::Long), with("b", TypeCode::Long));
    assert!(with("a", TypeCode::Long).is_equivalent(&with("b", TypeCode::Long)));

    let anonymous = |ty| TypeCode::structure("", "", [("", ty)]);
    assert!(anonymous(TypeCode::Long).is_equivalent(&with("a", TypeCode::Long)));
    assert!(!anonymous(TypeCode::Short).is_equivalent(&with("a", TypeCode::Long)));
    assert_eq!(tree(), tree());
    assert!(!tree().is_equivalent(&shape()));
}

#[test]
fn values_go_in_and_come_out_as_the_type_that_they_are_of() {
    let leaf = |name: &str| Tree { name: name.into(), children: Vec::new() };
    let ash = Tree { name: "Ähre".into(), children: vec![leaf("a"), leaf("b")] };
    let any = Any::new(&ash).unwrap();
    assert_eq!(any.get::<Tree>().unwrap(), Some(ash));
    assert_eq!(any.get::<String>().unwrap(), None);
    round_trip(&any);
    round_trip(&Any::new(&any).unwrap());
    round_trip(&Any::new(&vec![1.5, f64::INFINITY]).unwrap());
    round_trip(&Any::new(&[[1_i16, 2, 3], [4, 5, 6]]).unwrap());
    round_trip(&Any::new(&tree()).unwrap());
    round_trip(&Any::default());
}

#[test]
fn a_long_string_or_sequence_of_octets_is_lent_and_reads_the_same() {
    let plain = "x".repeat(100_000);
    let accented = "é".repeat(50_000);
    let values = [
        (Any::new(&plain).unwrap(), 3),
        (Any::new(&"x".repeat(100)).unwrap(), 1),
        (Any::new(&plain.as_bytes().to_vec()).unwrap(), 2),
        (Any::with_type(alias(TypeCode::String(0)), &plain).unwrap(), 3),
        // Its octets are others in other code sets.
        (Any::new(&accented).unwrap(), 1),
    ];
    for order in ORDERS {
        for (any, parts) in &values {
            let mut out = Encoder::with_buffer(vec![0; 3], order, CodeSet::Utf8);
            any.write_borrowed(&mut out).unwrap();
            assert_eq!(out.parts().filter(|part| !part.is_empty()).count(), *parts, "{any:?}");
            let mut copied = Encoder::with_buffer(vec![0; 3], order, CodeSet::Utf8);
            any.write(&mut copied).unwrap();
            assert_eq!(out.to_vec(), copied.to_vec());
        }
    }
    let converted = Any::new(&accented).unwrap();
    let mut latin = Encoder::with_buffer(Vec::new(), ByteOrder::Big, CodeSet::Iso8859_1);
    converted.write_borrowed(&mut latin).unwrap();
    assert_eq!(latin.to_vec().len(), 4 + 50_000 + 1);
}

fn alias(ty: TypeCode) -> TypeCode {
    TypeCode::alias("IDL:Text:1.0", "Text", ty)
}

#[test]
fn each_case_of_a_union_passes_through() {
    let code = shape();
    let check = |label, put: &dyn Fn(&mut Encoder<'_>)| {
        let mut out = Encoder::with_buffer(Vec::new(), ByteOrder::Big, CodeSet::Iso8859_1);
        code.encode(&mut out).unwrap();
        out.put_i32(label);
        put(&mut out);
        let sent = out.to_vec();
        let any = Any::decode(&mut Decoder::new(&sent, ByteOrder::Big)).unwrap();
        assert_eq!(octets_of(&any), sent, "label {label}");
    };
    check(1, &|out| out.put_f64(2.5));
    check(-2, &|out| {
        out.put_u32(2);
        out.copy_i16s(&[1, 2]);
    });
    check(7, &|out| out.put_string("seven, by default").unwrap());
}

#[test]
fn an_exception_may_lack_its_repository_id_and_passes_through_as_it_came() {
    let lost = TypeCode::exception("IDL:Lost:1.0", "Lost", [("why", TypeCode::String(0))]);
    for id in [Some("IDL:Lost:1.0"), None] {
        let mut out = Encoder::with_buffer(Vec::new(), ByteOrder::Big, CodeSet::Utf8);
        lost.encode(&mut out).unwrap();
        id.into_iter().for_each(|id| out.put_string(id).unwrap());
        out.put_string("because").unwrap();
        let sent = out.to_vec();
        let any = Any::decode(&mut Decoder::new(&sent, ByteOrder::Big)).unwrap();
        assert_eq!(octets_of(&any), sent, "{id:?}");
    }
    // One without members is nothing then, also at the end of a message.
    let empty = TypeCode::exception("IDL:Empty:1.0", "Empty", [] as [(&str, TypeCode); 0]);
    let sent = octets(&empty, ByteOrder::Big, 0);
    let any = Any::decode(&mut Decoder::new(&sent, ByteOrder::Big)).unwrap();
    assert_eq!((any.type_code(), octets_of(&any)), (&empty, sent));
}

#[test]
fn a_value_that_is_not_of_its_type_is_refused() {
    assert!(Any::with_type(TypeCode::Char, &b'x').is_ok());
    for wrong in [TypeCode::Long, TypeCode::Null, TypeCode::String(0), TypeCode::Boolean] {
        assert!(Any::with_type(wrong.clone(), &b'x').is_err(), "{wrong:?}");
    }
}

#[test]
fn a_type_that_nests_too_deep_ends_in_an_error_at_once() {
    // 800 KB: sequences within sequences, each an encapsulation in the one before.
    let mut octets = Vec::new();
    for level in 0_u32..66_000 {
        let left = (66_000 - level) * 12 - 8;
        octets.extend(19_u32.to_be_bytes());
        octets.extend(left.to_be_bytes());
        octets.extend([0; 4]);
    }
    let start = Instant::now();
    let error = TypeCode::decode(&mut Decoder::new(&octets, ByteOrder::Big)).unwrap_err();
    assert!(matches!(error.kind, CdrErrorKind::TooDeep { limit: 64 }), "{error}");
    assert!(start.elapsed() < Duration::from_secs(60));
}

#[test]
fn values_that_take_no_octets_are_refused() {
    let nothing = TypeCode::structure("IDL:Nothing:1.0", "", [("", TypeCode::Null)]);
    let many = TypeCode::array(TypeCode::array(nothing, u32::MAX), u32::MAX);
    let octets = octets(&many, ByteOrder::NATIVE, 0);
    let start = Instant::now();
    assert!(Any::decode(&mut Decoder::new(&octets, ByteOrder::NATIVE)).is_err());
    assert!(start.elapsed() < Duration::from_secs(60));
}

#[test]
fn damaged_octets_end_in_an_error_or_in_another_value() {
    let leaf = Tree { name: "leaf".into(), children: Vec::new() };
    let ash = Tree { name: "ash".into(), children: vec![leaf] };
    let whole = octets(&Any::new(&ash).unwrap(), ByteOrder::Little, 0);
    for end in 0..whole.len() {
        assert!(Any::decode(&mut Decoder::new(&whole[..end], ByteOrder::Little)).is_err());
    }
    for bit in 0..whole.len() * 8 {
        let mut damaged = whole.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        if let Ok(any) = Any::decode(&mut Decoder::new(&damaged, ByteOrder::Little)) {
            octets(&any, ByteOrder::Little, 0);
        }
    }
}

#[test]
fn random_types_and_values_survive_the_wire() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    for round in 0..500 {
        let ty = random.ty(3);
        round_trip(&ty);
        let mut out = Encoder::with_buffer(Vec::new(), ByteOrder::Big, CodeSet::Utf8);
        out.copy_raw(&octets(&ty, ByteOrder::Big, 0));
        random.value(&ty, &mut out);
        let sent = out.to_vec();
        let any = Any::decode(&mut Decoder::new(&sent, ByteOrder::Big)).unwrap();
        assert_eq!(octets_of(&any), sent, "round {round}: {ty:?}");
        round_trip(&any);
    }
}

fn octets_of(any: &Any) -> Vec<u8> {
    octets(any, ByteOrder::Big, 0)
}

/// A deterministic source of types and values.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    fn ty(&mut self, depth: u32) -> TypeCode {
        let simple = [
            TypeCode::Short,
            TypeCode::ULong,
            TypeCode::LongLong,
            TypeCode::Float,
            TypeCode::Double,
            TypeCode::Boolean,
            TypeCode::Char,
            TypeCode::Octet,
            TypeCode::String(0),
        ];
        match self.below(if depth == 0 { 6 } else { 12 }) {
            6 => TypeCode::sequence(self.ty(depth - 1), 0),
            7 => TypeCode::array(self.ty(depth - 1), 1 + self.below(3) as u32),
            8 => TypeCode::alias("IDL:Alias:1.0", "Alias", self.ty(depth - 1)),
            9 | 10 => {
                let members = (0..=self.below(3)).map(|i| (format!("m{i}"), self.ty(depth - 1)));
                let members: Vec<_> = members.collect();
                TypeCode::structure("IDL:Struct:1.0", "Struct", members)
            }
            11 => TypeCode::enumeration("IDL:Enum:1.0", "Enum", ["a", "b", "c"]),
            _ => simple[self.below(simple.len() as u64) as usize].clone(),
        }
    }

    fn value(&mut self, ty: &TypeCode, out: &mut Encoder<'_>) {
        let number = self.below(1 << 48);
        match ty {
            TypeCode::Short => out.put_u16(number as u16),
            TypeCode::ULong => out.put_u32(number as u32),
            TypeCode::LongLong => out.put_u64(number),
            TypeCode::Float => out.put_f32(number as f32),
            TypeCode::Double => out.put_f64(number as f64),
            TypeCode::Boolean => out.put_bool(number & 1 == 0),
            TypeCode::Char | TypeCode::Octet => out.put_u8(number as u8),
            TypeCode::String(_) => out.put_string(&"x".repeat(number as usize % 9)).unwrap(),
            TypeCode::Enum(code) => out.put_u32(number as u32 % code.enumerators.len() as u32),
            TypeCode::Alias(code) => self.value(&code.ty, out),
            TypeCode::Struct(code) => code.members.iter().for_each(|m| self.value(&m.ty, out)),
            TypeCode::Sequence(element, _) => {
                let length = number % 4;
                out.put_u32(length as u32);
                (0..length).for_each(|_| self.value(element, out));
            }
            TypeCode::Array(element, length) => {
                (0..*length).for_each(|_| self.value(element, out));
            }
            _ => {}
        }
    }
}

/// Boxed strings in as many `any`s; all but the first are indirections to what is in the first.
fn shared_boxes(text: &str, count: usize) -> (TypeCode, Vec<u8>) {
    let code = TypeCode::value_box("IDL:T:1.0", "T", TypeCode::String(0));
    let mut out = Encoder::new(ByteOrder::Big);
    code.encode(&mut out).unwrap();
    let target = out.len().next_multiple_of(4);
    out.put_u32(0x7fff_ff00);
    out.put_string(text).unwrap();
    for _ in 1..count {
        code.encode(&mut out).unwrap();
        out.put_u32(0xffff_ffff);
        let here = out.len();
        out.put_i32(target as i32 - here as i32);
    }
    let octets = out.to_vec();
    (code, octets)
}

#[test]
fn anys_that_share_a_value_have_it_each() {
    let (code, octets) = shared_boxes("boxed", 3);
    let mut input = Decoder::new(&octets, ByteOrder::Big);
    let anys: Vec<Any> = (0..3).map(|_| Any::decode(&mut input).unwrap()).collect();
    assert_eq!((&anys[0], &anys[0]), (&anys[1], &anys[2]));
    assert_eq!(anys[1].type_code(), &code);
    let mut whole = anys[2].decoder();
    assert_eq!(whole.u32().unwrap(), 0x7fff_ff02, "what an any holds says its type");
    assert_eq!(whole.string().unwrap(), "IDL:T:1.0");
    assert_eq!(whole.string().unwrap(), "boxed");
    assert_eq!((whole.remaining(), input.remaining()), (0, 0));
}

#[test]
fn a_large_value_is_not_given_to_any_number_of_anys() {
    let (_, octets) = shared_boxes(&"b".repeat(1 << 20), 1000);
    let mut input = Decoder::new(&octets, ByteOrder::Big);
    let read = (0..1000).map_while(|_| Any::decode(&mut input).ok()).count();
    assert!((2..10).contains(&read), "{read} anys have the value");
}
