//! The views of interfaces as MIDL (CORBA 2.3, 18.2).

use super::methods::{Raises, in_order};
use super::shape::Shape;
use crate::model::{View, iid};
use armilla::TypeCode;
use armilla::dynamic::ParameterMode;
use armilla_dcerpc::Uuid;
use armilla_ifr::model::{DefId, Flavour, Kind, Model, ModelError, Signature};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// What every file begins with.
const HEAD: &str = "\
/* Views of interfaces of CORBA, for programs of COM that call them by number. */

#ifdef __midl
import \"oaidl.idl\";
#endif

typedef [public] enum tagExceptionType { NO_EXCEPTION, SYSTEM_EXCEPTION, USER_EXCEPTION } ExceptionType;
";

/// The views of all interfaces of a model but those of the bridge itself.
pub(crate) fn midl(model: &Model) -> Result<String, ModelError> {
    let mut writer = Writer { model, text: HEAD.to_owned(), known: BTreeSet::new() };
    for (id, definition) in model.iter() {
        if is_plain(&definition.kind) && !definition.id.starts_with("IDL:armilla/Bridge/") {
            writer.interface(id)?;
        }
    }
    Ok(writer.text)
}

fn is_plain(kind: &Kind) -> bool {
    matches!(kind, Kind::Interface { flavour: Flavour::Plain, .. })
}

/// The name of a declaration in MIDL: `Bank_Account` for `IDL:Bank/Account:1.0`.
fn flat(repository_id: &str) -> String {
    let scoped = repository_id.split(':').nth(1).unwrap_or(repository_id);
    scoped.chars().map(|it| if it.is_ascii_alphanumeric() { it } else { '_' }).collect()
}

struct Writer<'m> {
    model: &'m Model,
    text: String,
    /// The names that are declared, or are being declared.
    known: BTreeSet<String>,
}

/// A type where it is used: what stands before the stars, how many there are, and attributes.
struct Used {
    name: String,
    stars: usize,
    attributes: &'static str,
    /// `[3]`
    dimensions: String,
    /// Whether it is given by a pointer that leaves no trace.
    by_pointer: bool,
}

impl Used {
    fn plain(name: impl Into<String>) -> Self {
        let dimensions = String::new();
        Self { name: name.into(), stars: 0, attributes: "", dimensions, by_pointer: false }
    }

    fn written(&self, more: usize, name: &str) -> String {
        let space = if self.stars + more == 0 { " " } else { " *" };
        let stars = "*".repeat((self.stars + more).saturating_sub(1));
        format!("{}{space}{stars}{name}{}", self.name, self.dimensions)
    }
}

impl Writer<'_> {
    fn interface(&mut self, id: DefId) -> Result<(), ModelError> {
        let definition = self.model.definition(id)?;
        let Kind::Interface { bases, .. } = &definition.kind else { return Ok(()) };
        let name = flat(&definition.id);
        if !self.known.insert(name.clone()) {
            return Ok(());
        }
        for base in bases {
            self.interface(*base)?;
        }
        let base = match bases[..] {
            [base] => format!("I{}", flat(&self.model.definition(base)?.id)),
            _ => "IUnknown".to_owned(),
        };
        let signatures = in_order(self.model.own_signatures(id)?);
        let raises = Raises::of(&definition.id, &signatures);
        if !raises.exceptions.is_empty() {
            self.exceptions(&name, &raises);
        }
        let mut methods = String::new();
        for signature in &signatures {
            methods += &self.method(&name, signature);
        }
        self.open(&definition.id, iid(&definition.id, View::Com), &format!("I{name} : {base}"));
        self.text += &methods;
        self.text += "};\n";
        Ok(())
    }

    fn open(&mut self, of: &str, iid: Uuid, head: &str) {
        let _ = write!(
            self.text,
            "\n/* {of} */\n[object, uuid({iid}), pointer_default(unique)]\ninterface {head}\n{{\n"
        );
    }

    /// The struct and the interface of the exceptions of an interface.
    fn exceptions(&mut self, interface: &str, raises: &Raises) {
        let mut methods = String::new();
        for (code, shape) in &raises.exceptions {
            let name = flat(code.id().unwrap_or_default());
            let members = match shape {
                Some(Shape::Struct(members)) if !members.is_empty() => {
                    let used = self.used(code);
                    format!("[out] {}", used.written(1, "exceptionBody"))
                }
                _ => String::new(),
            };
            let _ = writeln!(methods, "    HRESULT get_{name}({members});");
        }
        let head = format!("I{interface}UserExceptions : IUnknown");
        self.open(&format!("The user exceptions of {interface}"), raises.iid, &head);
        self.text += &methods;
        let _ = write!(
            self.text,
            "}};\n\ntypedef [public] struct tag{interface}Exceptions {{\n    ExceptionType type;\n    \
             [string, unique] wchar_t *repositoryId;\n    I{interface}UserExceptions \
             *piUserException;\n}} {interface}Exceptions;\n"
        );
    }

    fn method(&mut self, interface: &str, signature: &Signature) -> String {
        let operation = &signature.operation;
        let name = match operation.strip_prefix('_') {
            Some(accessor) => accessor.to_owned(),
            None => operation.clone(),
        };
        let mut parameters = Vec::new();
        for (name, mode, code) in &signature.parameters {
            if !self.travels(code) {
                return format!("    HRESULT {name}(); /* has values that COM has not */\n");
            }
            let (used, (direction, stars)) = (
                self.used(code),
                match mode {
                    ParameterMode::In => ("in", 0),
                    ParameterMode::Out => ("out", 1),
                    _ => ("in, out", 1),
                },
            );
            parameters.push(parameter(&used, direction, stars, name));
        }
        if !matches!(signature.result, TypeCode::Void) {
            if !self.travels(&signature.result) {
                return format!("    HRESULT {name}(); /* has values that COM has not */\n");
            }
            let used = self.used(&signature.result);
            parameters.push(parameter(&used, "out", 1, "result"));
        }
        if !signature.exceptions.is_empty() {
            parameters.push(format!("[out] {interface}Exceptions **exception"));
        }
        format!("    HRESULT {name}({});\n", parameters.join(", "))
    }

    fn travels(&self, code: &TypeCode) -> bool {
        Shape::of_corba(code, &|_| Uuid::NIL).is_some()
    }

    /// A type where it is used; declares what it needs.
    fn used(&mut self, code: &TypeCode) -> Used {
        // What contains itself travels as a value of Automation, wherever it is.
        if Shape::of_corba(code, &|_| Uuid::NIL) == Some(Shape::Variant) {
            return Used::plain("VARIANT");
        }
        match code.resolved() {
            TypeCode::Short => Used::plain("short"),
            TypeCode::UShort => Used::plain("unsigned short"),
            TypeCode::Long => Used::plain("long"),
            TypeCode::ULong => Used::plain("unsigned long"),
            TypeCode::LongLong => Used::plain("hyper"),
            TypeCode::ULongLong => Used::plain("unsigned hyper"),
            TypeCode::Float => Used::plain("float"),
            TypeCode::Double => Used::plain("double"),
            TypeCode::Boolean => Used::plain("boolean"),
            TypeCode::Octet | TypeCode::Char => Used::plain("byte"),
            TypeCode::WChar => Used::plain("wchar_t"),
            TypeCode::Fixed { .. } => Used::plain("DECIMAL"),
            TypeCode::String(_) | TypeCode::WString(_) => {
                Used { stars: 1, attributes: "string, unique", ..Used::plain("wchar_t") }
            }
            TypeCode::ObjectReference(named)
            | TypeCode::Component(named)
            | TypeCode::Home(named) => Used { stars: 1, ..Used::plain(self.object(&named.id)) },
            TypeCode::Enum(data) => {
                let name = flat(&data.id);
                let scope = name.rsplit_once('_').map_or("", |(scope, _)| scope);
                let prefix = if scope.is_empty() { String::new() } else { format!("{scope}_") };
                let values = data.enumerators.iter().map(|it| format!("{prefix}{it}"));
                let values = values.collect::<Vec<_>>().join(", ");
                self.declare(&name, |_| format!("[v1_enum, public] enum tag{name} {{ {values} }}"));
                Used::plain(name)
            }
            TypeCode::Struct(data) | TypeCode::Exception(data) => {
                let name = flat(&data.id);
                self.declare(&name, |writer| {
                    let members = data.members.iter();
                    let members =
                        members.map(|member| writer.member(&member.ty, &member.name, "", 0));
                    let members: String = members.collect();
                    format!("[public] struct tag{name} {{\n{members}}}")
                });
                Used { by_pointer: true, ..Used::plain(name) }
            }
            TypeCode::Sequence(element, _) => {
                let name = match code {
                    TypeCode::Alias(alias) => flat(&alias.id),
                    _ => format!("Sequence_of_{}", self.used(element).name.replace(' ', "_")),
                };
                self.declare(&name, |writer| {
                    let size = "size_is(cbMaxSize), length_is(cbLengthUsed)";
                    let values = writer.member(element, "pValue", size, 1);
                    format!(
                        "[public] struct tag{name} {{\n    unsigned long cbMaxSize;\n    unsigned long \
                         cbLengthUsed;\n{values}}}"
                    )
                });
                Used { by_pointer: true, ..Used::plain(name) }
            }
            TypeCode::Array(element, count) => {
                let mut used = self.used(element);
                used.dimensions = format!("[{count}]{}", used.dimensions);
                Used { by_pointer: false, ..used }
            }
            _ => Used::plain("VARIANT"),
        }
    }

    /// The interface of an object. One that is being declared above cannot be named here.
    fn object(&mut self, repository_id: &str) -> String {
        let name = flat(repository_id);
        let found = self.model.lookup_id(repository_id);
        let declared = format!("interface I{name} ");
        if let Some(id) = found
            && self.model.get(id).is_some_and(|it| is_plain(&it.kind))
        {
            let own = self.known.contains(&name) && !self.text.contains(&declared);
            if !own && self.interface(id).is_ok() {
                return format!("I{name}");
            }
        }
        "IUnknown".to_owned()
    }

    fn member(&mut self, code: &TypeCode, name: &str, attributes: &str, stars: usize) -> String {
        let used = self.used(code);
        let all: Vec<&str> =
            [attributes, used.attributes].into_iter().filter(|it| !it.is_empty()).collect();
        let attributes = match all.is_empty() {
            true => String::new(),
            false => format!("[{}] ", all.join(", ")),
        };
        format!("    {attributes}{};\n", used.written(stars, name))
    }

    fn declare(&mut self, name: &str, what: impl FnOnce(&mut Self) -> String) {
        if self.known.insert(name.to_owned()) {
            let declared = what(self);
            let _ = writeln!(self.text, "\ntypedef {declared} {name};");
        }
    }
}

fn parameter(used: &Used, direction: &str, stars: usize, name: &str) -> String {
    let stars = match used.by_pointer {
        true => stars.max(1),
        // An array is its own pointer.
        false if !used.dimensions.is_empty() => 0,
        false => stars,
    };
    let attributes = match used.attributes {
        "" => String::new(),
        // There the outermost pointer is the place of the text, which is never null.
        "string, unique" if direction != "in" => ", string".to_owned(),
        attributes => format!(", {attributes}"),
    };
    format!("[{direction}{attributes}] {}", used.written(stars, name))
}
