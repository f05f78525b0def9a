//! The outline of a text, and what names in it stand for.

use armilla_idl::outline::{Symbol, outline};
use armilla_idl::{Compilation, Options, parse_str};

/// The symbols as `Kind name { children }`.
fn shown(symbols: &[Symbol]) -> String {
    let show = |symbol: &Symbol| {
        let children = match shown(&symbol.children) {
            none if none.is_empty() => none,
            some => format!(" {{ {some} }}"),
        };
        format!("{:?} {}{children}", symbol.kind, symbol.name)
    };
    symbols.iter().map(show).collect::<Vec<_>>().join(", ")
}

#[track_caller]
fn assert_outline(text: &str, expected: &str) {
    assert_eq!(shown(&outline(text)), expected);
}

#[test]
fn every_construct_has_its_symbol() {
    assert_outline(
        "module M { interface Forward; abstract interface A : B, ::C { readonly attribute long a, b
         raises (E); long f(in long x, out string y) raises (E); oneway void g(); }; };",
        "Module M { Interface A { Attribute a, Attribute b, Operation f, Operation g } }",
    );
    assert_outline(
        "struct S { @key sequence<long, 3> a[2], b; struct T { char c; } t; }; exception E {};",
        "Struct S { Member a, Member b, Struct T { Member c }, Member t }, Exception E",
    );
    assert_outline(
        "union U switch (enum K { k }) { case X: case M::Y: long a; default: string b; };",
        "Union U { Member a, Member b }",
    );
    assert_outline(
        "enum Color { red, @note(1) green }; bitmask F { a }; const M::T N = (1 + 2); native P;",
        "Enum Color { Enumerator red, Enumerator green }, Enum F { Enumerator a }, Constant N, \
         Typedef P",
    );
    assert_outline(
        "typedef map<long, sequence<X>> A, B[3]; typedef struct S { long a; } T;",
        "Typedef A, Typedef B, Struct S { Member a }, Typedef T",
    );
    assert_outline(
        "custom valuetype V : truncatable W { public long a; factory make(in long b); };
         valuetype Box string; component C { provides A b; uses multiple M::D e; };",
        "Value V { Member a, Operation make }, Value Box, Component C { Member b, Member e }",
    );
    assert_outline(
        "porttype P { provides A b; }; component C { mirrorport ::P q; };
         module T<typename X, sequence<X> Y> { typedef Y Z; alias U<X> V; };
         module A::T<long, sequence<long>> I; home H manages C { finder f(in long x); };",
        "Component P { Member b }, Component C { Member q }, Module T { Typedef Z, Module V }, \
         Module I, Component H { Operation f }",
    );
}

#[test]
fn an_unfinished_text_has_an_outline() {
    assert_outline("interface A { void f(in long", "Interface A { Operation f }");
    assert_outline("struct S { long a; long", "Struct S { Member a }");
    assert_outline("}; ) module M { };", "Module M");
    assert_outline(
        "#define X interface Y {\nenum _case {\n  /* { */ one,",
        "Enum case { Enumerator one }",
    );
    let deep = "module a { ".repeat(10_000);
    assert_eq!(outline(&deep).len(), 1);
}

#[test]
fn ranges_cover_declarations_headers_and_names() {
    let text = "module M {\n  interface A : B { void f(); };\n};\n";
    let module = &outline(text)[0];
    let interface = &module.children[0];
    assert_eq!(&text[module.range.clone()], text.trim_end());
    assert_eq!(&text[interface.range.clone()], "interface A : B { void f(); };");
    assert_eq!(&text[interface.header.clone()], "interface A : B");
    assert_eq!(&text[interface.name_range.clone()], "A");
    assert_eq!(&text[interface.children[0].range.clone()], "void f();");
}

const BANK: &str = "module Bank {
  enum Kind { plain, gold };
  interface Base { typedef long Number; exception Closed {}; };
  // An account.
  interface Account : Base {
    // What it holds.
    attribute Number total;
    void close(in Kind how) raises (Closed);
  };
};
module Other {
  typedef long Number;
  struct S { Bank::Account a; ::Bank::Base::Number n; Number own; };
  const Bank::Kind BEST = Bank::gold;
};
";

fn bank() -> Compilation {
    parse_str("bank.idl", BANK, &Options::new()).unwrap_or_else(|errors| panic!("{errors}"))
}

/// What the last word of `around` stands for, where that stands in `text`.
fn found(text: &str, around: &str) -> Option<String> {
    let offset = text.find(around).unwrap() + around.len() - 1;
    bank().model.entity_at(text, offset).map(|entity| entity.scoped_name)
}

#[test]
fn a_name_is_looked_up_where_it_stands() {
    let found = |around| found(BANK, around);
    assert_eq!(found("attribute Number").as_deref(), Some("Bank::Base::Number"), "inherited");
    assert_eq!(found("raises (Closed").as_deref(), Some("Bank::Base::Closed"));
    assert_eq!(found("in Kind").as_deref(), Some("Bank::Kind"), "of the module around");
    assert_eq!(found("Bank::Account").as_deref(), Some("Bank::Account"));
    assert_eq!(found("S { Bank").as_deref(), Some("Bank"), "the first part of a scoped name");
    assert_eq!(found("::Bank::Base::Number").as_deref(), Some("Bank::Base::Number"));
    assert_eq!(found("n; Number").as_deref(), Some("Other::Number"));
    assert_eq!(found("Bank::gold").as_deref(), Some("Bank::gold"));
    assert_eq!(found("close(in"), None, "a keyword");
}

#[test]
fn a_declared_name_stands_for_itself() {
    let found = |around| found(BANK, around);
    assert_eq!(found("plain, gold").as_deref(), Some("Bank::gold"));
    assert_eq!(found("void close").as_deref(), Some("Bank::Account::close"));
    assert_eq!(found("Account a").as_deref(), Some("Other::S::a"));
    let bank = bank();
    let entity = bank.model.entity_at(BANK, BANK.find("total").unwrap()).unwrap();
    assert_eq!(entity.repository_id, Some("IDL:Bank/Account/total:1.0"));
    assert_eq!(entity.docs, ["What it holds."]);
    assert_eq!(bank.sources().snippet(entity.span), "total");
}

#[test]
fn a_newer_text_is_read_with_the_older_model() {
    let text = BANK.replace("void close", "void more(in Kind\n    void close");
    assert_eq!(found(&text, "more(in Kind").as_deref(), Some("Bank::Kind"));
}
