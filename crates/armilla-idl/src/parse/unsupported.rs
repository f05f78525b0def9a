//! What the grammar of CORBA 3.4 and IDL 4.2 has and this version has not: components, homes,
//! ports, connectors and template modules. Each is reported by its name and skipped as a whole, so
//! that the rest of the source is still checked. Whoever implements one takes it out here.

use super::ast::DefinitionKind;
use super::{Parsed, Parser};
use crate::diagnostics::{Code, Diagnostic};
use crate::source::Span;

/// Words that begin a declaration when a name and its body follow them.
const DEFINITIONS: &[&str] = &["component", "home", "porttype", "connector"];

impl Parser<'_, '_, '_> {
    pub(super) fn unsupported(&mut self, span: Span, what: &str) {
        let message = format!("{what} is not supported");
        self.session.report(Diagnostic::error(Code::Unsupported, span, message));
    }

    /// A declaration of a kind that is not supported.
    pub(super) fn unsupported_definition(&mut self) -> Parsed<Option<DefinitionKind>> {
        let token = self.peek();
        let behind = self.peek_third();
        let has_body = ["manages", "supports"].iter().any(|word| behind.is_word(word));
        if !(has_body || self.begins_definition())
            || !DEFINITIONS.iter().any(|word| token.is_word(word))
        {
            return Ok(None);
        }
        self.bump();
        let name = self.name("a name")?;
        let what = format!("the {} `{}`", token.text, name.text);
        let message = format!("{what} is not supported");
        let refused = Diagnostic::error(Code::Unsupported, token.span.to(name.span), message);
        let refused = match &*token.text {
            "component" | "home" => refused
                .help("write the interfaces that it stands for, its equivalent IDL, in its place"),
            _ => refused,
        };
        self.session.report(refused);
        self.skip_definition();
        Ok(Some(DefinitionKind::Unsupported { name: Some(name) }))
    }

    /// A template module or an instance of one, from its `<` on.
    pub(super) fn template_module(&mut self, keyword: Span, name: &str) -> DefinitionKind {
        let message = format!("the template module `{name}` is not supported");
        let refused = Diagnostic::error(Code::Unsupported, keyword, message)
            .help("write the module out for the types that it is used with");
        self.session.report(refused);
        self.skip_definition();
        DefinitionKind::Unsupported { name: None }
    }

    /// Skips to behind the `;` that ends the declaration.
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
