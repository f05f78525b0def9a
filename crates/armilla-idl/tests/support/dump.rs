//! A model as compact text, one line for each declaration, for golden files.

use armilla_idl::Model;
use armilla_idl::model::{
    Attribute, Case, ConstValue, DeclId, DeclKind, Declaration, Direction, Export, Flavour, Member,
    Operation, Parameter, Role, Type, Value, ValueModifier,
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

    /// What a component or a home has beside its equivalent interface.
    fn role(&mut self, role: &Role) {
        let (base, supports) = match role {
            Role::Plain => return,
            Role::Component(component) => {
                for port in &component.ports {
                    let ty = self.model.type_text(&port.ty);
                    self.line(&format!("  ({} {ty} {})", port.kind.keyword(), port.name));
                }
                (component.base, &component.supports)
            }
            Role::Home(home) => {
                let manages = self.names("manages ", home.manages.as_slice());
                let key = self.names(" primarykey ", home.primary_key.as_slice());
                self.line(&format!("  ({manages}{key})"));
                (home.base, &home.supports)
            }
        };
        let own = self.names("base ", base.as_slice()) + &self.names(" supports ", supports);
        if !own.is_empty() {
            self.line(&format!("  ({})", own.trim_start()));
        }
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
                let flavour = match interface.flavour {
                    Flavour::Unconstrained => "",
                    Flavour::Local => "local ",
                    Flavour::Abstract => "abstract ",
                };
                let forward = if interface.defined { "" } else { "forward " };
                let bases = bases.join(", ");
                let word = match &interface.role {
                    Role::Plain => "interface",
                    Role::Component(component) if component.connector => "connector",
                    Role::Component(_) => "component",
                    Role::Home(_) => "home",
                };
                self.line(&format!("{forward}{flavour}{word} {name}{colon}{bases} {tail}"));
                self.role(&interface.role);
                self.within(|dump| {
                    dump.declarations(&interface.nested);
                    interface.exports.iter().for_each(|export| dump.export(export));
                });
            }
            DeclKind::Struct(body) | DeclKind::Exception(body) => {
                let exception = matches!(declaration.kind, DeclKind::Exception(_));
                let word = if exception { "exception" } else { "struct" };
                let base = self.names(" : ", body.base.as_slice());
                self.line(&format!("{word} {name}{base} {tail}"));
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
            DeclKind::Com(interface) => {
                self.line(&format!("com {name} {tail}"));
                self.within(|dump| {
                    for method in &interface.methods {
                        dump.docs(&method.docs);
                        dump.line(&dump.model.com_signature(method));
                    }
                });
            }
            DeclKind::ComType(definition) => {
                self.line(&format!("com type {name} {tail}"));
                self.within(|dump| dump.line(&dump.model.com_definition(definition)));
            }
            DeclKind::Typedef(ty) => {
                self.line(&format!("typedef {} {name} {tail}", self.ty(ty)));
            }
            DeclKind::Const(constant) => {
                let (ty, value) = (self.ty(&constant.ty), self.value(&constant.value));
                self.line(&format!("const {ty} {name} = {value} {tail}"));
            }
            DeclKind::Value(value) => self.valuetype(name, value, &tail),
            DeclKind::ValueBox(ty) => {
                self.line(&format!("valuetype {name} {} {tail}", self.ty(ty)));
            }
            DeclKind::Native => self.line(&format!("native {name} {tail}")),
            DeclKind::Bitmask(body) => {
                self.line(&format!("bitmask {name} : {} {tail}", body.bound));
                self.within(|dump| {
                    for flag in &body.flags {
                        dump.line(&format!("{} = {}", flag.name, flag.position));
                    }
                });
            }
            DeclKind::Bitset(body) => {
                let base = self.names(" : ", body.base.as_slice());
                self.line(&format!("bitset {name}{base} {tail}"));
                self.within(|dump| {
                    for field in &body.fields {
                        let name = field.name.as_deref().unwrap_or("_");
                        dump.line(&format!("{name} : {} {:?}", field.bits, field.ty));
                    }
                });
            }
        }
    }

    fn valuetype(&mut self, name: &str, value: &Value, tail: &str) {
        let modifier = match value.modifier {
            ValueModifier::None => "",
            ValueModifier::Abstract => "abstract ",
            ValueModifier::Custom => "custom ",
        };
        let word = if value.event { "eventtype" } else { "valuetype" };
        let forward = if value.defined { "" } else { "forward " };
        let colon = if value.truncatable { " : truncatable " } else { " : " };
        let bases = self.names(colon, &value.bases);
        let supports = self.names(" supports ", &value.supports);
        self.line(&format!("{forward}{modifier}{word} {name}{bases}{supports} {tail}"));
        self.within(|dump| {
            dump.declarations(&value.nested);
            for state in &value.state {
                dump.member(&state.member, if state.public { "public " } else { "private " });
            }
            for one in &value.initializers {
                let parameters = dump.parameters(&one.parameters);
                let raises = dump.raises("raises", &one.raises);
                dump.line(&format!("factory {}({parameters}){raises}", one.name));
            }
            value.exports.iter().for_each(|export| dump.export(export));
        });
    }

    /// The scoped names of `ids` behind `before`; nothing if there are none.
    fn names(&self, before: &str, ids: &[DeclId]) -> String {
        let names: Vec<String> = ids.iter().map(|id| self.model.scoped_name(*id)).collect();
        if names.is_empty() { String::new() } else { format!("{before}{}", names.join(", ")) }
    }

    fn raises(&self, word: &str, ids: &[DeclId]) -> String {
        let names = self.names("", ids);
        if names.is_empty() { names } else { format!(" {word} ({names})") }
    }

    fn parameters(&self, parameters: &[Parameter]) -> String {
        let parameters: Vec<String> = parameters
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
        parameters.join(", ")
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
        let gets = self.raises("getraises", &attribute.get_raises);
        let sets = self.raises("setraises", &attribute.set_raises);
        self.line(&format!("{readonly}attribute {ty} {}{gets}{sets} <{id}>", attribute.name));
    }

    fn operation(&mut self, operation: &Operation) {
        self.docs(&operation.docs);
        let oneway = if operation.oneway { "oneway " } else { "" };
        let result = operation.result.as_ref().map_or("void".to_owned(), |ty| self.ty(ty));
        let raises = self.raises("raises", &operation.raises);
        let context = match operation.context.as_slice() {
            [] => String::new(),
            names => format!(" context {names:?}"),
        };
        let parameters = self.parameters(&operation.parameters);
        let name = &operation.name;
        let id = &operation.repository_id;
        self.line(&format!("{oneway}{result} {name}({parameters}){raises}{context} <{id}>"));
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
            Type::Any => "any".to_owned(),
            Type::TypeCode => "CORBA::TypeCode".to_owned(),
            Type::Principal => "CORBA::Principal".to_owned(),
            Type::ValueBase => "ValueBase".to_owned(),
            Type::WString(None) => "wstring".to_owned(),
            Type::WString(some) => format!("wstring<{}>", bound(some)),
            Type::Fixed(digits, scale) => format!("fixed<{digits}, {scale}>"),
            Type::Map(key, value, None) => format!("map<{}, {}>", self.ty(key), self.ty(value)),
            Type::Map(key, value, some) => {
                format!("map<{}, {}, {}>", self.ty(key), self.ty(value), bound(some))
            }
            Type::SharedOctets(_) | Type::SharedStrings => {
                unreachable!("the front end makes none")
            }
            Type::Named(id) => self.model.scoped_name(*id),
        }
    }

    fn value(&self, value: &ConstValue) -> String {
        match value {
            ConstValue::Integer(value) => value.to_string(),
            ConstValue::Float(value) => format!("{value:?}"),
            ConstValue::LongDouble(value) => format!("{value} {:032x}", value.to_bits()),
            ConstValue::Boolean(value) => value.to_string(),
            ConstValue::Char(value) => format!("{:?}", char::from(*value)),
            ConstValue::String(value) => format!("{value:?}"),
            ConstValue::WChar(_) | ConstValue::WString(_) => format!("L{:?}", value.text()),
            ConstValue::Fixed(value) => format!("{value}d"),
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
