//! The constraint language: what matches, and where an error points.

use crate::printers;
use armilla_trader::constraint::{Comparison, Constraint, ConstraintError, Preference, Value};
use printers::{Offer, PRINTERS, offer};

fn compile(text: &str) -> Result<Constraint, ConstraintError> {
    Constraint::compile(text, &PRINTERS)
}

/// Whether a printer matches a constraint.
fn matches(text: &str, offer: &Offer) -> bool {
    let constraint = compile(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    constraint.matches(&offer.of(constraint.property_names())).unwrap()
}

/// A printer that has all properties but `spare`.
fn laser() -> Offer {
    offer([
        ("name", Value::Text("laser-3".into())),
        ("price", Value::Float(12.5)),
        ("pages", Value::Integer(40)),
        ("colour", Value::Boolean(true)),
        ("grade", Value::Text("A".into())),
        ("papers", Value::Sequence(["a4", "a3"].map(|paper| Value::Text(paper.into())).into())),
        ("trays", Value::Sequence([1, 2, 5].map(Value::Integer).into())),
        ("icon", Value::Other),
    ])
}

#[track_caller]
fn check(expected: bool, texts: &[&str]) {
    for text in texts {
        assert_eq!(matches(text, &laser()), expected, "{text}");
    }
}

#[test]
fn an_empty_constraint_matches_everything() {
    check(true, &["", "  ", "TRUE", "<<OMG 1.0>> colour", "<<OMG 1.0>>"]);
}

#[test]
fn comparisons_of_numbers_strings_and_booleans() {
    check(
        true,
        &[
            "price == 12.5",
            "12.5 == price",
            "price != 12",
            "price < 13 and price <= 12.5 and price > 12 and price >= 1.25e1",
            "pages == 40.0",
            "pages > .5 and pages < 4.E3",
            "name == 'laser-3'",
            "name > 'laser-2'",
            "grade == 'A'",
            "colour",
            "colour == TRUE",
            "colour > FALSE",
            "(pages == 40) == TRUE",
            "pages > -1",
        ],
    );
    check(false, &["price == 12", "name < 'laser'", "colour == FALSE", "not colour"]);
}

#[test]
fn operators_bind_as_the_grammar_says() {
    check(
        true,
        &[
            "TRUE or FALSE and FALSE",
            "not FALSE and TRUE",
            "not (TRUE and FALSE)",
            "2 + 3 * 4 == 14",
            "(2 + 3) * 4 == 20",
            "10 - 3 - 2 == 5",
            "100 / 10 / 5 == 2",
            "not colour == FALSE",
            "'las' ~ name == TRUE",
            "pages + 2 in trays == FALSE",
        ],
    );
}

#[test]
fn numbers_are_promoted() {
    check(
        true,
        &[
            "7 / 2 == 3",
            "7 / 2.0 == 3.5",
            "pages / 3 == 13",
            "price * 2 == 25",
            "pages - 0.5 == 39.5",
            "170141183460469231731687303715884105728 > 170141183460469231731687303715884105727",
            "2 == 2.0 and 0 - 2 == -2",
        ],
    );
    let large = i128::MAX;
    let beyond = [format!("{large} + pages > 1.7e38"), format!("0 - {large} - {large} < -3.4e38")];
    check(true, &beyond.each_ref().map(String::as_str));
    check(true, &[&format!("{large} * {large} > 2.8e76")]);
}

#[test]
fn strings_and_sequences_are_searched() {
    check(
        true,
        &[
            "'ser' ~ name",
            "'' ~ name",
            "'a4' in papers",
            "2 in trays and 5.0 in trays",
            "not ('a5' in papers)",
        ],
    );
    check(false, &["name ~ 'ser'", "3 in trays", "'a' in papers"]);
}

#[test]
fn strings_have_two_escapes() {
    let quoted = offer([("name", Value::Text("it's a \\ ü".into()))]);
    for text in [r"name == 'it\'s a \\ ü'", r"'\'' ~ name", r"'\\' ~ name"] {
        assert!(matches(text, &quoted), "{text}");
    }
}

#[test]
fn what_an_offer_lacks_makes_the_constraint_false() {
    check(true, &["exist price", "not exist spare", "exist icon", "TRUE or spare == 1"]);
    check(false, &["exist spare", "spare == 1", "not (spare == 1)", "spare == 1 or TRUE"]);
    check(false, &["exist spare and spare > 1"]);
    check(true, &["not exist spare or spare > 1"]);
}

#[test]
fn arithmetic_that_has_no_result_makes_the_constraint_false() {
    check(false, &["pages / 0 == 1", "not (pages / 0 == 1)", "price / 0 > 1"]);
    check(true, &["colour or pages / 0 == 1"]);
}

#[test]
fn keywords_of_preferences_are_names_in_constraints() {
    let error = compile("max > 3").unwrap_err();
    assert_eq!(error.what(), "the service type has no property \"max\"");
}

/// A text with its mistake between `«` and `»`, and what the error says.
#[test]
fn errors_point_into_the_text() {
    for (marked, what, hint) in [
        ("«pirce» < 10", "has no property \"pirce\"", "it has \"price\""),
        ("exist Colour and «Colour»", "has no property", "it has \"colour\""),
        ("price < 10 and «weight» > 2", "no property \"weight\"", "it has name, price"),
        ("price «=» 10", "no meaning", "== compares"),
        ("name == «\"laser\"»", "no meaning", "single quotes"),
        ("name == «'laser»", "has no end", "ends with '"),
        ("name == 'a«\\n»b'", "escape", "backslash"),
        ("price < 10 «name» == 'x'", "operator is missing", "and, or"),
        ("price < «»", "must follow", ""),
        ("«(»price < 10", "not closed", ""),
        ("price < 10«)»", "closes nothing", ""),
        ("1 < price «<» 10", "cannot follow another", "by and"),
        ("«-»price < 1", "only a number", "0 - …"),
        ("not «not» colour", "cannot follow not", "not (not"),
        ("price «==» 'ten'", "a number cannot be compared with a string", ""),
        ("«icon» == 1", "a value of this type cannot be compared", "only exist"),
        ("«papers» == 'a4'", "a sequence of strings cannot be compared", "in asks"),
        ("«name» + 1 == 2", "arithmetic needs a number, and this is a string", ""),
        ("colour and «price»", "and needs a boolean, and this is a number", ""),
        ("«price» or colour", "or needs a boolean", ""),
        ("«price + 1»", "must be a boolean", "comparison"),
        ("1 in «name»", "in needs a sequence", ""),
        ("«'a'» in trays", "a string cannot be in a sequence of numbers", ""),
        ("1 in «2»", "name of a property must follow in", ""),
        ("«1» ~ name", "~ needs a string", ""),
        ("price < «and» 3", "an operand must stand here", ""),
        ("'ünf' ~ name and «prise» > 2", "no property", "price"),
        ("«<<SQL 92>>» price = 1", "language is unknown", "OMG 1.0"),
        ("«<<OMG price»", "has no end", ""),
    ] {
        let (before, rest) = marked.split_once('«').unwrap();
        let text = marked.replace(['«', '»'], "");
        let error = compile(&text).expect_err(&text);
        // What is empty between the marks is missing at the end.
        let column = match rest.starts_with('»') {
            true => before.trim_end().chars().count() + 1,
            false => before.chars().count() + 1,
        };
        assert!(error.what().contains(what), "{text}: {error}");
        assert!(error.hint().unwrap_or_default().contains(hint), "{text}: {error}");
        assert_eq!(error.column(), column, "{error}");
    }
}

#[test]
fn an_error_shows_its_place() {
    let error = compile("price < 10 and pagse > 2").unwrap_err().to_string();
    assert_eq!(
        error,
        "column 16: the service type has no property \"pagse\"\n  \
         price < 10 and pagse > 2\n                 ^^^^^\n  hint: it has \"pages\""
    );
}

#[test]
fn long_and_deep_texts_end_soon() {
    let long = format!("{} == 1", vec!["pages"; 8_000].join(" + "));
    assert!(!matches(&long, &laser()));
    let long = vec!["colour"; 5_000].join(" and ");
    assert!(matches(&long, &laser()));
    let deep = format!("{}colour{}", "(".repeat(64), ")".repeat(64));
    assert!(matches(&deep, &laser()));
    let stacked = format!("{}1{} == 65", "1 + (".repeat(64), ")".repeat(64));
    assert!(matches(&stacked, &laser()));
    let error = compile(&format!("({deep})")).unwrap_err();
    assert!(error.what().contains("64 levels"), "{error}");
    let error = compile(&" ".repeat(65_537)).unwrap_err();
    assert!(error.what().contains("65536 octets"), "{error}");
}

#[test]
fn restrictions_hold_for_every_match() {
    let restrictions = |text: &str| {
        let constraint = compile(text).unwrap();
        let names = constraint.property_names().to_vec();
        let shown = constraint.restrictions().iter().map(|restriction| {
            let sign = match restriction.comparison {
                Comparison::Equal => "==",
                Comparison::Less => "<",
                Comparison::GreaterOrEqual => ">=",
                _ => "?",
            };
            format!("{} {sign} {:?}", names[restriction.property], restriction.value)
        });
        shown.collect::<Vec<_>>().join(", ")
    };
    for (text, expected) in [
        ("price < 10", "price < Integer(10)"),
        ("10 > price", "price < Integer(10)"),
        (
            "name == 'x' and pages >= 3 and colour",
            "name == Text(\"x\"), pages >= Integer(3), colour == Boolean(true)",
        ),
        ("name == 'x' and (pages >= 3 or colour)", "name == Text(\"x\")"),
        ("name == 'x' or pages >= 3", ""),
        ("not (pages >= 3)", ""),
        ("(pages >= 3) == FALSE", ""),
        ("price != 3 and pages + 1 < 3", ""),
    ] {
        assert_eq!(restrictions(text), expected, "{text}");
    }
}

#[test]
fn preferences_sort() {
    let offers = [
        ("b", Some(Value::Integer(2))),
        ("none", None),
        ("a", Some(Value::Float(1.5))),
        ("c", Some(Value::Integer(2))),
    ];
    let sorted = |text: &str| {
        let preference = Preference::compile(text, &PRINTERS).unwrap();
        let ranked = offers.iter().map(|(name, pages)| {
            let offer = offer(pages.iter().map(|pages| ("pages", pages.clone())));
            (preference.rank(&offer.of(preference.property_names())).unwrap(), *name)
        });
        preference.sort(ranked.collect()).join(" ")
    };
    assert_eq!(sorted(""), "b none a c");
    assert_eq!(sorted("first"), "b none a c");
    assert_eq!(sorted("min pages"), "a b c none");
    assert_eq!(sorted("max pages * 2"), "b c a none");
    assert_eq!(sorted("with pages < 2"), "a b c none");
    assert_eq!(sorted("with exist pages"), "b a c none");
    let mut random: Vec<String> = sorted("random").split(' ').map(str::to_owned).collect();
    random.sort();
    assert_eq!(random, ["a", "b", "c", "none"]);
}

#[test]
fn illegal_preferences_point_into_the_text() {
    for (text, column, what) in [
        ("least pages", 1, "no preference"),
        ("min", 4, "must follow"),
        ("min name", 5, "must be a number, and is a string"),
        ("with price", 6, "must be a boolean"),
        ("first price", 7, "operator is missing"),
        ("max pagse", 5, "no property"),
        ("'min' price", 1, "no preference"),
    ] {
        let error = Preference::compile(text, &PRINTERS).expect_err(text);
        assert!(error.what().contains(what), "{error}");
        assert_eq!(error.column(), column, "{error}");
    }
}
