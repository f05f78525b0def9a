//! Extracts the imports of each module from the sources of a crate.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The imports of a crate: from each module to others.
pub(crate) type Graph = BTreeMap<String, BTreeSet<String>>;

/// The folders of the crates.
pub(crate) fn crates() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let storeys =
        ["crates", "services", "lab"].into_iter().flat_map(|name| entries(&root.join(name)));
    let is_library =
        |path: &PathBuf| path.join("Cargo.toml").is_file() && named(path).starts_with("armilla");
    let mut found: Vec<_> = storeys.filter(is_library).collect();
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

/// Reads the graph of the crate with this name and these sources.
pub(crate) fn read(sources: &Path, own: &str) -> Graph {
    let roots = ["lib.rs", "main.rs"].map(|root| sources.join(root));
    let text = |path: &Path| fs::read_to_string(path).unwrap_or_default();
    let root = roots.iter().map(|root| clean(&text(root))).collect::<String>();
    let is_module = |path: &PathBuf| !roots.contains(path) && !path.ends_with("bin");
    let paths: Vec<_> = entries(sources).into_iter().filter(is_module).collect();
    let stem =
        |path: &Path| path.file_stem().and_then(|name| name.to_str()).unwrap_or("").to_owned();
    let modules: BTreeSet<_> = paths.iter().map(|path| stem(path)).collect();
    let exports = re_exports(&root, &modules);
    let mut graph = Graph::new();
    for path in &paths {
        let module = stem(path);
        let mut found = BTreeSet::new();
        walk(path, vec![module.clone()], &mut |text, place| {
            found.extend(imports(text, place, own, &modules, &exports));
        });
        graph.entry(module).or_default().extend(found);
    }
    graph
}

/// Visits the files of a module, and their places in the tree of modules, without those for tests
/// alone.
fn walk(path: &Path, place: Vec<String>, visit: &mut impl FnMut(&str, &[String])) {
    if path.is_file() {
        let text = fs::read_to_string(path).expect("a source is text");
        return visit(&clean(&text), &place);
    }
    let root = path.join("mod.rs");
    let text = fs::read_to_string(&root).unwrap_or_default();
    for child in entries(path) {
        let Some(name) = child.file_stem().and_then(|name| name.to_str()) else { continue };
        match name {
            "mod" => walk(&child, place.clone(), visit),
            _ if text.contains(&format!("#[cfg(test)]\nmod {name};")) => {}
            _ => walk(&child, [&place[..], &[name.to_owned()]].concat(), visit),
        }
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

/// The other modules that the text at this place in the crate `own` imports.
pub(crate) fn imports(
    text: &str,
    place: &[String],
    own: &str,
    modules: &BTreeSet<String>,
    exports: &BTreeMap<String, String>,
) -> BTreeSet<String> {
    let inner = inline_modules(text);
    let mut found = BTreeSet::new();
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
        match here.first() {
            Some(top) => drop(found.insert(top.clone())),
            None => found.extend(heads(rest.trim_start()).into_iter().filter_map(|name| {
                if modules.contains(name) {
                    Some(name.to_owned())
                } else {
                    exports.get(name).cloned()
                }
            })),
        }
    }
    found.remove(&place[0]);
    found
}

/// The first names of a use tree.
fn heads(tree: &str) -> Vec<&str> {
    let name = |text: &str| text.len() - text.trim_start_matches(is_name).len();
    if !tree.starts_with('{') {
        return vec![&tree[..name(tree)]];
    }
    let body = &tree[1..block(tree) - 1];
    let (mut depth, mut begins, mut found) = (0, true, Vec::new());
    for (at, c) in body.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => begins = true,
            c if begins && is_name(c) => {
                found.push(&body[at..at + name(&body[at..])]);
                begins = false;
            }
            _ => {}
        }
    }
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
