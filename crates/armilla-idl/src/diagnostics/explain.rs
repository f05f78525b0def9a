//! What each code means, at length: the sections of `explain.md`.

use super::Code;

const TEXT: &str = include_str!("explain.md");

impl Code {
    /// The code that messages show as `text`, in upper or lower case.
    pub fn find(text: &str) -> Option<Code> {
        Code::ALL.iter().copied().find(|code| code.as_str().eq_ignore_ascii_case(text))
    }

    /// What the code means and what to do, in Markdown: a paragraph and, where a few lines can show
    /// it, an example that is wrong and one that is right.
    pub fn explanation(self) -> &'static str {
        let heading = format!("\n## {}\n", self.as_str());
        let section = TEXT.split_once(&heading).map_or("", |(_, section)| section);
        section.split_once("\n## ").map_or(section, |(section, _)| section).trim()
    }
}
