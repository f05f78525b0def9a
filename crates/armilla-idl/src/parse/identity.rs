//! The rules of `typeid`, `typeprefix` and `import` (CORBA 3.4 Part 1, 14.7.5 and 7.6).

use super::ast::DefinitionKind;
use super::{Parsed, Parser};
use crate::diagnostics::{Code, Diagnostic};
use crate::lex::{TokenKind, literal};
use crate::source::Span;

impl Parser<'_, '_, '_> {
    /// Whether the next token begins a declaration. It may be an ordinary name in older IDL.
    pub(super) fn begins_identity(&mut self) -> bool {
        let is_import = self.at_word("import");
        let second = self.peek_second();
        let third = self.peek_third();
        if is_import {
            let named = second.kind == TokenKind::Identifier;
            return second.kind == TokenKind::String
                || second.is("::")
                || named && (third.is("::") || third.is(";"));
        }
        second.is("::")
            || second.kind == TokenKind::String && self.at_word("typeprefix")
            || second.kind == TokenKind::Identifier
                && (third.is("::") || third.kind == TokenKind::String)
    }

    pub(super) fn identity(&mut self) -> Parsed<DefinitionKind> {
        let keyword = self.bump();
        if keyword.is_word("import") && self.peek().kind == TokenKind::String {
            let span = keyword.span.to(self.bump().span);
            self.unsupported(span, "`import` of a repository id");
            return Ok(DefinitionKind::Unsupported { name: None });
        }
        if keyword.is_word("typeprefix") && self.peek().kind == TokenKind::String {
            let (prefix, prefix_span) = self.identity_text()?;
            let warning = Diagnostic::warning(
                Code::LooseTypePrefix,
                keyword.span,
                "this `typeprefix` names nothing; it is taken for that of the module around it",
            );
            self.session.report(warning.help("write the module's name before the string"));
            return Ok(DefinitionKind::ModulePrefix { prefix, prefix_span });
        }
        let name = self.scoped_name("the name of a declaration")?;
        match &*keyword.text {
            "typeid" => {
                let (id, id_span) = self.identity_text()?;
                Ok(DefinitionKind::TypeId { name, id, id_span })
            }
            "typeprefix" => {
                let (prefix, prefix_span) = self.identity_text()?;
                Ok(DefinitionKind::TypePrefix { name, prefix, prefix_span })
            }
            _ => Ok(DefinitionKind::Import { name }),
        }
    }

    /// Whether a prefix ends without a `;` at the end of its line, which JacORB accepts.
    pub(super) fn lacks_semicolon(&mut self) -> bool {
        let next = self.peek();
        let lacks = !next.is(";") && (next.starts_line || self.at_end());
        if lacks {
            let message = "`;` is missing after the prefix";
            let place = self.previous().after();
            self.session.report(Diagnostic::warning(Code::LooseTypePrefix, place, message));
        }
        lacks
    }

    fn identity_text(&mut self) -> Parsed<(String, Span)> {
        let token = self.peek();
        if token.kind != TokenKind::String {
            return Err(self.unexpected("a string"));
        }
        self.bump();
        match literal::unquote(&token.text) {
            Ok(text) => Ok((text.value, token.span)),
            Err(message) => {
                Err(self.fail(Diagnostic::error(Code::BadLiteral, token.span, message)))
            }
        }
    }
}
