//! The model as JSON lines, one declaration each, for scripts and for comparing compilers.
//!
//! Each line has `name` (scoped: `A::B`), `kind`, `repository_id`, `file` and `line`, and the
//! fields of its kind. Operations, attributes and enumerators are declarations of their own.

use crate::compile::Compilation;
use crate::json::Json;
use crate::model::{
    Attribute, Case, Component, ConstValue, DeclId, DeclKind, Declaration, Direction, Export,
    Flavour, Home, Initializer, Interface, Member, Model, Operation, Parameter, Primitive, Role,
    Timing, Type, Union, Value, ValueModifier,
};
use crate::source::{Sources, Span};

/// All declarations of `compilation` as JSON lines: first those of the compiled files, then those
/// of included files in the order of inclusion, each file from top to bottom.
///
/// ```
/// use armilla_idl::{Options, dump, parse_str};
///
/// let compilation = parse_str("t.idl", "typedef long Price;", &Options::new()).unwrap();
/// let dump = dump::json_lines(&compilation);
/// assert!(dump.starts_with(r#"{"name":"Price","kind":"typedef","#));
/// ```
pub fn json_lines(compilation: &Compilation) -> String {
    let mut dump =
        Dump { model: &compilation.model, sources: compilation.sources(), lines: Vec::new() };
    for (id, declaration) in compilation.model.iter() {
        dump.declaration(id, declaration);
    }
    dump.lines.sort_by_key(|(span, _)| (span.file, span.start));
    let mut text = String::new();
    for (_, line) in &dump.lines {
        line.write(&mut text);
        text.push('\n');
    }
    text
}

type Fields = Vec<(&'static str, Json)>;

struct Dump<'c> {
    model: &'c Model,
    sources: &'c Sources,
    lines: Vec<(Span, Json)>,
}

impl Dump<'_> {
    fn line(&mut self, name: String, kind: &str, id: &str, span: Span, mut more: Fields) {
        let (file, line) = self.sources.presumed(span);
        let mut fields = vec![
            ("name", Json::String(name)),
            ("kind", Json::from(kind)),
            ("repository_id", Json::from(id)),
            ("file", Json::from(file.to_string_lossy().into_owned())),
            ("line", Json::Integer(line as i128)),
        ];
        fields.append(&mut more);
        self.lines.push((span, Json::Object(fields)));
    }

    fn declaration(&mut self, id: DeclId, declaration: &Declaration) {
        let name = self.model.scoped_name(id);
        let (kind, fields) = self.kind(&declaration.kind);
        self.line(name.clone(), kind, &declaration.repository_id, declaration.span, fields);
        match &declaration.kind {
            DeclKind::Enum(body) => {
                for (index, enumerator) in body.enumerators.iter().enumerate() {
                    let scoped = self.model.enumerator_name(id, index as u32);
                    let fields = vec![
                        ("type", Json::from(name.as_str())),
                        ("value", Json::Integer(index as i128)),
                    ];
                    let id = &enumerator.repository_id;
                    self.line(scoped, "enumerator", id, enumerator.span, fields);
                }
            }
            DeclKind::Interface(interface) => self.exports(&name, &interface.exports),
            DeclKind::Com(interface) => {
                for method in &interface.methods {
                    let text = self.model.com_signature(method);
                    let fields = vec![
                        ("type", Json::from(text.as_str())),
                        ("value", Json::Integer(method.opnum.into())),
                    ];
                    let scoped = format!("{name}::{}", method.full_name());
                    let id = &declaration.repository_id;
                    self.line(scoped, "com method", id, method.span, fields);
                }
            }
            DeclKind::Value(value) => {
                self.exports(&name, &value.exports);
                let ids = &declaration.repository_id;
                value.initializers.iter().for_each(|one| self.initializer(&name, ids, one));
            }
            _ => {}
        }
    }

    fn kind(&self, kind: &DeclKind) -> (&'static str, Fields) {
        match kind {
            DeclKind::Module(_) => ("module", Vec::new()),
            DeclKind::Interface(Interface {
                role: Role::Component(component), defined, ..
            }) => self.component(component, *defined),
            DeclKind::Interface(Interface { role: Role::Home(home), .. }) => {
                ("home", self.home(home))
            }
            DeclKind::Interface(interface) => {
                let mut fields = vec![("bases", self.names(&interface.bases))];
                match interface.flavour {
                    Flavour::Unconstrained => {}
                    Flavour::Local => fields.push(("modifier", Json::from("local"))),
                    Flavour::Abstract => fields.push(("modifier", Json::from("abstract"))),
                }
                push_undefined(&mut fields, interface.defined);
                ("interface", fields)
            }
            DeclKind::Com(interface) => {
                ("com interface", vec![("value", Json::from(interface.iid.as_str()))])
            }
            DeclKind::ComType(definition) => {
                let text = self.model.com_definition(definition);
                ("com type", vec![("type", Json::from(text.as_str()))])
            }
            DeclKind::Struct(body) | DeclKind::Exception(body) => {
                let mut fields = vec![("members", self.members(&body.members))];
                if let Some(base) = body.base {
                    fields.push(("bases", self.names(&[base])));
                }
                let is_struct = matches!(kind, DeclKind::Struct(_));
                (if is_struct { "struct" } else { "exception" }, fields)
            }
            DeclKind::Union(union) => ("union", self.union(union)),
            DeclKind::Enum(body) => {
                let names = body.enumerators.iter().map(|enumerator| enumerator.name.clone());
                ("enum", vec![("members", Json::strings(names))])
            }
            DeclKind::Typedef(ty) => ("typedef", vec![("type", self.ty(ty))]),
            DeclKind::Const(constant) => {
                let value = match (&constant.value, self.model.resolve(&constant.ty)) {
                    (ConstValue::Float(value), Type::Primitive(Primitive::Float)) => {
                        Json::Float(shortest(*value))
                    }
                    (value, _) => self.value(value),
                };
                ("const", vec![("type", self.ty(&constant.ty)), ("value", value)])
            }
            DeclKind::Value(value) => self.valuetype(value),
            DeclKind::ValueBox(ty) => ("valuebox", vec![("type", self.ty(ty))]),
            DeclKind::Native => ("native", Vec::new()),
            DeclKind::Bitmask(bitmask) => {
                let flags = bitmask.flags.iter().map(|flag| {
                    let position = Json::Integer(flag.position.into());
                    Json::Object(vec![
                        ("name", Json::from(flag.name.as_str())),
                        ("value", position),
                    ])
                });
                ("bitmask", vec![("members", Json::List(flags.collect()))])
            }
            DeclKind::Bitset(bitset) => {
                let fields = bitset.fields.iter().map(|field| {
                    let name = Json::from(field.name.as_deref().unwrap_or_default());
                    Json::Object(vec![("name", name), ("bits", Json::Integer(field.bits.into()))])
                });
                let bases: Vec<DeclId> = bitset.base.into_iter().collect();
                let members = ("members", Json::List(fields.collect()));
                ("bitset", vec![members, ("bases", self.names(&bases))])
            }
        }
    }

    fn component(&self, component: &Component, defined: bool) -> (&'static str, Fields) {
        let ports = component.ports.iter().map(|port| {
            Json::Object(vec![
                ("name", Json::from(port.name.as_str())),
                ("kind", Json::from(port.kind.keyword())),
                ("type", self.ty(&port.ty)),
            ])
        });
        let mut fields = vec![
            ("bases", self.names(component.base.as_slice())),
            ("supports", self.names(&component.supports)),
            ("ports", Json::List(ports.collect())),
        ];
        push_undefined(&mut fields, defined);
        (if component.connector { "connector" } else { "component" }, fields)
    }

    fn home(&self, home: &Home) -> Fields {
        let mut fields = vec![
            ("bases", self.names(home.base.as_slice())),
            ("supports", self.names(&home.supports)),
        ];
        let named = |id: DeclId| Json::String(self.model.scoped_name(id));
        fields.extend(home.manages.map(|id| ("manages", named(id))));
        fields.extend(home.primary_key.map(|id| ("primarykey", named(id))));
        fields
    }

    fn valuetype(&self, value: &Value) -> (&'static str, Fields) {
        let state = value.state.iter().map(|state| {
            let mut fields = self.member_fields(&state.member);
            let access = if state.public { "public" } else { "private" };
            fields.push(("access", Json::from(access)));
            Json::Object(fields)
        });
        let mut fields = vec![
            ("bases", self.names(&value.bases)),
            ("supports", self.names(&value.supports)),
            ("members", Json::List(state.collect())),
        ];
        match value.modifier {
            ValueModifier::None => {}
            ValueModifier::Abstract => fields.push(("modifier", Json::from("abstract"))),
            ValueModifier::Custom => fields.push(("modifier", Json::from("custom"))),
        }
        if value.truncatable {
            fields.push(("truncatable", Json::Boolean(true)));
        }
        push_undefined(&mut fields, value.defined);
        (if value.event { "eventtype" } else { "valuetype" }, fields)
    }

    fn union(&self, union: &Union) -> Fields {
        let cases = union.cases.iter().map(|case| self.case(case));
        vec![("type", self.ty(&union.discriminator)), ("members", Json::List(cases.collect()))]
    }

    fn case(&self, case: &Case) -> Json {
        let mut labels: Vec<Json> = case.labels.iter().map(|label| self.value(label)).collect();
        if case.default {
            labels.push(Json::from("default"));
        }
        let mut fields = self.member_fields(&case.member);
        fields.push(("labels", Json::List(labels)));
        Json::Object(fields)
    }

    fn exports(&mut self, scope: &str, exports: &[Export]) {
        for export in exports {
            match export {
                Export::Operation(operation) => self.operation(scope, operation),
                Export::Attribute(attribute) => self.attribute(scope, attribute),
            }
        }
    }

    fn operation(&mut self, scope: &str, operation: &Operation) {
        let result = operation.result.as_ref().map_or(Json::from("void"), |ty| self.ty(ty));
        let mut fields = vec![
            ("type", result),
            ("parameters", self.parameters(&operation.parameters)),
            ("raises", self.names(&operation.raises)),
        ];
        if operation.oneway {
            fields.push(("oneway", Json::Boolean(true)));
        }
        if !operation.context.is_empty() {
            fields.push(("context", Json::strings(operation.context.iter().cloned())));
        }
        if let Some(timing) = &operation.timing {
            fields.push(("timing", timing_fields(timing)));
        }
        if !operation.roles.is_empty() {
            fields.push(("roles", Json::strings(operation.roles.iter().cloned())));
        }
        let name = format!("{scope}::{}", operation.name);
        self.line(name, "operation", &operation.repository_id, operation.span, fields);
    }

    fn attribute(&mut self, scope: &str, attribute: &Attribute) {
        let mut fields = vec![
            ("type", self.ty(&attribute.ty)),
            ("readonly", Json::Boolean(attribute.readonly)),
            ("raises", self.names(&attribute.get_raises)),
        ];
        if !attribute.readonly {
            fields.push(("setraises", self.names(&attribute.set_raises)));
        }
        for (key, roles) in [("getroles", &attribute.get_roles), ("setroles", &attribute.set_roles)]
        {
            if !roles.is_empty() {
                fields.push((key, Json::strings(roles.iter().cloned())));
            }
        }
        let name = format!("{scope}::{}", attribute.name);
        self.line(name, "attribute", &attribute.repository_id, attribute.span, fields);
    }

    fn initializer(&mut self, scope: &str, scope_id: &str, initializer: &Initializer) {
        let fields = vec![
            ("parameters", self.parameters(&initializer.parameters)),
            ("raises", self.names(&initializer.raises)),
        ];
        let name = &initializer.name;
        let (stem, version) = scope_id.rsplit_once(':').unwrap_or((scope_id, "1.0"));
        let id = format!("{stem}/{name}:{version}");
        self.line(format!("{scope}::{name}"), "factory", &id, initializer.span, fields);
    }

    fn parameters(&self, parameters: &[Parameter]) -> Json {
        let parameters = parameters.iter().map(|parameter| {
            let direction = match parameter.direction {
                Direction::In => "in",
                Direction::Out => "out",
                Direction::InOut => "inout",
            };
            Json::Object(vec![
                ("name", Json::from(parameter.name.as_str())),
                ("direction", Json::from(direction)),
                ("type", self.ty(&parameter.ty)),
            ])
        });
        Json::List(parameters.collect())
    }

    fn members(&self, members: &[Member]) -> Json {
        let objects = members.iter().map(|member| Json::Object(self.member_fields(member)));
        Json::List(objects.collect())
    }

    fn member_fields(&self, member: &Member) -> Fields {
        vec![("name", Json::from(member.name.as_str())), ("type", self.ty(&member.ty))]
    }

    fn names(&self, ids: &[DeclId]) -> Json {
        Json::strings(ids.iter().map(|id| self.model.scoped_name(*id)))
    }

    fn ty(&self, ty: &Type) -> Json {
        Json::String(self.model.type_text(ty))
    }

    fn value(&self, value: &ConstValue) -> Json {
        match value {
            ConstValue::Integer(value) => Json::Integer(*value),
            ConstValue::Float(value) => Json::Float(*value),
            ConstValue::LongDouble(value) => Json::Number(value.to_string()),
            ConstValue::Boolean(value) => Json::Boolean(*value),
            ConstValue::Fixed(value) => Json::String(value.to_string()),
            ConstValue::Enumerator(id, index) => {
                Json::String(self.model.enumerator_name(*id, *index))
            }
            text => Json::String(text.text().unwrap_or_default()),
        }
    }
}

/// The shortest decimal number that reads back as the same `float`.
fn shortest(value: f64) -> f64 {
    (value as f32).to_string().parse().unwrap_or(value)
}

/// Marks a declaration that is only declared forward.
fn push_undefined(fields: &mut Fields, defined: bool) {
    if !defined {
        fields.push(("defined", Json::Boolean(false)));
    }
}

/// The timing of an operation; times in nanoseconds.
fn timing_fields(timing: &Timing) -> Json {
    let times = [
        ("period", timing.period),
        ("deadline", timing.deadline),
        ("wcet", timing.wcet),
        ("jitter", timing.jitter),
        ("threads", timing.threads.map(u64::from)),
    ];
    let mut fields: Vec<(&'static str, Json)> = Vec::new();
    for (name, time) in times {
        fields.extend(time.map(|time| (name, Json::from(time.to_string()))));
    }
    let levels = [("criticality", timing.criticality), ("importance", timing.importance)];
    for (name, level) in levels {
        fields.extend(level.map(|level| (name, Json::from(level.name()))));
    }
    let lists = [
        (
            "calls",
            timing.calls.iter().map(|one| format!("{} {}", one.operation, one.delay)).collect(),
        ),
        (
            "holds",
            timing.holds.iter().map(|one| format!("{} {}", one.resource, one.length)).collect(),
        ),
    ];
    for (name, list) in lists {
        let list: Vec<String> = list;
        if !list.is_empty() {
            fields.push((name, Json::strings(list)));
        }
    }
    Json::Object(fields)
}
