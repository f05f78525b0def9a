//! A model as compact text, one line for each declaration, for golden files.

use armilla_idl::Model;
use armilla_idl::model::{
    Attribute, Case, ConstValue, DeclId, DeclKind, Declaration, Direction, Export, Member,
    Operation, Type,
};
use std::fmt::Write;

/// The declarations of `model` that stand in the compiled file, and those around them.
pub(crate) fn dump(model: &Model) -> String {
    let mut dump = Dump { model, text: String::new(), depth: 0 };
    dump.declarations(model.roots());
    dump.text
}

struct Dump<'m> {
    model: &'m Model,
    text: String,
    depth: usize,
}

impl Dump<'_> {
    fn line(&mut self, line: &str) {
        let indent = "  ".repeat(self.depth);
        writeln!(self.text, "{indent}{line}").unwrap();
    }

    fn docs(&mut self, docs: &[String]) {
        for line in docs {
            self.line(format!("/// {line}").trim_end());
        }
    }

    fn within(&mut self, content: impl FnOnce(&mut Self)) {
        self.depth += 1;
        content(self);
        self.depth -= 1;
    }

    fn declarations(&mut self, ids: &[DeclId]) {
        for id in ids {
            self.declaration(self.model.get(*id));
        }
    }

    fn declaration(&mut self, declaration: &Declaration) {
        self.docs(&declaration.docs);
        let name = &declaration.name;
        let included = if declaration.included { " included" } else { "" };
        let tail = format!("<{}>{included}", declaration.repository_id);
        match &declaration.kind {
            DeclKind::Module(members) => {
                self.line(&format!("module {name} {tail}"));
                self.within(|dump| dump.declarations(members));
            }
            DeclKind::Interface(interface) => {
                let bases: Vec<String> =
                    interface.bases.iter().map(|id| self.model.scoped_name(*id)).collect();
                let colon = if bases.is_empty() { "" } else { " : " };
                self.line(&format!("interface {name}{colon}{} {tail}", bases.join(", ")));
                self.within(|dump| {
                    dump.declarations(&interface.nested);
                    interface.exports.iter().for_each(|export| dump.export(export));
                });
            }
            DeclKind::Struct(body) | DeclKind::Exception(body) => {
                let exception = matches!(declaration.kind, DeclKind::Exception(_));
                let word = if exception { "exception" } else { "struct" };
                self.line(&format!("{word} {name} {tail}"));
                self.within(|dump| {
                    dump.declarations(&body.nested);
                    body.members.iter().for_each(|member| dump.member(member, ""));
                });
            }
            DeclKind::Union(union) => {
                let discriminator = self.ty(&union.discriminator);
                self.line(&format!("union {name} switch ({discriminator}) {tail}"));
                self.within(|dump| {
                    dump.declarations(&union.nested);
                    union.cases.iter().for_each(|case| dump.case(case));
                });
            }
            DeclKind::Enum(body) => {
                self.line(&format!("enum {name} {tail}"));
                self.within(|dump| {
                    for enumerator in &body.enumerators {
                        dump.docs(&enumerator.docs);
                        dump.line(&format!("{} <{}>", enumerator.name, enumerator.repository_id));
                    }
                });
            }
            DeclKind::Typedef(ty) => {
                self.line(&format!("typedef {} {name} {tail}", self.ty(ty)));
            }
            DeclKind::Const(constant) => {
                let (ty, value) = (self.ty(&constant.ty), self.value(&constant.value));
                self.line(&format!("const {ty} {name} = {value} {tail}"));
            }
        }
    }

    fn export(&mut self, export: &Export) {
        match export {
            Export::Attribute(attribute) => self.attribute(attribute),
            Export::Operation(operation) => self.operation(operation),
        }
    }

    fn attribute(&mut self, attribute: &Attribute) {
        self.docs(&attribute.docs);
        let readonly = if attribute.readonly { "readonly " } else { "" };
        let (ty, id) = (self.ty(&attribute.ty), &attribute.repository_id);
        self.line(&format!("{readonly}attribute {ty} {} <{id}>", attribute.name));
    }

    fn operation(&mut self, operation: &Operation) {
        self.docs(&operation.docs);
        let oneway = if operation.oneway { "oneway " } else { "" };
        let result = operation.result.as_ref().map_or("void".to_owned(), |ty| self.ty(ty));
        let parameters: Vec<String> = operation
            .parameters
            .iter()
            .map(|parameter| {
                let direction = match parameter.direction {
                    Direction::In => "in",
                    Direction::Out => "out",
                    Direction::InOut => "inout",
                };
                format!("{direction} {} {}", self.ty(&parameter.ty), parameter.name)
            })
            .collect();
        let raises: Vec<String> =
            operation.raises.iter().map(|id| self.model.scoped_name(*id)).collect();
        let raises = match raises.join(", ") {
            none if none.is_empty() => none,
            some => format!(" raises ({some})"),
        };
        let (name, parameters) = (&operation.name, parameters.join(", "));
        let id = &operation.repository_id;
        self.line(&format!("{oneway}{result} {name}({parameters}){raises} <{id}>"));
    }

    fn member(&mut self, member: &Member, labels: &str) {
        self.docs(&member.docs);
        self.line(&format!("{labels}{} {}", self.ty(&member.ty), member.name));
    }

    fn case(&mut self, case: &Case) {
        let mut labels: String =
            case.labels.iter().map(|label| format!("case {}: ", self.value(label))).collect();
        if case.default {
            labels.push_str("default: ");
        }
        self.member(&case.member, &labels);
    }

    fn ty(&self, ty: &Type) -> String {
        let bound = |bound: &Option<u32>| bound.map_or(String::new(), |bound| format!("{bound}"));
        match ty {
            Type::Primitive(primitive) => format!("{primitive:?}").to_lowercase(),
            Type::String(None) => "string".to_owned(),
            Type::String(some) => format!("string<{}>", bound(some)),
            Type::Sequence(element, None) => format!("sequence<{}>", self.ty(element)),
            Type::Sequence(element, some) => {
                format!("sequence<{}, {}>", self.ty(element), bound(some))
            }
            Type::Array(element, dimensions) => {
                let dimensions: String = dimensions.iter().map(|d| format!("[{d}]")).collect();
                format!("{}{dimensions}", self.ty(element))
            }
            Type::Object => "Object".to_owned(),
            Type::Named(id) => self.model.scoped_name(*id),
        }
    }

    fn value(&self, value: &ConstValue) -> String {
        match value {
            ConstValue::Integer(value) => value.to_string(),
            ConstValue::Float(value) => format!("{value:?}"),
            ConstValue::Boolean(value) => value.to_string(),
            ConstValue::Char(value) => format!("{:?}", char::from(*value)),
            ConstValue::String(value) => format!("{value:?}"),
            ConstValue::Enumerator(id, index) => {
                let DeclKind::Enum(body) = &self.model.get(*id).kind else {
                    panic!("an enumerator of what is no enum")
                };
                format!(
                    "{}::{}",
                    self.model.scoped_name(*id),
                    body.enumerators[*index as usize].name
                )
            }
        }
    }
}
