//! The formatter: what it makes of a text, and that it changes nothing but blanks.
//!
//! Each `.idl` file in `fmt` is formatted to the `.out` file beside it; `UPDATE_GOLDEN=1` writes
//! these anew. All IDL at hand must keep its meaning and be left alone the second time.

use armilla_idl::format;
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn every_file_is_formatted_as_the_golden_one() {
    for path in idl_files(&own("tests/fmt")) {
        let formatted = formatted(&path);
        let golden = path.with_extension("out");
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&golden, &formatted).unwrap();
        }
        let expected = fs::read_to_string(&golden).unwrap_or_default();
        assert_eq!(expected, formatted, "{} differs", golden.display());
    }
}

#[test]
fn what_is_formatted_does_not_change_again() {
    for path in everything() {
        let Ok(once) = format("once.idl", &read(&path)) else { continue };
        let twice = format("twice.idl", &once).unwrap();
        if once != twice {
            let changed = once.lines().zip(twice.lines()).find(|(a, b)| a != b);
            panic!("{} changes again: {changed:#?}", path.display());
        }
    }
}

#[test]
fn nothing_but_blanks_changes() {
    let solid = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    for path in everything() {
        let text = read(&path).replace(['\u{1a}', '\u{feff}'], "");
        let Ok(formatted) = format("text.idl", &text) else { continue };
        // A backslash at the end of a line joins it with the next one; outside of directives the
        // formatter does so itself.
        let text = text.replace("\\\r\n", "").replace("\\\n", "");
        let formatted = formatted.replace("\\\r\n", "").replace("\\\n", "");
        assert_eq!(solid(&text), solid(&formatted), "{}", path.display());
    }
}

#[test]
fn only_files_that_cannot_be_told_apart_are_refused() {
    for path in everything() {
        let accepted = format("text.idl", &read(&path)).is_ok();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let broken = ["hint_literals", "lex_characters", "lex_comment"].contains(&name.as_str());
        assert_eq!(accepted, !broken, "{}", path.display());
    }
}

#[test]
fn refusals_have_a_reason() {
    let error = format("a.idl", "/* never").unwrap_err().render();
    assert!(error.contains("error[E0202]") && error.contains("--> a.idl:1:1"), "{error}");
    let error = format("a.idl", "const string a = \"never;\n").unwrap_err().render();
    assert!(error.contains("error[E0202]") && error.contains("--> a.idl:1:18"), "{error}");
    assert!(format("a.idl", "long `a`;").unwrap_err().render().contains("E0201"));
}

#[test]
fn line_ends_and_byte_order_mark_stay() {
    let formatted = format("a.idl", "\u{feff}module A\r\n{};\r\n").unwrap();
    assert_eq!(formatted, "\u{feff}module A {};\r\n");
    assert_eq!(format("a.idl", "").unwrap(), "");
    assert_eq!(format("a.idl", "\n\n").unwrap(), "");
}

#[test]
fn hostile_text_neither_overflows_the_stack_nor_takes_for_ever() {
    for part in ["(", "{", "<", "(a,", "a,", "}", "@a ", "/**/", "case a:", "#if 0\n", "/*\n*/"] {
        let text = part.repeat(20_000);
        let once = format("hostile.idl", &text).unwrap();
        assert!(once.len() >= text.len() / 2, "{part}");
    }
}

#[test]
fn mutilated_text_is_formatted_or_refused_and_keeps_its_outline() {
    let mut random = 1_u64;
    let mut below = |limit: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (random >> 33) as usize % limit
    };
    for path in idl_files(&own("tests/fmt")) {
        let whole: Vec<char> = read(&path).chars().collect();
        for _ in 0..500 {
            let mut text = whole.clone();
            for _ in 0..1 + below(4) {
                let start = below(text.len());
                let end = (start + below(40)).min(text.len());
                let part: Vec<char> = text.drain(start..end).collect();
                if below(2) == 0 {
                    let at = below(text.len());
                    text.splice(at..at, part);
                }
            }
            let text: String = text.into_iter().collect();
            let names = |text: &str| {
                let mut names = Vec::new();
                let mut rest = armilla_idl::outline::outline(text);
                while let Some(symbol) = rest.pop() {
                    assert!(text.get(symbol.range).is_some() && text.get(symbol.header).is_some());
                    names.push(symbol.name);
                    rest.extend(symbol.children);
                }
                names
            };
            let before = names(&text);
            if let Ok(once) = format("text.idl", &text) {
                assert_eq!(before, names(&once), "{text}");
                let twice = format("text.idl", &once).unwrap();
                let changed = once.lines().zip(twice.lines()).find(|(a, b)| a != b);
                assert!(once == twice, "{changed:#?} of:\n{once}");
            }
        }
    }
}

fn formatted(path: &Path) -> String {
    format(&path.display().to_string(), &read(path)).unwrap_or_else(|errors| panic!("{errors}"))
}

/// The text of a file as the compiler reads it.
fn read(path: &Path) -> String {
    String::from_utf8(fs::read(path).unwrap())
        .unwrap_or_else(|error| error.into_bytes().into_iter().map(char::from).collect())
}

fn own(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)
}

/// The files of this crate's tests, and those of omniORB where they are installed.
fn everything() -> Vec<PathBuf> {
    let folders = [own("tests"), own("../../idl"), PathBuf::from("/usr/share/idl")];
    let files: Vec<PathBuf> = folders.iter().flat_map(|folder| idl_files(folder)).collect();
    assert!(files.len() > 50);
    files
}

fn idl_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(idl_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "idl") {
            files.push(path);
        }
    }
    files.sort();
    files
}
