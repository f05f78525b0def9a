//! Checks of wide text, fixed-point numbers, values with their types, and types as values.

use super::{Checks, expect_same};
use crate::exotics::{MADE, made, same_content};
use crate::interop::exotics::RaiseRejectedRaises;
use crate::interop::*;
use crate::report::{Outcome, expect};
use armilla::{Any, Error, ExceptionKind, Object, SystemException, TypeCode, Typed, WString};
use std::fmt::Debug;

/// Texts with characters of each length in UTF-8 and UTF-16.
const TEXTS: [&str; 5] = ["", "x", "wide \u{e9}\u{20ac}\u{ffee}", "\u{10348}\u{1f600}", "last"];

/// A number that has as many digits as its type: JacORB writes no zeroes before shorter ones.
const ALL_DIGITS: i128 = 123_456_789_012_345_678;

impl Checks<'_> {
    pub(super) fn exotics(&mut self) {
        let mut found = None;
        self.check("exotics", "narrows", |echo| {
            found = Some(echo.exotics()?.narrow::<dyn Exotics>()?);
            Ok(())
        });
        let Some(exotics) = found else { return };
        self.wide(&exotics);
        self.fixed(&exotics);
        self.anys(&exotics);
        self.type_codes(&exotics);
        self.rejected(&exotics);
    }

    fn exchange_all<T: Clone + PartialEq + Debug>(
        &mut self,
        operation: &str,
        case: &str,
        values: &[T],
        call: impl Fn(&T, &mut T) -> Result<(T, T), SystemException>,
    ) {
        self.check(operation, case, |_| {
            for (given, before) in values.iter().zip(values.iter().cycle().skip(1)) {
                exchanged(given, before, &call)?;
            }
            Ok(())
        });
    }

    fn wide(&mut self, exotics: &ExoticsRef) {
        let characters: Vec<char> = "aZ\u{7f}\u{80}\u{ff}\u{100}\u{20ac}\u{ffee}".chars().collect();
        self.exchange_all("echo_wchar", "beyond_latin_1", &characters, |given, kept| {
            exotics.echo_wchar(*given, kept)
        });
        let texts = TEXTS.map(WString::from);
        self.exchange_all("echo_wstring", "every_length", &texts, |given, kept| {
            exotics.echo_wstring(given, kept)
        });
        let long = [WString::from("w".repeat(50_000)), WString::from("\u{20ac}".repeat(50_001))];
        self.exchange_all("echo_wstring", "100_kb", &long, |given, kept| {
            exotics.echo_wstring(given, kept)
        });
        let captions = ["", "12345678", "\u{20ac}"].map(Caption::from);
        self.exchange_all("echo_caption", "full", &captions, |given, kept| {
            exotics.echo_caption(given, kept)
        });
        let sequences = [characters, Vec::new(), vec!['\u{20ac}'; 1000]];
        self.exchange_all("echo_wchar_seq", "lengths", &sequences, |given, kept| {
            exotics.echo_wchar_seq(given, kept)
        });
        let sequences = [texts.to_vec(), Vec::new()];
        self.exchange_all("echo_wstring_seq", "lengths", &sequences, |given, kept| {
            exotics.echo_wstring_seq(given, kept)
        });
        let label = |initial, text: &str, unscaled| Label {
            lead: 1,
            initial,
            middle: 2,
            text: text.into(),
            cost: Price::constant(unscaled),
            tail: 3,
        };
        let labels = [
            label('\u{20ac}', "odd", ALL_DIGITS),
            label('x', "", -ALL_DIGITS),
            label('y', "even", ALL_DIGITS),
        ];
        self.exchange_all("echo_label", "alignment", &labels, |given, kept| {
            exotics.echo_label(given, kept)
        });
    }

    fn fixed(&mut self, exotics: &ExoticsRef) {
        const LARGEST: i128 = 999_999_999_999_999_999;
        let all_digits = [ALL_DIGITS, -ALL_DIGITS].map(Price::constant);
        self.exchange_all("echo_price", "all_digits", &all_digits, |given, kept| {
            exotics.echo_price(*given, kept)
        });
        let prices = [0, 1, -1, 1_500_000, LARGEST, -LARGEST].map(Price::constant);
        self.exchange_all("echo_price", "extremes", &prices, |given, kept| {
            exotics.echo_price(*given, kept)
        });
        let nines = 10_i128.pow(31) - 1;
        let wholes = [0, -7, nines, -nines].map(Whole::constant);
        self.exchange_all("echo_whole", "31_digits", &wholes, |given, kept| {
            exotics.echo_whole(*given, kept)
        });
        let fractions = [0, 1, -99_999, 99_999].map(Fraction::constant);
        self.exchange_all("echo_fraction", "below_one", &fractions, |given, kept| {
            exotics.echo_fraction(*given, kept)
        });
        let sequences = [prices.to_vec(), Vec::new()];
        self.exchange_all("echo_price_seq", "lengths", &sequences, |given, kept| {
            exotics.echo_price_seq(given, kept)
        });
    }

    // ---- Values with their types ---------------------------------------------------------------

    fn anys(&mut self, exotics: &ExoticsRef) {
        for which in 0..MADE {
            let name = made(which).map_or_else(|_| which.to_string(), |any| kind(any.type_code()));
            self.check("make_any", &format!("{which}_{name}"), |_| {
                let (got, wanted) = (exotics.make_any(which)?, made(which)?);
                expect(same_content(&got, &wanted), format!("{got:?} instead of {wanted:?}"))
            });
            self.check("is_made", &format!("{which}_{name}"), |_| {
                expect(exotics.is_made(which, &made(which)?)?, "the server has another")?;
                let other = made(other_than(which))?;
                expect(!exotics.is_made(which, &other)?, "the server takes another for it")
            });
            self.check("echo_any", &format!("{which}_{name}"), |_| {
                let (given, before) = (made(which)?, made(other_than(which))?);
                exchanged_anys(exotics, &given, &before)
            });
        }
        let ours = [Any::new(self.echo.object()), Any::new(&Object::nil())];
        for (any, name) in ours.into_iter().zip(["echo_any/reference", "echo_any/nil"]) {
            let (operation, case) = name.split_once('/').unwrap_or_default();
            self.check(operation, case, |_| exchanged_anys(exotics, &any?, &Any::default()));
        }
        self.check("make_any", "bad_number", |_| match exotics.make_any(-1) {
            Err(error) => expect(error.kind() == ExceptionKind::BadParam, error),
            Ok(any) => expect(false, format!("{any:?}")),
        });
    }

    // ---- Types as values -----------------------------------------------------------------------

    fn type_codes(&mut self, exotics: &ExoticsRef) {
        for (name, code) in codes() {
            self.check("echo_type", name, |_| {
                let before = TypeCode::sequence(TypeCode::Octet, 3);
                exchanged(&code, &before, |given, kept| exotics.echo_type(given, kept))
            });
        }
    }

    fn rejected(&mut self, exotics: &ExoticsRef) {
        self.check("raise_rejected", "members", |_| {
            let (evidence, cost) = (made(15)?, Price::constant(-ALL_DIGITS));
            match exotics.raise_rejected("why \u{20ac}", &evidence, cost) {
                Err(Error::User(RaiseRejectedRaises::Rejected(raised))) => {
                    expect(*raised.reason == *"why \u{20ac}", "another reason")?;
                    expect_same("cost", &raised.cost, &cost)?;
                    expect(same_content(&raised.evidence, &evidence), "another evidence")
                }
                other => expect(false, format!("{other:?}")),
            }
        });
    }
}

fn exchanged<T: Clone + PartialEq + Debug>(
    given: &T,
    before: &T,
    call: impl Fn(&T, &mut T) -> Result<(T, T), SystemException>,
) -> Outcome {
    let mut kept = before.clone();
    let (result, copy) = call(given, &mut kept)?;
    for (what, got, wanted) in
        [("result", &result, before), ("copy", &copy, given), ("kept", &kept, given)]
    {
        expect(got == wanted, format!("{what} is {got:?} instead of {wanted:?}"))?;
    }
    Ok(())
}

fn exchanged_anys(exotics: &ExoticsRef, given: &Any, before: &Any) -> Outcome {
    let mut kept = before.clone();
    let (result, copy) = exotics.echo_any(given, &mut kept)?;
    for (what, got, wanted) in
        [("result", &result, before), ("copy", &copy, given), ("kept", &kept, given)]
    {
        expect(same_content(got, wanted), format!("{what} is {got:?} instead of {wanted:?}"))?;
        // What was not made here keeps all names.
        expect(got.type_code() == wanted.type_code(), format!("{what} has lost names"))?;
    }
    Ok(())
}

/// A value that all peers can make, but not this one.
const fn other_than(which: i32) -> i32 {
    if which == 1 { 2 } else { 1 }
}

fn kind(code: &TypeCode) -> String {
    let text = format!("{code:?}");
    let end = text.find(|c: char| !c.is_alphanumeric()).unwrap_or(text.len());
    text[..end].to_lowercase()
}

/// TypeCodes of every kind that both peers know, and the shapes that go wrong.
fn codes() -> Vec<(&'static str, TypeCode)> {
    let mut codes = codes_of_simple_types();
    codes.extend(codes_of_our_idl());
    codes.extend(codes_made_here());
    codes
}

fn codes_of_simple_types() -> Vec<(&'static str, TypeCode)> {
    vec![
        ("null", TypeCode::Null),
        ("void", TypeCode::Void),
        ("short", TypeCode::Short),
        ("ulonglong", TypeCode::ULongLong),
        ("any", TypeCode::Any),
        ("type_code", TypeCode::TypeCode),
        ("wchar", TypeCode::WChar),
        ("string", TypeCode::String(0)),
        ("bounded_string", TypeCode::String(16)),
        ("bounded_wstring", TypeCode::WString(8)),
        ("fixed", TypeCode::Fixed { digits: 18, scale: 6 }),
        ("object", TypeCode::object_reference("IDL:omg.org/CORBA/Object:1.0", "Object")),
        ("sequence", TypeCode::sequence(TypeCode::Long, 0)),
        ("bounded_sequence", TypeCode::sequence(TypeCode::Any, 5)),
        ("array", TypeCode::array(TypeCode::array(TypeCode::Double, 3), 2)),
    ]
}

fn codes_of_our_idl() -> Vec<(&'static str, TypeCode)> {
    vec![
        ("interface", <EchoRef as Typed>::type_code()),
        ("enum", Colour::type_code()),
        ("struct", Basics::type_code()),
        ("struct_of_variable_size", Person::type_code()),
        ("union", ByLong::type_code()),
        ("union_by_enum", ByColour::type_code()),
        ("union_by_boolean", ByBoolean::type_code()),
        ("union_by_char", ByChar::type_code()),
        ("union_by_longlong", ByLongLong::type_code()),
        ("union_in_union", ByKind::type_code()),
        ("exception", Failed::type_code()),
        ("recursive_struct", Folder::type_code()),
        ("recursive_union", Expression::type_code()),
        ("value", Node::type_code()),
        ("derived_value", Branch::type_code()),
        ("custom_value", Stamp::type_code()),
    ]
}

fn codes_made_here() -> Vec<(&'static str, TypeCode)> {
    /// `VM_ABSTRACT`.
    const ABSTRACT: i16 = 2;
    let cases = [(-2, "one", TypeCode::Double), (7, "other", TypeCode::Any)];
    let id = "IDL:Made/Choice:1.0";
    let by_short = TypeCode::union(id, "Choice", TypeCode::Short, None, cases);
    let serial = TypeCode::alias("IDL:Made/Serial:1.0", "Serial", TypeCode::Long);
    let alias = TypeCode::alias("IDL:Made/SerialAlias:1.0", "SerialAlias", serial);
    let no_state: [(String, TypeCode, bool); 0] = [];
    let id = "IDL:Made/Abstract:1.0";
    let abstract_value = TypeCode::value(id, "Abstract", ABSTRACT, TypeCode::Null, no_state);
    vec![
        ("union_by_short", by_short),
        ("alias_of_alias", alias),
        ("nested_30", (0..30).fold(TypeCode::Long, |inner, _| TypeCode::sequence(inner, 0))),
        ("value_box", TypeCode::value_box("IDL:Made/Box:1.0", "Box", TypeCode::String(0))),
        ("abstract_value", abstract_value),
        ("abstract_interface", TypeCode::abstract_interface("IDL:Made/Print:1.0", "Print")),
    ]
}
