//! The servants of `idl/interop_values.idl`, `Interop::Exotics` and `Interop::Mirror`, and the
//! values that they create. The IDL specifies each operation.

use crate::interop::exotics::*;
use crate::interop::*;
use armilla::{
    Any, CdrResult, Completion, CustomMarshal, Decimal, Decoder, Encode, Encoder, Error,
    ExceptionKind, Minor, SystemException, TypeCode, Typed, Value, ValueBaseRef, WString,
};
use armilla_cdr::ByteOrder;

type Result<T, E = SystemException> = std::result::Result<T, E>;

/// Values of all types, also of types that the program does not know.
#[derive(Debug)]
pub struct ExoticsServant;

/// Valuetypes.
#[derive(Debug)]
pub struct MirrorServant;

/// The echo rule: returns the old value of `kept` and a copy of `given`; `kept` becomes `given`.
fn echo<T: Clone>(given: T, kept: &mut T) -> Result<(T, T)> {
    let copy = given.clone();
    Ok((std::mem::replace(kept, given), copy))
}

impl Exotics for ExoticsServant {
    fn echo_wchar(&self, given: char, kept: &mut char) -> Result<(char, char)> {
        echo(given, kept)
    }

    fn echo_wstring(&self, given: &str, kept: &mut WString) -> Result<(WString, WString)> {
        echo(given.into(), kept)
    }

    fn echo_caption(&self, given: &str, kept: &mut Caption) -> Result<(Caption, Caption)> {
        echo(given.into(), kept)
    }

    fn echo_wchar_seq(&self, given: &[char], kept: &mut WCharSeq) -> Result<(WCharSeq, WCharSeq)> {
        echo(given.to_vec(), kept)
    }

    fn echo_wstring_seq(
        &self,
        given: &[WString],
        kept: &mut WStringSeq,
    ) -> Result<(WStringSeq, WStringSeq)> {
        echo(given.to_vec(), kept)
    }

    fn echo_price(&self, given: Price, kept: &mut Price) -> Result<(Price, Price)> {
        echo(given, kept)
    }

    fn echo_whole(&self, given: Whole, kept: &mut Whole) -> Result<(Whole, Whole)> {
        echo(given, kept)
    }

    fn echo_fraction(&self, given: Fraction, kept: &mut Fraction) -> Result<(Fraction, Fraction)> {
        echo(given, kept)
    }

    fn echo_price_seq(&self, given: &[Price], kept: &mut PriceSeq) -> Result<(PriceSeq, PriceSeq)> {
        echo(given.to_vec(), kept)
    }

    fn echo_label(&self, given: &Label, kept: &mut Label) -> Result<(Label, Label)> {
        echo(given.clone(), kept)
    }

    fn echo_any(&self, given: &Any, kept: &mut Any) -> Result<(Any, Any)> {
        echo(given.clone(), kept)
    }

    fn echo_type(&self, given: &TypeCode, kept: &mut TypeCode) -> Result<(TypeCode, TypeCode)> {
        echo(given.clone(), kept)
    }

    fn raise_rejected(
        &self,
        reason: &str,
        evidence: &Any,
        cost: Price,
    ) -> Result<(), Error<RaiseRejectedRaises>> {
        Err(Rejected { reason: reason.into(), evidence: evidence.clone(), cost }.into())
    }

    fn make_any(&self, which: i32) -> Result<Any> {
        made(which)
    }

    fn is_made(&self, which: i32, given: &Any) -> Result<bool> {
        Ok(same_content(&made(which)?, given))
    }
}

/// The number of values of `make_any`.
pub const MADE: i32 = 27;

/// The values of `make_any`.
///
/// # Errors
/// `BAD_PARAM` for an unknown number.
pub fn made(which: i32) -> Result<Any> {
    const EURO: char = '\u{20ac}';
    let made = match which {
        0 => Ok(Any::default()),
        1 => Any::new(&-2_i16),
        2 => Any::new(&4_000_000_000_u32),
        3 => Any::new(&i64::MIN),
        4 => Any::new(&0.5_f64),
        5 => Any::new(&true),
        6 => Any::with_type(TypeCode::Char, &b'c'),
        7 => Any::new(&EURO),
        8 => Any::new(&255_u8),
        9 => Any::new("text"),
        10 => Any::new(&WString::from("wide \u{20ac}")),
        11 => Any::new(&Decimal::<18, 6>::constant(123_456_789_012_345_678)),
        12 => Any::new(&Colour::Blue),
        13 => Any::new(&BinStruct { s: 1, c: b'2', l: 3, o: 4, d: 5.5 }),
        14 => Any::new(&ByLong::Text("chosen".into())),
        15 => {
            let inner = Folder { name: "inner".into(), children: Vec::new(), depth: 2 };
            Any::new(&Folder { name: "outer".into(), children: vec![inner], depth: 1 })
        }
        16 => {
            let terms = vec![Expression::Value(2.5), Expression::Terms(Vec::new())];
            Any::new(&Expression::Terms(terms))
        }
        17 => Any::new(&vec![1, 2, 3]),
        18 => Any::new(&[1, 2, 3]),
        19 => Any::new(&vec!["a".to_owned(), String::new()]),
        20 => Any::new(&5_i32).and_then(|inner| Any::new(&inner)),
        21 => Any::new(&Folder::type_code()),
        22 => Any::new(&Failed { reason: "why".into(), code: 9 }),
        23 => Any::new(&Some(Value::new(Node { number: 7, next: None, weight: 0.5 }))),
        24 => Any::new(&Some(Value::new(Letters("boxed".into())))),
        25 => {
            let base = Node { number: 8, next: None, weight: 1.5 };
            let leaf = Value::new(Leaf { base, title: "leaf".to_owned(), extra: None });
            Any::with_type(Node::type_code(), &Some(leaf.upcast::<Node>()))
        }
        26 => Any::new(&Some(Value::new(Stamp { seconds: -5, zone: "UTC".to_owned() }))),
        _ => return Err(bad_param()),
    };
    made.map_err(|error| {
        SystemException::new(ExceptionKind::Internal, Minor::default(), Completion::No)
            .with_reason(error.to_string())
    })
}

fn bad_param() -> SystemException {
    SystemException::new(ExceptionKind::BadParam, Minor::default(), Completion::No)
}

/// Whether two anys contain the same value of equivalent types. One may have a typedef where the
/// other has its original type, and one may repeat a type id that the TypeCode of the value
/// contains.
pub fn same_content(one: &Any, other: &Any) -> bool {
    let node = |any: &Any| any.get::<NodeRef>().ok().flatten().flatten();
    if let Some((one, other)) = node(one).zip(node(other)) {
        let title =
            |node: Value<Node>| node.downcast::<Leaf>().map(|leaf| leaf.get().title.clone());
        return *one.get() == *other.get() && title(one) == title(other);
    }
    let failed = |any: &Any| any.get::<Failed>().ok().flatten();
    if let Some((one, other)) = failed(one).zip(failed(other)) {
        return one == other;
    }
    let letters = |any: &Any| any.get::<LettersRef>().ok().flatten().flatten();
    if let Some((one, other)) = letters(one).zip(letters(other)) {
        return *one.get() == *other.get();
    }
    let stamp = |any: &Any| any.get::<StampRef>().ok().flatten().flatten();
    if let Some((one, other)) = stamp(one).zip(stamp(other)) {
        return *one.get() == *other.get();
    }
    let octets = |any: &Any| {
        let mut out = Encoder::new(ByteOrder::Big);
        any.write(&mut out).map(|()| out.to_vec()).ok()
    };
    one.type_code().is_equivalent(other.type_code()) && octets(one) == octets(other)
}

impl Mirror for MirrorServant {
    fn echo(&self, a: &NodeRef, b: &NodeRef) -> Result<(NodeRef, NodeRef)> {
        Ok((b.clone(), a.clone()))
    }

    fn echo_letters(&self, a: &LettersRef, b: &LettersRef) -> Result<(LettersRef, bool)> {
        Ok((a.clone(), a == b))
    }

    fn echo_numbers(&self, given: &NumbersRef) -> Result<(NumbersRef, NumbersRef)> {
        Ok((given.clone(), given.clone()))
    }

    fn echo_stamp(&self, given: &StampRef) -> Result<(StampRef, StampRef)> {
        Ok((given.clone(), given.clone()))
    }

    fn echo_nodes(&self, given: &[NodeRef]) -> Result<NodeSeq> {
        Ok(given.to_vec())
    }

    fn echo_base(&self, given: &ValueBaseRef) -> Result<ValueBaseRef> {
        Ok(given.clone())
    }

    fn are_one(&self, a: &NodeRef, b: &NodeRef) -> Result<bool> {
        Ok(a == b)
    }

    fn sum(&self, first: &NodeRef) -> Result<i32> {
        let mut seen = Vec::new();
        let mut next = first.clone();
        while let Some(node) = next.filter(|node| !seen.contains(node)) {
            next = node.get().next.clone();
            seen.push(node);
        }
        Ok(seen.iter().fold(0, |sum: i32, node| sum.wrapping_add(node.get().number)))
    }

    fn make(&self, number: i32) -> Result<LeafRef> {
        let node = Value::new(Node { number: 5, next: None, weight: 2.5 });
        let leaf = leaf(number, &node, "made");
        if number == 2 {
            node.update(|node| node.next = Some(leaf.upcast()));
        }
        Ok(Some(leaf))
    }

    fn make_branch(&self, depth: i32) -> Result<BranchRef> {
        Ok(Some(branch(depth)))
    }
}

/// A leaf whose next node and extra node are `node`.
pub fn leaf(number: i32, node: &Value<Node>, title: &str) -> Value<Leaf> {
    let base = Node { number, next: Some(node.clone()), weight: 1.5 };
    Value::new(Leaf { base, title: title.to_owned(), extra: Some(node.clone()) })
}

/// The value of `make_branch`.
pub fn branch(depth: i32) -> Value<Branch> {
    let mut children = Vec::new();
    if depth > 0 {
        let child = Some(branch(depth - 1).upcast());
        children = vec![child.clone(), child];
    }
    let base = Node { number: depth, next: None, weight: 0.0 };
    let base = Leaf { base, title: String::new(), extra: None };
    Value::new(Branch { base, children, mark: 165 })
}

impl CustomMarshal for Stamp {
    fn marshal<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        out.put_i64(self.seconds);
        self.zone.encode(out)?;
        out.put_u8(165);
        Ok(())
    }

    fn unmarshal(input: &mut Decoder<'_>) -> CdrResult<Self> {
        let (seconds, zone) = (input.i64()?, input.string()?.into_owned());
        match input.u8()? {
            165 => Ok(Self { seconds, zone }),
            mark => Err(input.invalid_enum("the mark behind Interop::Stamp", mark.into())),
        }
    }
}
