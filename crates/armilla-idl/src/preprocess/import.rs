//! `import "other.idl";` of MIDL: a file that is read once, for its types.

use super::{Preprocessor, Stop};
use crate::lex::{Token, TokenKind, literal};
use std::path::Path;

/// What the files of Windows declare that interfaces use most.
const WINDOWS: (&str, &str) = ("windows.idl", include_str!("windows.idl"));

/// The files of Windows that [`WINDOWS`] stands for, where the search does not find them.
const FILES: &[&str] = &[
    "unknwn",
    "unknwnbase",
    "oaidl",
    "ocidl",
    "objidl",
    "objidlbase",
    "oleidl",
    "wtypes",
    "wtypesbase",
    "comcat",
    "propidl",
    "propidlbase",
    "basetsd",
    "servprov",
    "urlmon",
    "docobj",
    "mshtml",
    "msxml",
    "oleauto",
    "olectl",
    "dispex",
    "activscp",
    "shobjidl",
    "shldisp",
    "shtypes",
    "structuredquery",
    "hstring",
    "inspectable",
    "eventtoken",
    "activation",
    "ocidl",
    "strmif",
    "axcore",
    "axextend",
    "devenum",
    "mediaobj",
    "objsafe",
    "exdisp",
    "prsht",
    "guiddef",
    "winnt",
    "windef",
];

/// Whether a file has the name of one of Windows.
pub(crate) fn is_of_windows(path: &Path) -> bool {
    let stem = path.file_stem().and_then(|stem| stem.to_str());
    stem.is_some_and(|stem| FILES.contains(&&*stem.to_ascii_lowercase()))
}

impl Preprocessor<'_, '_> {
    /// Notes the files between `import` and `;`. They are read behind the `;`.
    pub(super) fn find_imports(&mut self) {
        let Some(frame) = self.frames.last_mut() else { return };
        let rest = &frame.tokens[frame.next..];
        let line: Vec<&Token> = rest.iter().take_while(|token| !token.is(";")).collect();
        let names = || line.iter().copied().step_by(2);
        let whole = !line.is_empty()
            && names().all(|it| it.kind == TokenKind::String && !it.text.contains(':'))
            && line.iter().skip(1).step_by(2).all(|it| it.is(","));
        // What is between quotes in IDL without files is a repository id.
        if whole {
            frame.imports = names().rev().cloned().collect();
            let file = frame.file;
            self.session.midl.insert(file);
        }
    }

    /// Reads an imported file, if that was not done before.
    pub(super) fn import(&mut self, name: &Token) -> Result<(), Stop> {
        let text = literal::unquote(&name.text).map(|text| text.value).unwrap_or_default();
        // A file of a type library or of C says nothing that travels.
        let lower = text.to_ascii_lowercase();
        if lower.ends_with(".h") || lower.ends_with(".tlb") || lower.ends_with(".acf") {
            return Ok(());
        }
        let (path, span) = match self.find_included(name, std::slice::from_ref(name)) {
            Ok(found) => found,
            Err(error) => {
                if !is_of_windows(Path::new(&lower)) {
                    self.session.report(*error);
                    return Ok(());
                }
                let path = Path::new(WINDOWS.0);
                if self.session.sources().find(path).is_none() {
                    self.session.add_built_in(path, WINDOWS.1, name.span);
                }
                (path.to_owned(), name.span)
            }
        };
        let Some(file) = self.session.sources().find(&path) else { return Ok(()) };
        self.session.midl.insert(file);
        if self.lexed.contains_key(&file) {
            return Ok(());
        }
        let read = self.include_file(&path, span);
        self.once.insert(file);
        read
    }
}
