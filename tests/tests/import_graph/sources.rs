//! Extracts the imports of each module from the sources of a crate.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The imports between the modules of a crate or of a folder: from each module to others.
pub(crate) type Graph = BTreeMap<String, BTreeSet<String>>;

/// The modules that lie side by side in a folder.
pub(crate) struct Siblings {
    /// The path of the module above them; empty for the root of a crate.
    pub(crate) within: Vec<String>,
    pub(crate) modules: BTreeSet<String>,
    /// What the module above them shows of them, by name.
    pub(crate) exports: BTreeMap<String, String>,
}

/// The folders of the crates on all storeys.
pub(crate) fn crates() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let storeys = ["crates", "services", "systems", "examples", "lab"];
    let folders = storeys.into_iter().flat_map(|name| entries(&root.join(name)));
    let is_crate = |path: &PathBuf| path.join("Cargo.toml").is_file() && path.join("src").is_dir();
    let mut found: Vec<_> = folders.filter(is_crate).collect();
    found.sort_by_key(|path| named(path));
    found
}

/// The name of a folder, which is that of its crate.
pub(crate) fn named(folder: &Path) -> String {
    folder.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let read = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = read.map(|entry| entry.expect("a folder is readable").path()).collect();
    paths.sort();
    paths
}

/// Reads the graph of the modules within a module of the crate `own`, which has these sources.
pub(crate) fn read(sources: &Path, own: &str, within: &[&str]) -> Graph {
    let folder = within.iter().fold(sources.to_owned(), |path, name| path.join(name));
    let within: Vec<_> = within.iter().map(|name| (*name).to_owned()).collect();
    let paths = modules(&folder);
    let names = paths.iter().map(|path| stem(path)).collect();
    let exports = re_exports(&clean(&root_text(&folder)), &names);
    let siblings = Siblings { within, modules: names, exports };
    let mut graph = Graph::new();
    for path in &paths {
        let module = stem(path);
        let mut found = BTreeSet::new();
        let place = siblings.within.iter().chain([&module]).cloned().collect();
        walk(path, place, &mut |text, place| found.extend(imports(text, place, own, &siblings)));
        graph.entry(module).or_default().extend(found);
    }
    graph
}

/// The names under which the module of a folder stands in it.
const ROOTS: [&str; 3] = ["lib.rs", "main.rs", "mod.rs"];

/// The text of the module of a folder.
fn root_text(folder: &Path) -> String {
    let roots = ROOTS.map(|root| folder.join(root));
    let texts = roots.into_iter().chain([folder.with_extension("rs")]).map(fs::read_to_string);
    texts.map(Result::unwrap_or_default).collect()
}

/// The files and folders of the modules in a folder, without programs of their own and what is for
/// tests alone.
fn modules(folder: &Path) -> Vec<PathBuf> {
    let root = root_text(folder);
    let is_module = |path: &PathBuf| {
        let is_root = ROOTS.iter().any(|root| path.ends_with(root));
        let is_source = path.is_dir() || path.extension().is_some_and(|kind| kind == "rs");
        let is_test = root.contains(&format!("#[cfg(test)]\nmod {};", stem(path)));
        is_source && !is_root && !is_test && !path.ends_with("bin")
    };
    entries(folder).into_iter().filter(is_module).collect()
}

fn stem(path: &Path) -> String {
    path.file_stem().and_then(|name| name.to_str()).unwrap_or("").to_owned()
}

/// The files of a crate: the place of each in the tree of modules, and its text.
pub(crate) fn files(sources: &Path) -> Vec<(Vec<String>, String)> {
    let mut found = vec![(Vec::new(), clean(&root_text(sources)))];
    for path in modules(sources) {
        let place = vec![stem(&path)];
        walk(&path, place, &mut |text, place| found.push((place.to_vec(), text.to_owned())));
    }
    found
}

/// Visits the files of a module, and their places in the tree of modules.
fn walk(path: &Path, place: Vec<String>, visit: &mut impl FnMut(&str, &[String])) {
    if path.is_file() {
        let text = fs::read_to_string(path).expect("a source is text");
        return visit(&clean(&text), &place);
    }
    let root = path.join("mod.rs");
    if root.is_file() {
        walk(&root, place.clone(), visit);
    }
    for child in modules(path) {
        walk(&child, [&place[..], &[stem(&child)]].concat(), visit);
    }
}

/// The text without comments, the contents of strings, and items for tests alone.
pub(crate) fn clean(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let length = match next {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '"' => quoted(rest),
            'r' if is_raw(rest) && !out.ends_with(is_name) => raw(rest),
            '\'' => character(rest),
            _ => {
                out.push(next);
                next.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    while let Some(start) = out.find("#[cfg(test)]") {
        let item = &out[start..];
        let end = match (item.find(';'), item.find('{')) {
            (Some(semicolon), Some(brace)) if semicolon < brace => semicolon + 1,
            (Some(semicolon), None) => semicolon + 1,
            (_, Some(brace)) => brace + block(&item[brace..]),
            (None, None) => item.len(),
        };
        // `use a::{b, c};` ends behind its braces.
        let end = if item[end..].starts_with(';') { end + 1 } else { end };
        out.replace_range(start..start + end, "");
    }
    out
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The length of the string that `text` begins with.
fn quoted(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

fn is_raw(text: &str) -> bool {
    text[1..].trim_start_matches('#').starts_with('"')
}

fn raw(text: &str) -> usize {
    let hashes = text[1..].len() - text[1..].trim_start_matches('#').len();
    let end = format!("\"{}", "#".repeat(hashes));
    let body = hashes + 2;
    text[body..].find(&end).map_or(text.len(), |at| body + at + end.len())
}

/// The length of the character that `text` begins with; 1 where it is a lifetime.
fn character(text: &str) -> usize {
    let mut chars = text.char_indices().skip(1);
    match (chars.next(), chars.next()) {
        (Some((_, '\\')), Some((at, _))) => text[at + 1..].find('\'').map_or(1, |end| at + end + 2),
        (Some(_), Some((at, '\''))) => at + 1,
        _ => 1,
    }
}

/// The length of the block that `text` begins with.
fn block(text: &str) -> usize {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    text.len()
}

/// What a root has of its modules, by name.
pub(crate) fn re_exports(root: &str, modules: &BTreeSet<String>) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for (at, _) in root.match_indices("use ") {
        let Some(end) = root[at..].find(';') else { continue };
        let tree = root[at + 4..at + end].trim();
        let tree = tree.strip_prefix("crate::").or(tree.strip_prefix("self::")).unwrap_or(tree);
        let Some((module, rest)) = tree.split_once("::") else { continue };
        if modules.contains(module) {
            let leaves = rest.split(['{', '}', ',']).map(str::trim).filter(|leaf| !leaf.is_empty());
            for leaf in leaves {
                let name = leaf.rsplit([':', ' ']).next().unwrap_or(leaf);
                found.insert(name.to_owned(), module.to_owned());
            }
        }
    }
    found
}

/// The other modules beside its own that the text at this place in the crate `own` imports.
pub(crate) fn imports(
    text: &str,
    place: &[String],
    own: &str,
    siblings: &Siblings,
) -> BTreeSet<String> {
    let Siblings { within, modules, exports } = siblings;
    let mut found = BTreeSet::new();
    for path in paths(text, place, own) {
        let Some(name) = path.strip_prefix(&within[..]).and_then(|rest| rest.first()) else {
            continue;
        };
        let module = if modules.contains(name) { Some(name) } else { exports.get(name) };
        found.extend(module.cloned());
    }
    found.remove(&place[within.len()]);
    found
}

/// The paths in the text at this place in the crate `own`, each from the root of the crate.
pub(crate) fn paths(text: &str, place: &[String], own: &str) -> Vec<Vec<String>> {
    let inner = inline_modules(text);
    let mut found = Vec::new();
    for (at, head) in words(text) {
        let names_own = head == own && !text[..at].trim_end_matches("::").ends_with(is_name);
        if !(["crate", "self", "super"].contains(&head) || names_own) {
            continue;
        }
        let mut here = place.to_vec();
        here.extend(
            inner
                .iter()
                .filter(|(start, end, _)| (*start..*end).contains(&at))
                .map(|m| m.2.clone()),
        );
        let Some(mut rest) = text[at + head.len()..].trim_start().strip_prefix("::") else {
            continue;
        };
        match head {
            "super" if text[..at].ends_with("super::") => continue,
            "self" => {}
            "super" => {
                here.pop();
                while let Some(next) = rest.trim_start().strip_prefix("super") {
                    let Some(behind) = next.trim_start().strip_prefix("::") else { break };
                    here.pop();
                    rest = behind;
                }
            }
            _ => here.clear(),
        }
        leaves(rest, here, &mut found);
    }
    found
}

/// The paths to the leaves of a use tree, or the one path that the text begins with.
fn leaves(tree: &str, mut above: Vec<String>, found: &mut Vec<Vec<String>>) {
    let tree = tree.trim_start();
    if tree.starts_with('{') {
        for part in parts(&tree[1..block(tree) - 1]) {
            leaves(part, above.clone(), found);
        }
        return;
    }
    let length = tree.len() - tree.trim_start_matches(is_name).len();
    if length > 0 && &tree[..length] != "self" {
        above.push(tree[..length].to_owned());
    }
    match tree[length..].trim_start().strip_prefix("::") {
        Some(rest) if length > 0 => leaves(rest, above, found),
        _ => found.push(above),
    }
}

/// What the commas outside of braces part.
fn parts(body: &str) -> Vec<&str> {
    let (mut depth, mut begin, mut found) = (0, 0, Vec::new());
    for (at, c) in body.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                found.push(&body[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    found.push(&body[begin..]);
    found.retain(|part| !part.trim().is_empty());
    found
}

/// The names in the text, and where they stand.
fn words(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        match (start, is_name(c)) {
            (None, true) => start = Some(at),
            (Some(begin), false) => {
                found.push((begin, &text[begin..at]));
                start = None;
            }
            _ => {}
        }
    }
    found
}

/// The modules that stand in the text itself: from where to where, and their names.
fn inline_modules(text: &str) -> Vec<(usize, usize, String)> {
    let words = words(text);
    let pairs = words.windows(2).filter(|pair| pair[0].1 == "mod");
    let modules = pairs.filter_map(|pair| {
        let (at, name) = pair[1];
        let behind = at + name.len();
        let brace = behind + text[behind..].find(|c: char| !c.is_whitespace())?;
        text[brace..]
            .starts_with('{')
            .then(|| (brace, brace + block(&text[brace..]), name.to_owned()))
    });
    modules.collect()
}
