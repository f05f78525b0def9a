//! The modules of a crate import one another in one direction. Each library declares its order in
//! `orders`; an import against the order fails, and so does a cycle. The test reads the sources.
//!
//! In an order top-level modules count, and for some folders the modules in it; a file in a folder
//! below belongs to the module of that folder. `circles` goes down to files. The test follows paths
//! through `crate`, `self`, `super`, the name of the crate, and re-exports of the module above. It
//! ignores tests, comments, and items that the module above defines itself. It does not see calls
//! of a method that one module adds to a type of another, because these need no import.

mod circles;
mod orders;
mod sources;

use orders::{ORDERS, Order};
use sources::{Graph, Siblings, clean, crates, imports, named, re_exports, read};
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn every_library_keeps_its_order() {
    let mut faults = Vec::new();
    for folder in crates().into_iter().filter(|folder| named(folder).starts_with("armilla")) {
        let name = named(&folder);
        let sources = folder.join("src");
        let own = name.replace('-', "_");
        if !ORDERS.iter().any(|order| order.name == name) {
            let graph = read(&sources, &own, &[]);
            faults.push(format!("{name} declares no order; one may be:\n{}", layers(&graph)));
        }
        // `armilla/client` orders the modules in that folder of `armilla`.
        for order in ORDERS {
            let mut path = order.name.split('/');
            if path.next() == Some(&name) {
                let within: Vec<_> = path.collect();
                faults.extend(check(order, &read(&sources, &own, &within)));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn an_import_against_the_order_is_found_however_it_is_written() {
    let root = "mod low; mod high; pub use high::High; use low::Low as Deep;";
    let modules = ["low", "high"].map(str::to_owned).into();
    let exports = re_exports(&clean(root), &modules);
    let in_root = Siblings { within: Vec::new(), modules, exports };
    let imported = |place: &[&str], text: &str| imported(place, text, &in_root);
    for text in [
        "use crate::high::X;",
        "use crate::{\n  high::{X, Y},\n};",
        "use crate::{self, high};",
        "fn f() { crate::high::x(); }",
        "use crate::High;",
        "use own::high::X;",
        "use ::own::High;",
        "use super::high::X;",
        "use super::{high::X};",
        "mod inner { use super::super::high; }",
        "macro_rules! m { () => { $crate::high::x() } }",
    ] {
        assert_eq!(imported(&["low"], text), "high", "{text}");
    }
    assert_eq!(imported(&["low", "part"], "use super::super::high::X;"), "high");
    assert_eq!(imported(&["high"], "use crate::Deep;"), "low");
    for text in [
        "// use crate::high::X;",
        "/* use crate::high; */",
        "/// [`X`](crate::high::X)",
        "const A: &str = \"crate::high\";",
        "const A: &str = r#\"\"crate::high\"#;",
        "#[cfg(test)]\nmod tests { use crate::high; }",
        "#[cfg(test)]\nuse crate::high;",
        "use self::part::X; use crate::low::Y;",
        "fn f<'a>(x: &'a str) -> char { '\"' }",
    ] {
        assert_eq!(imported(&["low"], text), "", "{text}");
    }
}

#[test]
fn an_import_against_the_order_in_a_folder_is_found_too() {
    let modules = ["low", "high"].map(str::to_owned).into();
    let exports = re_exports(&clean("mod low; mod high; pub use high::High;"), &modules);
    let in_side = Siblings { within: vec!["side".to_owned()], modules, exports };
    for text in [
        "use crate::side::high::X;",
        "use crate::side::High;",
        "use super::{high::X, other};",
        "use super::super::side::{self, high};",
        "use own::{other, side::{low, high::X}};",
    ] {
        assert_eq!(imported(&["side", "low"], text, &in_side), "high", "{text}");
    }
    for text in ["use crate::high::X;", "use crate::side::low;", "use crate::other::high;"] {
        assert_eq!(imported(&["side", "low"], text, &in_side), "", "{text}");
    }
}

fn imported(place: &[&str], text: &str, siblings: &Siblings) -> String {
    let place: Vec<_> = place.iter().map(|name| (*name).to_owned()).collect();
    let found = imports(&clean(text), &place, "own", siblings);
    found.into_iter().collect::<Vec<_>>().join(" ")
}

/// What is wrong with a crate.
fn check(order: &Order, graph: &Graph) -> Vec<String> {
    let name = order.name;
    let rank: BTreeMap<_, _> = (order.rows.iter().enumerate())
        .flat_map(|(rank, (modules, _))| {
            modules.split_whitespace().map(move |module| (module, rank))
        })
        .collect();
    let mut faults = Vec::new();
    for module in graph.keys().filter(|module| !rank.contains_key(module.as_str())) {
        faults.push(format!("{name}: {module} has no place in the order"));
    }
    for module in rank.keys().filter(|module| !graph.contains_key(**module)) {
        faults.push(format!("{name}: there is no module {module}"));
    }
    let mut against = BTreeSet::new();
    for (from, imported) in graph {
        for to in imported {
            let (Some(above), Some(below)) = (rank.get(&**from), rank.get(&**to)) else { continue };
            if below >= above {
                against.insert((from.as_str(), to.as_str()));
            }
        }
    }
    let allowed: BTreeSet<_> = order.exceptions.iter().map(|(from, to, _)| (*from, *to)).collect();
    for (from, to) in against.difference(&allowed) {
        faults.push(format!("{name}: {from} imports {to} against the order"));
    }
    for (from, to) in allowed.difference(&against) {
        faults.push(format!("{name}: {from} no longer imports {to}: remove the exception"));
    }
    if !faults.is_empty() {
        faults.push(format!("{name} keeps this order:\n{}", layers(graph)));
    }
    faults
}

/// The rows that an order can have, as a table; the modules of circles at the end.
fn layers(graph: &Graph) -> String {
    let mut left: BTreeSet<_> = graph.keys().collect();
    let mut rows = Vec::new();
    loop {
        let free = |module: &&&String| !graph[**module].iter().any(|to| left.contains(to));
        let row: Vec<_> = left.iter().filter(free).copied().collect();
        if row.is_empty() {
            break;
        }
        rows.push(row.iter().map(|module| module.as_str()).collect::<Vec<_>>().join(" "));
        left.retain(|module| !row.contains(module));
    }
    let rows = rows.iter().map(|row| format!("  {row}"));
    let circles = left
        .iter()
        .map(|module| format!("  in or above a circle: {module} -> {:?}", graph[*module]));
    rows.chain(circles).collect::<Vec<_>>().join("\n")
}
