//! The rules of template modules and their instances (IDL 4.2, 7.4.12).

use super::ast::{
    DefinitionKind, Instance, ParameterKind, Template, TemplateArgument, TemplateParameter,
};
use super::{Parsed, Parser};
use crate::diagnostics::{Code, Diagnostic};
use crate::lex::{Token, TokenKind, keyword};
use std::rc::Rc;

impl Parser<'_, '_, '_> {
    /// What follows `module` and a name that `<` follows.
    pub(super) fn template_or_instance(&mut self) -> Parsed<DefinitionKind> {
        if !self.angles_precede_body() {
            return self.instance().map(DefinitionKind::Instance);
        }
        let start = self.next;
        let name = self.name("the name of the module")?;
        let parameters = self.template_parameters()?;
        if std::mem::replace(&mut self.in_template, true) {
            let message = "a template module cannot be declared in another";
            let error = Diagnostic::error(Code::BadTemplate, name.span, message);
            let help = "declare it outside, and write `alias` where an instance of it is needed";
            self.session.report(error.help(help));
        }
        let opened = self.expect("{")?;
        let mut items = Vec::new();
        let inside = self.nested(|parser| parser.items(&mut items, Self::definition));
        self.in_template = false;
        inside?;
        self.expect_end_of(opened)?;
        self.expect_semicolon("the module")?;
        let size = self.next - start;
        Ok(DefinitionKind::Template(Rc::new(Template { name, parameters, items, size })))
    }

    /// Whether the next tokens are `alias A::B<`, so that `alias` is a keyword.
    pub(super) fn begins_alias(&mut self) -> bool {
        let rest = self.tokens.get(self.next + 1..).unwrap_or_default();
        let path = rest.iter().take_while(|token| is_path(token)).count();
        path > 0 && rest.get(path).is_some_and(|token| token.is("<"))
    }

    /// `A::B<long, 7> Name;`, after `module` or `alias`.
    pub(super) fn instance(&mut self) -> Parsed<Instance> {
        let template = self.scoped_name("the name of a template module")?;
        self.expect("<")?;
        let mut arguments = vec![self.template_argument()?];
        while self.eat(",").is_some() {
            arguments.push(self.template_argument()?);
        }
        self.close_angle()?;
        let name = self.name("the name of the new module")?;
        self.expect_semicolon("the instance of the template module")?;
        Ok(Instance { template, arguments, name })
    }

    fn template_parameters(&mut self) -> Parsed<Vec<TemplateParameter>> {
        self.expect("<")?;
        let mut parameters = vec![self.template_parameter()?];
        while self.eat(",").is_some() {
            parameters.push(self.template_parameter()?);
        }
        self.close_angle()?;
        Ok(parameters)
    }

    fn template_parameter(&mut self) -> Parsed<TemplateParameter> {
        let token = self.peek();
        let kind = match &*token.text {
            "typename" => ParameterKind::Typename,
            "interface" => ParameterKind::Interface,
            "valuetype" => ParameterKind::Value,
            "eventtype" => ParameterKind::Event,
            "struct" => ParameterKind::Struct,
            "union" => ParameterKind::Union,
            "exception" => ParameterKind::Exception,
            "enum" => ParameterKind::Enum,
            "const" => {
                self.bump();
                ParameterKind::Const(self.simple_type()?)
            }
            "sequence" if self.peek_second().is("<") => {
                ParameterKind::Sequence(Some(self.simple_type()?))
            }
            "sequence" => ParameterKind::Sequence(None),
            _ => return Err(self.unexpected("`typename` or another kind of parameter")),
        };
        if !matches!(kind, ParameterKind::Const(_) | ParameterKind::Sequence(Some(_))) {
            self.bump();
        }
        let name = self.name("the name of the parameter")?;
        Ok(TemplateParameter { kind, name })
    }

    fn template_argument(&mut self) -> Parsed<TemplateArgument> {
        let token = self.peek();
        let rest = self.tokens.get(self.next..).unwrap_or_default();
        let path = rest.iter().take_while(|token| is_path(token)).count();
        let alone =
            rest.get(path).is_some_and(|token| [",", ">", ">>"].iter().any(|s| token.is(s)));
        let named = token.kind == TokenKind::Identifier || token.is("::");
        if named && alone && !begins_type(token) {
            return self.scoped_name("a type or a constant").map(TemplateArgument::Name);
        }
        if begins_type(token) {
            return self.simple_type().map(TemplateArgument::Type);
        }
        self.bound_expression().map(TemplateArgument::Value)
    }

    /// Whether a `{` follows the angle brackets that follow the next name.
    fn angles_precede_body(&mut self) -> bool {
        let rest = self.tokens.get(self.next..).unwrap_or_default();
        let mut depth = 0_usize;
        for (index, token) in rest.iter().enumerate() {
            match &*token.text {
                "<" => depth += 1,
                ">" => depth = depth.saturating_sub(1),
                ">>" => depth = depth.saturating_sub(2),
                ";" | "{" | "}" => return false,
                _ => {}
            }
            if depth == 0 && token.text.starts_with('>') {
                return rest.get(index + 1).is_some_and(|token| token.is("{"));
            }
        }
        false
    }
}

fn is_path(token: &Token) -> bool {
    token.kind == TokenKind::Identifier || token.is("::")
}

/// Whether the token is a keyword that begins a type.
fn begins_type(token: &Token) -> bool {
    keyword::TYPES.iter().any(|word| *word != "void" && token.is_word(word))
}
