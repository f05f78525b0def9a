//! Source files and positions in them.

use std::path::{Component, Path, PathBuf};

/// The index of a source file of one compilation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub(crate) u32);

/// A range of bytes in a source file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// The offset of the first byte.
    pub start: u32,
    /// The offset after the last byte.
    pub end: u32,
}

impl Span {
    /// The span from the start of `self` to the end of `last`; `self` if they are in different
    /// files.
    pub(crate) fn to(self, last: Span) -> Span {
        if self.file == last.file && last.end >= self.start {
            Span { end: last.end, ..self }
        } else {
            self
        }
    }

    /// The empty span right after `self`, where something is missing.
    pub(crate) fn after(self) -> Span {
        Span { start: self.end, ..self }
    }
}

/// The text of every file that one compilation has read.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    files: Vec<SourceFile>,
}

#[derive(Debug, Clone)]
struct SourceFile {
    path: PathBuf,
    text: String,
    /// The `#include` directive that first included the file.
    included_at: Option<Span>,
    /// The `#include` directive that included it for the second time.
    included_again: Option<Span>,
    /// Whether the file is part of this crate, not of the file system.
    built_in: bool,
    /// Whether the file is a compiled one, not only an included one.
    main: bool,
    /// The offset of each line.
    lines: Vec<u32>,
    /// The `#line` directives, in the order of their offsets.
    presumed: Vec<Presumed>,
}

/// The presumed location that a `#line` directive gives to the lines from `start` on.
#[derive(Debug, Clone)]
struct Presumed {
    start: u32,
    /// The number of the first line that begins at `start` or later.
    line: usize,
    path: Option<PathBuf>,
}

impl Sources {
    /// The path of `file`, as it was opened.
    pub fn path(&self, file: FileId) -> &Path {
        &self.files[file.0 as usize].path
    }

    /// The text of `file`.
    pub fn text(&self, file: FileId) -> &str {
        &self.files[file.0 as usize].text
    }

    /// The text that `span` covers.
    pub fn snippet(&self, span: Span) -> &str {
        self.text(span.file).get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// The line and the column, both counted from 1, of the first character of `span`.
    pub fn line_column(&self, span: Span) -> (usize, usize) {
        let line = self.line(span);
        let starts = &self.files[span.file.0 as usize].lines;
        let start = starts.get(line - 1).map_or(0, |start| *start as usize);
        let before = self.text(span.file).get(start..span.start as usize).unwrap_or_default();
        (line, before.chars().count() + 1)
    }

    /// The line of the first character of `span`, counted from 1.
    fn line(&self, span: Span) -> usize {
        let starts = &self.files[span.file.0 as usize].lines;
        starts.partition_point(|start| *start <= span.start).max(1)
    }

    /// The presumed file and line of the first character of `span`: what `#line` directives say.
    pub fn presumed(&self, span: Span) -> (&Path, usize) {
        let line = self.line(span);
        let file = &self.files[span.file.0 as usize];
        let said = file.presumed.partition_point(|said| said.start <= span.start);
        let Some(last) = said.checked_sub(1).and_then(|index| file.presumed.get(index)) else {
            return (&file.path, line);
        };
        let path = file.presumed[..said].iter().rev().find_map(|said| said.path.as_deref());
        let begin = self.line(Span { start: last.start, ..span });
        (path.unwrap_or(&file.path), (line + last.line).saturating_sub(begin))
    }

    /// Records a `#line` directive: the line at `start` in `file` has the number `line`.
    pub(crate) fn presume(&mut self, file: FileId, start: u32, line: usize, path: Option<PathBuf>) {
        let presumed = &mut self.files[file.0 as usize].presumed;
        // A file that is included again has the same directives again.
        if presumed.last().is_none_or(|last| last.start < start) {
            presumed.push(Presumed { start, line, path });
        }
    }

    /// The paths of all files on disk: first the compiled files, then the included ones in the
    /// order of inclusion. Built-in files have no path on disk and are left out.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().filter(|file| !file.built_in).map(|file| file.path.as_path())
    }

    /// The paths of the compiled files.
    pub(crate) fn mains(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().filter(|file| file.main).map(|file| file.path.as_path())
    }

    /// Whether `file` is a compiled file, not only an included one.
    pub fn is_main(&self, file: FileId) -> bool {
        self.files[file.0 as usize].main
    }

    /// Whether `file` is part of this crate, not of the file system.
    pub(crate) fn is_built_in(&self, file: FileId) -> bool {
        self.files[file.0 as usize].built_in
    }

    /// The `#include` directive that first included `file`; `None` for a compiled file.
    pub fn included_at(&self, file: FileId) -> Option<Span> {
        self.files[file.0 as usize].included_at
    }

    /// The `#include` directive that included `file` for the second time.
    pub(crate) fn included_again(&self, file: FileId) -> Option<Span> {
        self.files[file.0 as usize].included_again
    }

    /// Records that the `#include` directive at `span` includes `file` again.
    pub(crate) fn include_again(&mut self, file: FileId, span: Span) {
        self.files[file.0 as usize].included_again.get_or_insert(span);
    }

    /// Adds a file. The caller has checked that `text` is shorter than 4 GiB, so that offsets fit.
    pub(crate) fn add(&mut self, path: PathBuf, text: String, included_at: Option<Span>) -> FileId {
        let id = FileId(self.files.len() as u32);
        let starts = text.match_indices('\n').map(|(newline, _)| newline as u32 + 1);
        let lines = std::iter::once(0).chain(starts).collect();
        self.files.push(SourceFile {
            path,
            text,
            included_at,
            included_again: None,
            lines,
            presumed: Vec::new(),
            built_in: false,
            main: included_at.is_none(),
        });
        id
    }

    /// Adds a built-in file.
    pub(crate) fn add_built_in(&mut self, path: PathBuf, text: String, included_at: Span) {
        let id = self.add(path, text, Some(included_at));
        self.files[id.0 as usize].built_in = true;
    }

    /// The file that was opened before as `path` or as another spelling of it.
    pub(crate) fn find(&self, path: &Path) -> Option<FileId> {
        let path = plain(path);
        let index = self.files.iter().position(|file| plain(&file.path) == path)?;
        Some(FileId(index as u32))
    }
}

/// `path` without `.` and, where the rest allows it, without `..`: one file may be included under
/// several names.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if plain.file_name().is_some() => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}
