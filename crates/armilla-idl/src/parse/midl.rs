//! What files of MIDL have beside interfaces and types: imports, text for C, libraries, classes.

use super::ast::{Definition, DefinitionKind, TypeKind, TypeSpec};
use super::com_ast::{ComDefinition, ComDefinitionKind, ComMember, MidlAttribute};
use super::{Parsed, Parser};
use crate::lex::{Token, TokenKind};
use crate::model::Primitive;
use crate::source::FileId;
use std::collections::HashSet;

/// The files that are MIDL: those that import a file, or have text for C.
pub(super) fn files(tokens: &[Token]) -> HashSet<FileId> {
    let pairs = tokens.iter().zip(tokens.iter().skip(1));
    let midl = pairs.filter(|(token, next)| {
        token.is_word("cpp_quote") && next.is("(")
            || token.is_word("importlib") && next.is("(")
            || token.is_word("import") && next.kind == TokenKind::String && !next.text.contains(':')
    });
    midl.map(|(token, _)| token.span.file).collect()
}

impl Parser<'_, '_, '_> {
    /// Whether what follows is MIDL, where all types are for interfaces of COM.
    pub(super) fn in_midl(&mut self) -> bool {
        let file = self.peek().span.file;
        self.session.midl.contains(&file)
    }

    /// Whether a type without attributes follows, or what declares nothing.
    pub(super) fn begins_midl_type(&mut self) -> bool {
        let words = ["typedef", "enum", "struct", "union", "const", "cpp_quote", "import"];
        words.iter().any(|word| self.at_word(word)) && self.com_declares()
    }

    /// Whether a declaration follows, and no method that returns a struct or an enum.
    fn com_declares(&mut self) -> bool {
        let rest = &self.tokens[self.next..];
        let end = rest.iter().find(|it| it.is("{") || it.is(";") || it.is("(")).map(|it| &*it.text);
        end != Some("(") || self.at_word("cpp_quote") || self.at_word("const")
    }

    /// A declaration of MIDL.
    pub(super) fn midl_definition(&mut self) -> Parsed<DefinitionKind> {
        let token = self.peek();
        match &*token.text {
            ";" => {
                self.bump();
                Ok(nothing())
            }
            "import" | "cpp_quote" | "midl_pragma" | "importlib" | "extern" | "pragma" => {
                self.skip_line();
                Ok(nothing())
            }
            "const" => self.midl_constant(),
            "module" => self.module(),
            "struct" | "enum" | "union" if self.peek_third().is(";") => {
                self.skip_line();
                Ok(nothing())
            }
            _ => self.com_definition(),
        }
    }

    /// What only MIDL has, behind its attributes.
    pub(super) fn midl_behind(
        &mut self,
        attributes: &[MidlAttribute],
    ) -> Parsed<Option<DefinitionKind>> {
        let token = self.peek();
        match &*token.text {
            "library" => self.midl_library().map(Some),
            "coclass" => self.midl_class(attributes).map(Some),
            "dispinterface" => self.midl_dispatch(attributes).map(Some),
            // A function of a library of C.
            word if word != "namespace" && attributes.iter().any(|it| it.name == "local") => {
                self.skip_line();
                self.eat(";");
                Ok(Some(nothing()))
            }
            "module" if !attributes.is_empty() => {
                self.skip_line();
                Ok(Some(nothing()))
            }
            _ => Ok(None),
        }
    }

    /// `library L { … };`: what it holds is declared in the file.
    fn midl_library(&mut self) -> Parsed<DefinitionKind> {
        self.bump();
        let name = self.com_name("the name of the library")?;
        let file = name.span.file;
        let opened = self.expect("{")?;
        let new = self.session.midl.insert(file);
        let mut all = Vec::new();
        self.nested(|parser| {
            while !parser.at("}") && !parser.at_end() {
                let docs = parser.docs();
                let kind = parser.midl_definition()?;
                all.push(Definition { docs, kind });
            }
            Ok(())
        })?;
        self.expect_end_of(opened)?;
        self.eat(";");
        if new {
            self.session.midl.remove(&file);
        }
        Ok(DefinitionKind::ComGroup(all))
    }

    /// `coclass C { [default] interface I; };`
    fn midl_class(&mut self, attributes: &[MidlAttribute]) -> Parsed<DefinitionKind> {
        self.bump();
        let name = self.com_name("the name of the class")?;
        if self.eat(";").is_some() {
            return Ok(DefinitionKind::ComForward(name));
        }
        self.skip_line();
        let (attributes, kind) = (attributes.to_vec(), ComDefinitionKind::Class);
        Ok(DefinitionKind::ComType(ComDefinition { attributes, name, tag: None, kind }))
    }

    /// `dispinterface D { properties: … methods: … };`: the numbers of its members.
    fn midl_dispatch(&mut self, attributes: &[MidlAttribute]) -> Parsed<DefinitionKind> {
        self.bump();
        let name = self.com_name("the name of the interface")?;
        if self.eat(";").is_some() {
            return Ok(DefinitionKind::ComForward(name));
        }
        let opened = self.expect("{")?;
        let mut members = Vec::new();
        self.nested(|parser| {
            while !parser.at("}") && !parser.at_end() {
                let label = ["properties", "methods"].iter().any(|it| parser.at_word(it));
                if label && parser.peek_second().is(":") {
                    parser.bump();
                    parser.bump();
                } else if let Some(member) = parser.midl_member()? {
                    members.push(member);
                }
            }
            Ok(())
        })?;
        self.expect_end_of(opened)?;
        self.eat(";");
        let (attributes, kind) = (attributes.to_vec(), ComDefinitionKind::Dispatch(members));
        Ok(DefinitionKind::ComType(ComDefinition { attributes, name, tag: None, kind }))
    }

    /// `[id(2)] void Changed([in] long how);`
    fn midl_member(&mut self) -> Parsed<Option<ComMember>> {
        let docs = self.docs();
        let attributes = self.midl_attributes()?;
        if self.eat_word("interface").is_some() {
            self.com_name("the name of the interface")?;
            self.expect_semicolon("the interface")?;
            return Ok(None);
        }
        self.com_type()?;
        let name = self.com_name("the name of the member")?;
        if self.eat("(").is_some() {
            self.com_parameters()?;
            self.expect(")")?;
        }
        self.expect_semicolon("the member")?;
        Ok(Some(ComMember { docs, attributes, name }))
    }

    /// `const DWORD ALL = 7;`
    fn midl_constant(&mut self) -> Parsed<DefinitionKind> {
        self.bump();
        let spec = self.com_type()?;
        let name = self.com_name("the name of the constant")?;
        self.expect("=")?;
        let value = self.expression()?;
        self.expect_semicolon("the constant")?;
        let text =
            matches!(&spec.ty.kind, TypeKind::Primitive(Primitive::WChar)) && spec.stars == 1;
        let kind = match &spec.ty.kind {
            _ if text => Some(TypeKind::WString(None)),
            TypeKind::Primitive(primitive) if spec.stars == 0 => {
                Some(TypeKind::Primitive(*primitive))
            }
            TypeKind::Named(name) if spec.stars == 0 => constant_type(&name.first.text),
            _ => None,
        };
        Ok(match kind {
            Some(kind) => {
                let ty = TypeSpec { kind, span: spec.ty.span };
                DefinitionKind::Const { ty, name, value }
            }
            None => DefinitionKind::Unsupported { name: Some(name) },
        })
    }

    /// Passes over `(int)` before a value: constants are as wide as their types.
    pub(super) fn pass_cast(&mut self) {
        const TYPES: &[&str] = &[
            "int", "long", "short", "unsigned", "DWORD", "ULONG", "LONG", "UINT", "INT", "WORD",
            "HRESULT",
        ];
        if !self.at("(") || !self.in_midl() {
            return;
        }
        let rest = &self.tokens[self.next + 1..];
        let words = rest.iter().take_while(|it| TYPES.iter().any(|word| it.is_word(word))).count();
        if words > 0 && rest.get(words).is_some_and(|it| it.is(")")) {
            (0..words + 2).for_each(|_| {
                self.bump();
            });
        }
    }

    /// Passes over everything up to a `;` or behind a body.
    pub(super) fn skip_line(&mut self) {
        let mut open = 0;
        while !self.at_end() {
            let token = self.bump();
            match &*token.text {
                "{" | "(" => open += 1,
                "}" | ")" => open -= 1,
                ";" if open == 0 => return,
                _ => {}
            }
            // `cpp_quote("…")` and bodies need no `;`.
            if open == 0 && matches!(&*token.text, "}" | ")") {
                self.eat(";");
                return;
            }
        }
    }
}

fn nothing() -> DefinitionKind {
    DefinitionKind::ComGroup(Vec::new())
}

/// The type of a constant whose type is a name of Windows.
fn constant_type(name: &str) -> Option<TypeKind> {
    Some(TypeKind::Primitive(match name {
        "BYTE" | "UCHAR" => Primitive::Octet,
        "SHORT" => Primitive::Short,
        "WORD" | "USHORT" => Primitive::UShort,
        "LONG" | "INT" | "BOOL" | "DISPID" => Primitive::Long,
        "HRESULT" | "DWORD" | "ULONG" | "UINT" | "LCID" => Primitive::ULong,
        "LONGLONG" => Primitive::LongLong,
        "ULONGLONG" | "DWORDLONG" => Primitive::ULongLong,
        "DOUBLE" => Primitive::Double,
        "FLOAT" => Primitive::Float,
        "LPCWSTR" | "LPWSTR" | "LPCOLESTR" | "LPOLESTR" => return Some(TypeKind::WString(None)),
        _ => return None,
    }))
}
