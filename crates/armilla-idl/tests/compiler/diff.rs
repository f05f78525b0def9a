//! What is found between two versions of an IDL: each test is one kind of change.

use armilla_idl::diff::{Finding, Impact, diff};
use armilla_idl::{Compilation, Options, parse_str};

fn parse(text: &str) -> Compilation {
    parse_str("test.idl", text, &Options::new()).unwrap_or_else(|errors| panic!("{errors}"))
}

fn findings(old: &str, new: &str) -> Vec<Finding> {
    diff(&parse(old).model, &parse(new).model)
}

/// The changes as `breaking Name: change`.
fn changes(old: &str, new: &str) -> Vec<String> {
    let line = |f: Finding| format!("{} {}: {}", f.impact.as_str(), f.name, f.change);
    findings(old, new).into_iter().map(line).collect()
}

/// Asserts that a body of an interface changes into another one in this way.
#[track_caller]
fn assert_interface(old: &str, new: &str, expected: &[&str]) {
    let around = |body: &str| {
        format!(
            "exception No {{}}; exception Never {{}}; typedef long Number; \
             interface A {{ {body} }};"
        )
    };
    assert_eq!(changes(&around(old), &around(new)), expected);
}

#[test]
fn what_is_equal_has_no_changes() {
    let text = "module M { union U switch (long) { case 1: long a; default: string b; }; \
                valuetype V { public U x; }; interface I { attribute V y; any f(in U z); }; };";
    assert!(findings(text, text).is_empty());
    let commented = text.replace("union", "/* text */ union").replace("; ", ";\n");
    assert!(findings(text, &commented).is_empty());
}

#[test]
fn operations_come_and_go() {
    assert_interface("void f();", "void f(); void g();", &["compatible A::g: operation-added"]);
    assert_interface("void f();", "", &["breaking A::f: operation-removed"]);
    assert_interface("attribute long f;", "void f();", &["breaking A::f: attribute-removed"]);
}

#[test]
fn an_operation_that_moves_to_a_base_is_still_there() {
    let old = "interface A { void f(); };";
    let new = "interface B { void f(); }; interface A : B {};";
    let expected = ["compatible A: base-added", "compatible B: declaration-added"];
    assert_eq!(changes(old, new), expected);
}

#[test]
fn parameters_are_known_by_their_places() {
    assert_interface(
        "void f(in long a);",
        "void f(in long a, in long b);",
        &["breaking A::f: parameter-added"],
    );
    assert_interface(
        "void f(in long a);",
        "void f(in long b);",
        &["compatible A::f: parameter-renamed"],
    );
    assert_interface(
        "void f(in long a, in long b);",
        "void f(in long b, in long a);",
        &["breaking A::f: parameter-moved"],
    );
    assert_interface(
        "void f(in long a);",
        "void f(inout long a);",
        &["breaking A::f: parameter-direction-changed"],
    );
    assert_interface(
        "void f(in long a);",
        "void f(in short a);",
        &["breaking A::f: parameter-type-changed"],
    );
    assert_interface(
        "void f(in long a);",
        "void f(in Number a);",
        &["compatible A::f: parameter-type-changed"],
    );
}

#[test]
fn what_an_operation_brings_back_matters() {
    assert_interface("void f();", "long f();", &["breaking A::f: result-changed"]);
    assert_interface("long f();", "short f();", &["breaking A::f: result-changed"]);
    assert_interface("void f();", "oneway void f();", &["breaking A::f: oneway-changed"]);
    assert_interface(
        "void f() raises (No);",
        "void f() raises (Never);",
        &["breaking A::f: raises-removed", "breaking A::f: raises-added"],
    );
    assert_interface("void f() raises (No, Never);", "void f() raises (Never, No);", &[]);
    assert_interface("void f();", "void f() context (\"a\");", &["breaking A::f: context-changed"]);
}

#[test]
fn an_attribute_is_two_operations() {
    assert_interface(
        "attribute long x;",
        "readonly attribute long x;",
        &["breaking A::x: attribute-readonly"],
    );
    assert_interface(
        "readonly attribute long x;",
        "attribute long x;",
        &["compatible A::x: attribute-writable"],
    );
    assert_interface(
        "attribute long x;",
        "attribute long x getraises (No);",
        &["breaking A::x: raises-added"],
    );
}

#[test]
fn bases_say_what_an_interface_is() {
    let with =
        |bases: &str| format!("interface B {{}}; interface C : B {{}}; interface A {bases} {{}};");
    assert_eq!(changes(&with(": B"), &with(": C")), ["compatible A: base-added"]);
    assert_eq!(changes(&with(": C"), &with(": B")), ["breaking A: base-removed"]);
}

#[test]
fn members_are_known_by_their_places() {
    let s = |members: &str| format!("struct S {{ {members} }};");
    let changed = |old: &str, new: &str| changes(&s(old), &s(new));
    assert_eq!(changed("long a;", "long a; long b;"), ["breaking S: member-added"]);
    assert_eq!(changed("long a; long b;", "long a;"), ["breaking S: member-removed"]);
    assert_eq!(changed("long a; long b;", "long b; long a;"), ["breaking S: member-moved"]);
    assert_eq!(changed("long a;", "long b;"), ["compatible S: member-renamed"]);
    assert_eq!(
        changed("long a;", "string b;"),
        ["compatible S: member-renamed", "breaking S: member-type-changed"]
    );
    assert_eq!(
        changes("exception E { long a; };", "exception E { double a; };"),
        ["breaking E: member-type-changed"]
    );
}

#[test]
fn bounds_are_part_of_a_type() {
    let changed =
        |old: &str, new: &str| findings(&format!("typedef {old} T;"), &format!("typedef {new} T;"));
    let found = changed("string<10>", "string<20>");
    assert_eq!(found[0].impact, Impact::Breaking);
    assert_eq!(
        found[0].message,
        "the type that it stands for is `string<20>` and was `string<10>`"
    );
    assert!(found[0].why.contains("bound"));
    assert!(!changed("sequence<long>", "sequence<short>")[0].why.contains("bound"));
    assert_eq!(changed("map<long, string>", "map<long, long>").len(), 1);
}

#[test]
fn a_changed_type_is_reported_once_and_not_at_its_uses() {
    let text = |ty: &str| {
        format!(
            "typedef {ty} T; struct S {{ T a; sequence<T> all; }}; interface A {{ T f(in S b); }};"
        )
    };
    assert_eq!(changes(&text("long"), &text("short")), ["breaking T: type-changed"]);
}

#[test]
fn enumerators_travel_as_numbers() {
    let changed = |old: &str, new: &str| {
        changes(&format!("enum E {{ {old} }};"), &format!("enum E {{ {new} }};"))
    };
    assert_eq!(changed("a, b", "a, b, c"), ["breaking E: enumerator-added"]);
    assert_eq!(changed("a, b", "b, a"), ["breaking E: enumerator-moved"]);
    assert_eq!(changed("a, b", "a"), ["breaking E: enumerator-removed"]);
    assert_eq!(changed("a, b", "a, x"), ["compatible E: enumerator-renamed"]);
}

#[test]
fn labels_select_the_members_of_a_union() {
    let changed = |old: &str, new: &str| {
        let text = |cases: &str| format!("union U switch (long) {{ {cases} }};");
        changes(&text(old), &text(new))
    };
    let two = "case 1: long a; case 2: short b;";
    assert_eq!(changed(two, "case 2: short b; case 1: long a;"), [""; 0]);
    assert_eq!(changed(two, "case 1: long a;"), ["breaking U: case-removed"]);
    assert_eq!(changed("case 1: long a;", two), ["breaking U: case-added"]);
    assert_eq!(
        changed(two, "case 1: case 3: long a; case 2: short c;"),
        ["breaking U: labels-changed", "compatible U: member-renamed"]
    );
    assert_eq!(
        changes(
            "union U switch (long) { case 1: long a; };",
            "union U switch (short) { case 1: long a; };"
        ),
        ["breaking U: discriminator-type-changed"]
    );
}

#[test]
fn state_is_marshalled_member_by_member() {
    let v = |before: &str, members: &str| format!("{before} valuetype V {{ {members} }};");
    assert_eq!(
        changes(&v("", "public long a;"), &v("", "public long a; private long b;")),
        ["breaking V: state-member-added"]
    );
    assert_eq!(changes(&v("", "public long a;"), &v("", "private long a;")), [""; 0]);
    assert_eq!(
        changes(&v("", "public long a;"), &v("custom", "public long a;")),
        ["breaking V: value-kind-changed"]
    );
    assert_eq!(changes("valuetype V long;", "valuetype V short;"), ["breaking V: type-changed"]);
}

#[test]
fn bits_have_their_places() {
    assert_eq!(
        changes("bitmask M { a, b };", "bitmask M { b, a };"),
        ["breaking M: flag-changed", "breaking M: flag-changed"]
    );
    assert_eq!(changes("bitmask M { a };", "bitmask M { a, b };"), ["compatible M: flag-added"]);
    assert_eq!(
        changes("bitset B { bitfield<3> a; };", "bitset B { bitfield<4> a; };"),
        ["breaking B: fields-changed"]
    );
}

#[test]
fn constants_do_not_travel() {
    assert_eq!(
        changes("const long N = 1;", "const long N = 2;"),
        ["compatible N: constant-changed"]
    );
    // But the bound that one gives does.
    let message = |new: &str| findings("const long N = 1;", new)[0].message.clone();
    assert_eq!(message("const long N = 2;"), "its value changed");
    assert_eq!(message("const short N = 1;"), "its type is `short` and was `long`");
    let with = |n: u32| format!("const long N = {n}; typedef string<N> T;");
    assert_eq!(
        changes(&with(1), &with(2)),
        ["compatible N: constant-changed", "breaking T: type-changed"]
    );
}

#[test]
fn declarations_come_go_and_become_others() {
    assert_eq!(
        changes("struct S { long a; };", "struct T { long a; };"),
        ["breaking S: declaration-removed", "compatible T: declaration-added"]
    );
    assert_eq!(
        changes("struct S { long a; };", "exception S { long a; };"),
        ["breaking S: kind-changed"]
    );
    assert_eq!(changes("const long N = 1;", ""), ["source only N: declaration-removed"]);
    assert_eq!(changes("typedef long T;", ""), ["source only T: declaration-removed"]);
    assert_eq!(changes("native N;", "native M;").len(), 2);
    assert_eq!(
        changes("typedef long T; struct S { T a; };", "typedef long U; struct S { U a; };"),
        [
            "source only T: declaration-removed",
            "compatible S: member-type-changed",
            "compatible U: declaration-added"
        ]
    );
}

#[test]
fn another_repository_id_is_another_name_to_other_programs() {
    let interface = "interface A { void f(); };";
    let prefixed = format!("#pragma prefix \"example.com\"\n{interface}");
    assert_eq!(changes(interface, &prefixed), ["breaking A: repository-id-changed"]);
    assert_eq!(
        changes("typedef long T;", "#pragma prefix \"x\"\ntypedef long T;"),
        ["compatible T: repository-id-changed"]
    );
}

#[test]
fn both_source_positions_are_reported() {
    let (old, new) = (parse("struct S {\n  long a; };"), parse("struct S { short a; };"));
    let found = diff(&old.model, &new.model);
    let (was, is) = (found[0].old.unwrap(), found[0].new.unwrap());
    assert_eq!(old.sources().line_column(was), (2, 8));
    assert_eq!(new.sources().line_column(is), (1, 18));
}

#[test]
fn the_ports_of_a_component_are_the_operations_that_they_stand_for() {
    let around = |body: &str| {
        format!("#include <Components.idl>\ninterface P {{}}; component C {{ {body} }};")
    };
    let changes = |old: &str, new: &str| changes(&around(old), &around(new));
    assert_eq!(
        changes("provides P a;", "provides P b;"),
        ["breaking C::provide_a: operation-removed", "compatible C::provide_b: operation-added"]
    );
    assert_eq!(
        changes("provides P a;", "provides Object a;"),
        ["breaking C::provide_a: result-changed"]
    );
}

#[test]
fn what_the_omg_declares_neither_comes_nor_goes() {
    let (without, with) = ("interface A {};", "#include <orb.idl>\ninterface A {};");
    assert!(changes(without, with).is_empty());
    assert!(changes(with, without).is_empty());
}

#[test]
fn the_operations_of_a_valuetype_do_not_travel() {
    let v = |body: &str| {
        format!(
            "exception No {{}}; interface I {{}}; abstract interface A {{}}; \
             valuetype V {body};"
        )
    };
    let changed = |old: &str, new: &str| changes(&v(old), &v(new));
    assert_eq!(
        changed("{ void f(in long a); }", "{ oneway void f(in short a); void g(); }"),
        [
            "source only V::f: oneway-changed",
            "source only V::f: parameter-type-changed",
            "source only V::g: operation-added"
        ]
    );
    assert_eq!(changed("{ attribute long f; }", "{ }"), ["source only V::f: attribute-removed"]);
    assert_eq!(
        changed(
            "{ factory a(in long x); factory b(); }",
            "{ factory a(in short x) raises (No); factory c(); }"
        ),
        [
            "source only V::a: parameter-type-changed",
            "source only V::a: raises-added",
            "source only V::b: factory-removed",
            "source only V::c: factory-added"
        ]
    );
    assert_eq!(changed("supports I { }", "{ }"), ["source only V: supports-changed"]);
    // A value may be passed as an abstract interface that it supports.
    assert_eq!(changed("supports A { }", "{ }"), ["breaking V: base-removed"]);
    assert_eq!(
        changed("{ public long a; void f(); }", "{ public short a; }"),
        ["breaking V: state-member-type-changed", "source only V::f: operation-removed"]
    );
}

#[test]
fn what_is_local_does_not_travel() {
    let changed = changes(
        "local interface L { void f(); attribute long x; }; struct S { L own; long a; }; interface I { void f(); };",
        "local interface L { long f(); }; struct S { L own; short a; }; interface I { long f(); };",
    );
    assert_eq!(
        changed,
        [
            "source only L::f: result-changed",
            "source only L::x: attribute-removed",
            "source only S: member-type-changed",
            "breaking I::f: result-changed"
        ]
    );
    assert_eq!(
        changes("local interface L {};", "#pragma prefix \"x\"\nlocal interface L {};"),
        ["source only L: repository-id-changed"]
    );
    assert_eq!(changes("local interface L {};", ""), ["source only L: declaration-removed"]);
    assert_eq!(
        changes("local interface L {};", "interface L {};"),
        ["source only L: interface-kind-changed"]
    );
    assert_eq!(
        changes("interface L {};", "local interface L {};"),
        ["breaking L: interface-kind-changed"]
    );
}

#[test]
fn truncation_and_contexts_are_read_by_those_who_do_not_know_them() {
    let v = |modifier: &str| {
        format!(
            "valuetype B {{ public long a; }}; valuetype V : {modifier} B {{ public long b; }};"
        )
    };
    assert_eq!(changes(&v(""), &v("truncatable")), ["compatible V: truncatable-changed"]);
    assert_eq!(changes(&v("truncatable"), &v("")), ["breaking V: truncatable-changed"]);
    assert_interface("void f() context (\"a\", \"b\");", "void f() context (\"b\", \"a\");", &[]);
    assert_interface(
        "void f() context (\"a\");",
        "void f() context (\"b\");",
        &["compatible A::f: context-changed"],
    );
    assert_interface(
        "readonly attribute long x;",
        "attribute long x setraises (No);",
        &["compatible A::x: attribute-writable"],
    );
}
