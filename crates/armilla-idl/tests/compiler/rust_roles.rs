//! Who may call operations, as the generated code says it.

use armilla_idl::rust::{Options, generate};
use armilla_idl::{Diagnostics, parse_str};

fn made(source: &str) -> Result<String, Diagnostics> {
    let compilation = parse_str("plant.idl", source, &armilla_idl::Options::new())?;
    let made = generate(&compilation.model, &Options::new().sources_of(&compilation))?;
    Ok(made.text.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[test]
fn the_roles_of_operations_are_a_constant_of_each_interface() {
    let code = made(
        "interface Part { @roles(\"auditor\") void read(); void look(); };
         interface Valve : Part {
             @roles(\"operator\", \"auditor\") @roles(\"operator\") void close();
         };
         interface Free { void look(); };",
    );
    let code = code.unwrap_or_else(|errors| panic!("{errors}"));
    for expected in [
        "pub const ROLES: &[(&str, &str, &[&str])] = &[ (\"IDL:Part:1.0\", \"read\", &[\"auditor\"]), ];",
        "(\"IDL:Valve:1.0\", \"close\", &[\"operator\", \"auditor\"])",
        "(\"IDL:Valve:1.0\", \"read\", &[\"auditor\"])",
    ] {
        assert!(code.contains(expected), "{expected}\n{code}");
    }
    assert_eq!(code.matches("const ROLES").count(), 2);
    assert!(!code.contains("RT_INFO"), "roles are no timing");
}

#[test]
fn roles_that_are_none_are_refused() {
    for annotation in
        ["@roles", "@roles()", "@roles(operator)", "@roles(\"a b\")", "@roles(value = \"a\")"]
    {
        let errors = made(&format!("interface I {{ {annotation} void f(); }};")).unwrap_err();
        assert!(errors.to_string().contains("E0519"), "{annotation}: {errors}");
    }
    for wrong in
        ["@roles(set = \"a\") readonly attribute long x;", "@roles(x = \"a\") attribute long x;"]
    {
        let errors = made(&format!("interface I {{ {wrong} }};")).unwrap_err();
        assert!(errors.to_string().contains("E0519"), "{wrong}: {errors}");
    }
    // They belong to operations and attributes.
    assert!(made("@roles(\"a\") interface I { attribute long x; };").is_ok());
}

#[test]
fn an_attribute_has_roles_for_reading_and_writing() {
    let code = made(
        "interface Valve {
             @roles(\"operator\") @roles(get = \"auditor\") attribute long opening, limit;
             @roles(\"auditor\") readonly attribute long seal;
             @roles(set = \"operator\") attribute long note;
         };",
    );
    let code = code.unwrap_or_else(|errors| panic!("{errors}"));
    for expected in [
        "\"_get_opening\", &[\"operator\", \"auditor\"]",
        "\"_set_opening\", &[\"operator\"]",
        "\"_set_limit\", &[\"operator\"]",
        "\"_get_seal\", &[\"auditor\"]",
        "\"_set_note\", &[\"operator\"]",
    ] {
        assert!(code.contains(&format!("(\"IDL:Valve:1.0\", {expected})")), "{expected}\n{code}");
    }
    assert!(!code.contains("\"_set_seal\"") && !code.contains("\"_get_note\", &["), "{code}");
}
