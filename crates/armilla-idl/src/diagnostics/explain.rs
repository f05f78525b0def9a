//! The explanation of each code: the sections of `explain.md`.

use super::Code;

const TEXT: &str = include_str!("explain.md");

impl Code {
    /// The code that is displayed as `text`; case does not matter.
    pub fn find(text: &str) -> Option<Code> {
        Code::ALL.iter().copied().find(|code| code.as_str().eq_ignore_ascii_case(text))
    }

    /// The explanation of the code, in Markdown: a paragraph and, if a few lines can show it, one
    /// example with the error and one without.
    ///
    /// ```
    /// use armilla_idl::diagnostics::Code;
    ///
    /// let code = Code::find("e0505").unwrap();
    /// assert!(code.explanation().contains("oneway"));
    /// ```
    pub fn explanation(self) -> &'static str {
        let heading = format!("\n## {}\n", self.as_str());
        let section = TEXT.split_once(&heading).map_or("", |(_, section)| section);
        section.split_once("\n## ").map_or(section, |(section, _)| section).trim()
    }
}
