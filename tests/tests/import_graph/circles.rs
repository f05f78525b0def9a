//! Files import one another in circles of three at most. What a file imports from the module above
//! it, or from one inside it, does not count: the two are one thing in several files.

use crate::orders::{CIRCLES, Circle};
use crate::sources::{clean, crates, files, named, paths};
use std::collections::BTreeSet;

/// How many files may import one another.
const MOST: usize = 3;

#[test]
fn no_crate_has_a_large_circle_of_files() {
    let mut faults = Vec::new();
    for folder in crates() {
        let name = named(&folder);
        let found = circles(&files(&folder.join("src")), &name.replace('-', "_"));
        let known: Vec<_> = CIRCLES.iter().filter(|circle| circle.name == name).collect();
        faults.extend(check(&name, &found, &known));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_circle_is_found_through_folders_and_use_trees() {
    let files = [
        ("", "mod a; mod b; mod c; pub use a::A;"),
        ("a", "use crate::{b::{self, B}, c::leaf::C}; use crate::d;"),
        ("b", "use super::c::X;"),
        ("c", "mod leaf; use leaf::C; fn f() { crate::d::f() }"),
        ("c::leaf", "use super::X; use own::d::D;"),
        ("d", "pub(crate) fn f() { crate::a::g::<u8>() } use crate::b;"),
        ("e", "use crate::a; use crate::b;"),
    ];
    let files: Vec<_> = files.iter().map(|(place, text)| (place_of(place), clean(text))).collect();
    let found = circles(&files, "own");
    assert_eq!(found, [["a", "b", "c", "c::leaf", "d"].map(place_of)]);
}

#[test]
fn a_known_circle_may_only_shrink() {
    let known = Circle { name: "own", within: "side", files: 5, reason: "it is old" };
    let of = |places: &[&str]| vec![places.iter().map(|place| place_of(place)).collect::<Vec<_>>()];
    let five = ["side::a", "side::b", "side::c", "side::d", "side::e"];
    assert_eq!(check("own", &of(&five), &[&known]), [""; 0]);
    assert_eq!(check("own", &of(&five[1..]), &[&known]), [""; 0]);
    assert_eq!(check("own", &of(&[&five[..], &["side::f"]].concat()), &[&known]).len(), 1);
    assert_eq!(check("own", &of(&["a", "b", "c", "d"]), &[]).len(), 1);
    let gone = check("own", &of(&five[2..]), &[&known]);
    assert_eq!(gone, ["own: no circle is left in side: remove it from the list"]);
}

fn place_of(path: &str) -> Vec<String> {
    path.split("::").filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// What is wrong with a crate that has these circles.
fn check(name: &str, found: &[Vec<Vec<String>>], known: &[&Circle]) -> Vec<String> {
    let mut faults = Vec::new();
    let large = || found.iter().filter(|circle| circle.len() > MOST);
    let is_in = |circle: &[Vec<String>], known: &Circle| {
        circle.iter().all(|place| place.starts_with(&place_of(known.within)))
    };
    for circle in large() {
        let known = known.iter().find(|known| is_in(circle, known));
        let (most, reason) = known.map_or((MOST, "no more"), |known| (known.files, known.reason));
        if circle.len() > most {
            let files: Vec<_> = circle.iter().map(|place| place.join("::")).collect();
            let (count, files) = (files.len(), files.join(" "));
            let may = format!("{most} may ({reason})");
            faults.push(format!("{name}: {count} files import one another, {may}: {files}"));
        }
    }
    for known in known {
        if !large().any(|circle| is_in(circle, known)) {
            let within = known.within;
            faults.push(format!("{name}: no circle is left in {within}: remove it from the list"));
        }
    }
    faults
}

/// The circles of files, given the place of each and its text, in the crate `own`.
fn circles(files: &[(Vec<String>, String)], own: &str) -> Vec<Vec<Vec<String>>> {
    let places: Vec<_> = files.iter().map(|(place, _)| place.clone()).collect();
    let edges: Vec<BTreeSet<usize>> = files
        .iter()
        .map(|(place, text)| {
            let paths = paths(text, place, own);
            let found = paths.iter().filter_map(|path| file_of(path, &places));
            let is_apart =
                |to: &usize| !places[*to].starts_with(place) && !place.starts_with(&places[*to]);
            found.filter(is_apart).collect()
        })
        .collect();
    let reached: Vec<_> = (0..files.len()).map(|from| reached(from, &edges)).collect();
    let mut found = BTreeSet::new();
    for from in 0..files.len() {
        let circle: BTreeSet<_> =
            reached[from].iter().copied().filter(|to| reached[*to].contains(&from)).collect();
        if !circle.is_empty() {
            found.insert(circle);
        }
    }
    let place = |file: usize| places[file].clone();
    found.into_iter().map(|circle| circle.into_iter().map(place).collect()).collect()
}

/// The file in which a path leads to something: that of the innermost module on it.
fn file_of(path: &[String], places: &[Vec<String>]) -> Option<usize> {
    let above = (0..places.len()).filter(|file| path.starts_with(&places[*file]));
    above.max_by_key(|file| places[*file].len())
}

/// The files that a file imports, directly and through others.
fn reached(from: usize, edges: &[BTreeSet<usize>]) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let mut left: Vec<_> = edges[from].iter().copied().collect();
    while let Some(file) = left.pop() {
        if found.insert(file) {
            left.extend(&edges[file]);
        }
    }
    found
}
