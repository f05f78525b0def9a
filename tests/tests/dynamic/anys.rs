//! TypeCodes and anys, remote and collocated.

use armilla::codegen::{Decode, Encode};
use armilla::dynamic::Context;
use armilla::{
    Any, Error, ExceptionKind, LongDouble, Object, Orb, SystemException, TypeCode, Typed, Version,
    WString,
};
use armilla_tests::dynamic::*;
use armilla_tests::orbs;
use std::fmt::Debug;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex};

type Result<T, E = SystemException> = std::result::Result<T, E>;

/// Does what `idl/dynamic.idl` says; refuses an any that holds a boolean.
#[derive(Debug, Default)]
struct Glass {
    level: AtomicI32,
}

fn echo<T: Clone>(given: &T, kept: &mut T) -> Result<(T, T)> {
    Ok((std::mem::replace(kept, given.clone()), given.clone()))
}

impl Mirror for Glass {
    fn echo_any(
        &self,
        given: &Any,
        kept: &mut Any,
    ) -> Result<(Any, Any), Error<mirror::EchoAnyRaises>> {
        if given.type_code() == &TypeCode::Boolean {
            let reason = "a boolean".to_owned();
            return Err(Refused { reason, evidence: given.clone() }.into());
        }
        Ok(echo(given, kept)?)
    }

    fn echo_type(&self, given: &TypeCode, kept: &mut TypeCode) -> Result<(TypeCode, TypeCode)> {
        echo(given, kept)
    }

    fn echo_wchar(&self, given: char, kept: &mut char) -> Result<(char, char)> {
        echo(&given, kept)
    }

    fn echo_wstring(&self, given: &str, kept: &mut WString) -> Result<(WString, WString)> {
        echo(&given.into(), kept)
    }

    fn echo_brief(&self, given: &str, kept: &mut Brief) -> Result<(Brief, Brief)> {
        echo(&given.into(), kept)
    }

    fn echo_price(&self, given: Price, kept: &mut Price) -> Result<(Price, Price)> {
        echo(&given, kept)
    }

    fn echo_exact(
        &self,
        given: LongDouble,
        kept: &mut LongDouble,
    ) -> Result<(LongDouble, LongDouble)> {
        echo(&given, kept)
    }

    fn echo_wide(&self, given: &Wide, kept: &mut Wide) -> Result<(Wide, Wide)> {
        echo(given, kept)
    }

    fn echo_sign(&self, given: &Sign, kept: &mut Sign) -> Result<(Sign, Sign)> {
        echo(given, kept)
    }

    fn echo_prices(&self, given: &Prices, kept: &mut Prices) -> Result<(Prices, Prices)> {
        echo(given, kept)
    }

    fn echo_paints(&self, given: &Paints, kept: &mut Paints) -> Result<(Paints, Paints)> {
        echo(given, kept)
    }

    fn echo_rights(&self, given: Rights, kept: &mut Rights) -> Result<(Rights, Rights)> {
        echo(&given, kept)
    }

    fn echo_status(&self, given: &Status, kept: &mut Status) -> Result<(Status, Status)> {
        echo(given, kept)
    }

    fn echo_extended(&self, given: &Extended, kept: &mut Extended) -> Result<(Extended, Extended)> {
        echo(given, kept)
    }

    fn echo_int8(&self, given: i8, kept: &mut i8) -> Result<(i8, i8)> {
        echo(&given, kept)
    }

    fn echo_uint8(&self, given: u8, kept: &mut u8) -> Result<(u8, u8)> {
        echo(&given, kept)
    }

    fn echo_narrows(&self, given: &[Narrow], kept: &mut Narrows) -> Result<(Narrows, Narrows)> {
        echo(&given.to_vec(), kept)
    }

    fn echo_signed(&self, given: &[i8], kept: &mut Signed) -> Result<(Signed, Signed)> {
        echo(&given.to_vec(), kept)
    }

    fn echo_small(&self, given: &Small, kept: &mut Small) -> Result<(Small, Small)> {
        echo(given, kept)
    }

    fn level(&self) -> Result<i32, Error<mirror::LevelGetRaises>> {
        match self.level.load(Ordering::Relaxed) {
            level @ 0.. => Ok(level),
            _ => Err(Unreadable.into()),
        }
    }

    fn set_level(&self, value: i32) -> Result<(), Error<mirror::LevelSetRaises>> {
        match value {
            0 => Err(Unwritable { value }.into()),
            _ => {
                self.level.store(value, Ordering::Relaxed);
                Ok(())
            }
        }
    }

    fn in_context(&self, given: &str, context: &Context) -> Result<String> {
        let seen = context.get_values("*").unwrap_or_default();
        Ok(seen
            .iter()
            .fold(given.to_owned(), |text, (name, value)| format!("{text} {name}={value}")))
    }

    fn echo_derived(&self, given: &Derived, kept: &mut Derived) -> Result<(Derived, Derived)> {
        echo(given, kept)
    }
}

/// Runs a suite collocated, then remote in the versions of GIOP that have all types.
fn near_and_far(suite: impl Fn(&MirrorRef, &Orb)) {
    let server = orbs::listening();
    let near = server.root_poa().activate(mirror::tie(Glass::default())).unwrap();
    suite(&near, &server);
    let client = orbs::client();
    let far = orbs::travel(&near, &client);
    assert!(far.local().is_none());
    suite(&far, &client);
    let client = orbs::builder().max_giop(Version::V1_1).build().unwrap();
    suite(&orbs::travel(&near, &client), &client);
    server.shutdown();
}

/// Checks the echo rule with two different values, in every position.
fn check<T: Clone + PartialEq + Debug, E: Debug>(
    given: T,
    before: T,
    call: impl FnOnce(&T, &mut T) -> Result<(T, T), E>,
) {
    let mut kept = before.clone();
    let (result, copy) = call(&given, &mut kept).unwrap();
    assert_eq!((result, copy, kept), (before, given.clone(), given));
}

fn part(n: u8) -> Part {
    Part { key: "x".repeat(n.into()), initials: [b'a', n, 0xe9], weight: n.into() }
}

fn tree(depth: usize) -> Tree {
    let leaf = Tree { name: "leaf".into(), children: Vec::new() };
    (0..depth).fold(leaf, |child, n| Tree { name: n.to_string(), children: vec![child] })
}

fn node(depth: i32) -> Node {
    match depth {
        0 => Node { number: 0, onward: node::Link::Unlisted { discriminator: false } },
        _ => Node { number: depth, onward: node::Link::Next(vec![node(depth - 1)]) },
    }
}

/// Sends a value within an any and takes it out of what comes back.
fn send<T>(mirror: &MirrorRef, value: &T)
where
    T: Typed + Encode + for<'a> Decode<'a> + PartialEq + Debug,
{
    let any = Any::new(value).unwrap();
    let (_, copy) = mirror.echo_any(&any, &mut Any::default()).unwrap();
    assert_eq!(copy, any);
    assert_eq!(copy.get::<T>().unwrap().as_ref(), Some(value));
}

#[test]
fn values_of_every_declared_type_travel_in_an_any() {
    near_and_far(|mirror, _| {
        send(mirror, &Colour::Green);
        send(mirror, &part(3));
        send(mirror, &vec![part(0), part(4)]);
        send(mirror, &Choice::Many(vec![part(1)]));
        send(mirror, &Choice::Text("two".into()));
        send(mirror, &tree(5));
        send(mirror, &node(4));
        send(mirror, &node(1).onward);
        send(mirror, &Forest { all: vec![node(1), node(0)] });
        send(mirror, &Derived { first: 1, second: "two".into() });
        send(mirror, &Refused { reason: "no".into(), evidence: Any::new(&7_i16).unwrap() });
        send(mirror, &Any::new(&tree(1)).unwrap());
        send(mirror, &Part::type_code());
    });
}

#[test]
fn an_any_gives_no_value_of_another_type() {
    let any = Any::new(&part(1)).unwrap();
    assert_eq!(any.get::<Colour>().unwrap(), None);
    assert_eq!(any.get::<Parts>().unwrap(), None);
    assert!(Any::new(&part(5)).is_err(), "longer than its bound");
}

#[test]
fn references_travel_in_an_any_and_can_be_called() {
    near_and_far(|mirror, orb| {
        let any = Any::new(mirror).unwrap();
        let (_, copy) = mirror.echo_any(&any, &mut Any::default()).unwrap();
        let found: MirrorRef = copy.get_with_context(orb).unwrap().unwrap();
        check(TypeCode::Long, TypeCode::Null, |g, k| found.echo_type(g, k));
    });
}

#[test]
fn every_reference_comes_out_of_an_any_as_an_object() {
    near_and_far(|mirror, orb| {
        let (_, copy) = mirror.echo_any(&Any::new(mirror).unwrap(), &mut Any::default()).unwrap();
        let object = copy.get_with_context::<Object>(orb).unwrap().unwrap();
        assert_eq!(object.narrow::<dyn Mirror>().unwrap().object(), mirror.object());
        let any = Any::new(&object).unwrap();
        assert_eq!(any.get_with_context::<MirrorRef>(orb).unwrap(), None, "one that says no more");
        assert_eq!(Any::new(&part(1)).unwrap().get_with_context::<Object>(orb).unwrap(), None);
    });
}

#[test]
fn values_of_typedefs_travel_in_an_any_with_the_names_and_bounds_of_their_types() {
    fn check<T>(mirror: &MirrorRef, code: &TypeCode, name: &str, value: &T)
    where
        T: Encode + for<'a> Decode<'a> + PartialEq + Debug,
    {
        let sent = Any::with_type(code.clone(), value).unwrap();
        let (_, copy) = mirror.echo_any(&sent, &mut Any::default()).unwrap();
        assert_eq!(copy.type_code(), code);
        assert_eq!(code.name(), Some(name));
        assert_eq!(code.id(), Some(&*format!("IDL:armilla.org/Dynamic/{name}:1.0")));
        assert_eq!(copy.get_as::<T>(code).unwrap().as_ref(), Some(value));
    }
    near_and_far(|mirror, _| {
        check(mirror, &code_type_code(), "Code", &"abcd".to_owned());
        check(mirror, &letters_type_code(), "Letters", b"abc");
        check(mirror, &parts_type_code(), "Parts", &vec![part(1), part(2)]);
        check(mirror, &brief_type_code(), "Brief", &Brief::from("Øre"));
        check(mirror, &nodes_type_code(), "Nodes", &vec![node(2), node(0)]);
    });
    assert_eq!(code_any("abcd"), Any::with_type(code_type_code(), "abcd"));
    assert_eq!(letters_any(b"abc"), Any::with_type(letters_type_code(), b"abc"));
    assert_eq!(nodes_any(&[node(2)]), Any::with_type(nodes_type_code(), &vec![node(2)]));
    assert_eq!(brief_any("Øre"), Any::with_type(brief_type_code(), &Brief::from("Øre")));
    assert!(code_any("abcde").is_err() && brief_any("Øresund").is_err(), "beyond their bounds");
    assert!(Any::with_type(code_type_code(), "abcde").is_err(), "longer than its bound");
    assert_eq!(letters_type_code().resolved(), &TypeCode::array(TypeCode::Char, 3));
}

#[test]
fn an_any_travels_in_every_direction_and_in_exceptions() {
    near_and_far(|mirror, _| {
        let any = |n: i32| Any::new(&n).unwrap();
        check(any(1), any(2), |g, k| mirror.echo_any(g, k));
        let truth = Any::new(&true).unwrap();
        let refused = mirror.echo_any(&truth, &mut any(0)).unwrap_err();
        let expected = Refused { reason: "a boolean".into(), evidence: truth };
        assert_eq!(refused, expected.into());
    });
}

#[test]
fn types_travel_as_values() {
    near_and_far(|mirror, _| {
        for code in [
            Colour::type_code(),
            Part::type_code(),
            Choice::type_code(),
            Tree::type_code(),
            Node::type_code(),
            node::Link::type_code(),
            Forest::type_code(),
            Refused::type_code(),
            Derived::type_code(),
            MirrorRef::type_code(),
        ] {
            check(code, TypeCode::Void, |g, k| mirror.echo_type(g, k));
        }
    });
}

#[test]
fn a_type_code_keeps_names_bounds_aliases_and_characters() {
    let id = |name: &str| format!("IDL:armilla.org/Dynamic/{name}:1.0");
    let code = TypeCode::alias(id("Code"), "Code", TypeCode::String(4));
    let letters = TypeCode::alias(id("Letters"), "Letters", TypeCode::array(TypeCode::Char, 3));
    let members = [("key", code), ("initials", letters), ("weight", TypeCode::Double)];
    assert_eq!(Part::type_code(), TypeCode::structure(id("Part"), "Part", members));
    let members = [("first", TypeCode::Long), ("second", TypeCode::String(0))];
    assert_eq!(Derived::type_code(), TypeCode::structure(id("Derived"), "Derived", members));
}

#[test]
fn a_struct_begins_with_the_members_of_its_base() {
    near_and_far(|mirror, _| {
        let derived = |n: i32| Derived { first: n, second: n.to_string() };
        check(derived(1), derived(2), |g, k| mirror.echo_derived(g, k));
    });
}

#[test]
fn integers_of_eight_bits_arrive_in_every_direction() {
    near_and_far(|mirror, _| {
        check(i8::MIN, i8::MAX, |g, k| mirror.echo_int8(*g, k));
        check(u8::MAX, 0, |g, k| mirror.echo_uint8(*g, k));
        let narrow = |n: i8| Narrow { low: n, high: 200, wide: -70_000 };
        check((-9..9).map(narrow).collect(), vec![], |g, k| mirror.echo_narrows(g, k));
        check(vec![-1, 1, i8::MIN], vec![5], |g, k| mirror.echo_signed(g, k));
        let other = Small::Other { discriminator: 1, value: -1 };
        check(Small::Minus("one".into()), other.clone(), |g, k| mirror.echo_small(g, k));
        send(mirror, &other);
        send(mirror, &Small::Minus("one".into()));
        send(mirror, &narrow(-7));
    });
}

#[test]
fn attributes_raise_what_their_accessors_declare() {
    near_and_far(|mirror, _| {
        mirror.set_level(3).unwrap();
        assert_eq!(mirror.level().unwrap(), 3);
        assert_eq!(mirror.set_level(0).unwrap_err(), Unwritable { value: 0 }.into());
        mirror.set_level(-1).unwrap();
        assert_eq!(mirror.level().unwrap_err(), Unreadable.into());
    });
}

#[test]
fn an_operation_with_a_context_clause_takes_what_the_clause_names() {
    near_and_far(|mirror, orb| {
        assert_eq!(mirror.in_context("given", &Context::new()).unwrap(), "given");
        let around = orb.default_context();
        around.set_values([("LANG", "C"), ("LC_ALL", "C"), ("HOME", "/")]).unwrap();
        let context = around.create_child("session").unwrap();
        context.set_values([("LC_ALL", "é"), ("LANGUAGE", "de")]).unwrap();
        let seen = "given LANG=C LC_ALL=é";
        assert_eq!(mirror.in_context("given", &context).unwrap(), seen);
        assert_eq!(mirror.in_context_async("given", &context).wait().unwrap(), seen);
    });
}

/// Is its own partner.
#[derive(Debug, Default)]
struct Alone(Mutex<Key>);

impl Keeper for Alone {
    fn kept(&self) -> Result<Key> {
        Ok(self.0.lock().unwrap().clone())
    }

    fn set_kept(&self, value: &Key) -> Result<()> {
        *self.0.lock().unwrap() = value.clone();
        Ok(())
    }

    fn other(&self, asked: &MirrorRef) -> Result<KeeperRef> {
        assert!(asked.is_nil());
        Ok(KeeperRef::nil())
    }
}

#[test]
fn a_local_interface_is_a_trait_and_its_references_are_shared_pointers() {
    let object: Arc<dyn Keeper> = keeper::tie(Alone::default());
    let keeper = KeeperRef::from(object);
    let held = keeper.get().unwrap();
    held.set_kept(&Key::new("a native value")).unwrap();
    assert_eq!(held.kept().unwrap().get::<&str>(), Some(&"a native value"));
    assert!(held.other(&MirrorRef::nil()).unwrap().is_nil());
    assert_eq!(keeper, keeper.clone());
    assert_ne!(keeper, KeeperRef::nil());
}

fn wide(text: &str) -> Wide {
    Wide {
        before: 1,
        mark: text.chars().next().unwrap_or('\u{2605}'),
        text: text.into(),
        short_text: text.chars().take(4).collect::<String>().into(),
        cost: "-123.45".parse().unwrap(),
        exact: 0.1.into(),
    }
}

#[test]
fn wide_texts_arrive_in_every_direction() {
    near_and_far(|mirror, _| {
        check('\u{e9}', '\u{4e2d}', |g, k| mirror.echo_wchar(*g, k));
        let text = |text: &str| WString::from(text);
        check(text("gr\u{fc}\u{df} dich \u{1f980}"), text(""), |g, k| mirror.echo_wstring(g, k));
        check(text("\u{1f980}\u{1f980}ab"), text("abcd"), |g, k| mirror.echo_brief(g, k));
        check(wide("\u{4e2d}\u{6587}"), wide("abcdefg"), |g, k| mirror.echo_wide(g, k));
        check(Sign::Text("x".into()), Sign::Unlisted { discriminator: 'z' }, |g, k| {
            mirror.echo_sign(g, k)
        });
        send(mirror, &wide("in an any"));
        send(mirror, &Sign::Cost { discriminator: 'c', value: "1".parse().unwrap() });
        send(mirror, &'\u{2605}');
        send(mirror, &text("\u{1f980}"));
    });
}

#[test]
fn wide_texts_need_a_version_that_has_them() {
    let server = orbs::listening();
    let near = server.root_poa().activate(mirror::tie(Glass::default())).unwrap();
    let call = |version| {
        let client = orbs::builder().max_giop(version).build().unwrap();
        orbs::travel(&near, &client).echo_wchar('\u{1f980}', &mut 'a')
    };
    assert_eq!(call(Version::V1_0).unwrap_err().kind(), ExceptionKind::Marshal);
    assert_eq!(call(Version::V1_1).unwrap_err().kind(), ExceptionKind::DataConversion);
    assert!(call(Version::V1_2).is_ok());
    server.shutdown();
}

#[test]
fn decimal_and_long_numbers_arrive_in_every_direction() {
    near_and_far(|mirror, _| {
        let price = |text: &str| text.parse::<Price>().unwrap();
        check(price("-999.99"), price("0.01"), |g, k| mirror.echo_price(*g, k));
        let exact = LongDouble::from_bits(0x4000_9210_0000_0000_0000_0000_dead_beef);
        let check_bits = |given: LongDouble| {
            let (_, copy) = mirror.echo_exact(given, &mut LongDouble::default()).unwrap();
            assert_eq!(copy.to_bits(), given.to_bits());
        };
        check_bits(exact);
        check_bits(f64::NAN.into());
        send(mirror, &price("12.30"));
        send(mirror, &exact);
    });
}

#[test]
fn maps_and_bitmasks_arrive_in_every_direction() {
    near_and_far(|mirror, _| {
        let price = |n: i128| Price::from_unscaled(n).unwrap();
        let prices = Prices::from([("pear".into(), price(5)), ("apple".into(), price(-7))]);
        check(prices.clone(), Prices::new(), |g, k| mirror.echo_prices(g, k));
        let paints = Paints::from([(Colour::Red, vec!["ab".into()]), (Colour::Green, vec![])]);
        check(paints, Paints::new(), |g, k| mirror.echo_paints(g, k));
        let rights = Rights::READ | Rights::OWN;
        assert!(rights.contains(Rights::OWN) && !rights.contains(Rights::WRITE));
        check(rights, Rights::WRITE, |g, k| mirror.echo_rights(*g, k));
        send(mirror, &prices);
        send(mirror, &rights);
    });
}

#[test]
fn bitsets_arrive_in_every_direction() {
    near_and_far(|mirror, _| {
        let status = Status::default().with_level(5).with_open(true).with_drift(-3);
        assert_eq!((status.level(), status.open(), status.drift()), (5, true, -3));
        check(status, Status::default(), |g, k| mirror.echo_status(g, k));
        let extended = Extended::default().with_drift(-16).with_serial(0xff_ffff_fff0);
        assert_eq!((extended.drift(), extended.serial()), (-16, 0xff_ffff_fff0));
        check(extended, Extended::default(), |g, k| mirror.echo_extended(g, k));
        send(mirror, &extended);
    });
}
