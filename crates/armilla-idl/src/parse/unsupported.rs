//! Constructs of the grammar that are not supported, and how they are skipped.

use super::Parser;
use crate::diagnostics::{Code, Diagnostic};
use crate::source::Span;

impl Parser<'_, '_, '_> {
    pub(super) fn unsupported(&mut self, span: Span, what: &str) {
        let message = format!("{what} is not supported");
        self.session.report(Diagnostic::error(Code::Unsupported, span, message));
    }

    /// Skips past the `;` that ends the declaration.
    pub(super) fn skip_definition(&mut self) {
        let mut depth = 0_usize;
        while !self.at_end() {
            let token = self.peek();
            if token.is("{") {
                depth += 1;
            } else if token.is("}") {
                let Some(outer) = depth.checked_sub(1) else { return };
                depth = outer;
            }
            self.bump();
            if depth == 0 && token.is(";") {
                return;
            }
        }
    }
}
