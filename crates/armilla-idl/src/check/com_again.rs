//! What an imported file of MIDL and another one both declare: the same thing, or there is an error with
//! both places.

use super::Checker;
use super::scope::{Target, key};
use crate::diagnostics::{Code, Diagnostic};
use crate::model::{
    ComArm, ComBounds, ComCount, ComDefinition, ComEnum, ComEvents, ComField, ComMethod,
    ComParameter, ComType, ComUnion, ComValue, Const, ConstValue, DeclId, DeclKind,
};
use crate::parse::ast::Name;
use crate::parse::com_ast as ast;
use crate::preprocess::is_of_windows;
use crate::source::Span;

/// An enumerator: its value, and where it is declared.
#[derive(Debug, Clone, Copy)]
pub(super) struct Numbered {
    pub(super) value: i32,
    scope: super::scope::ScopeId,
    span: Span,
}

impl Checker<'_, '_> {
    /// Compares a type with what already has its name.
    pub(super) fn com_type_again(&mut self, definition: &ast::ComDefinition) {
        let name = &definition.name;
        let Some((id, first)) = self.com_first(name) else { return };
        let held = self.session.hold(true);
        let again = self.com_checked(definition);
        self.session.release(held);
        let why = match (&self.model.get(id).kind, again) {
            // Nothing is known of one that cannot travel.
            (_, None) => None,
            (DeclKind::ComType(known), Some(again)) => self.com_differs(id, known, &again),
            _ => Some("it is of another kind".to_owned()),
        };
        if let Some(why) = why {
            self.com_says_else(name, first, &why);
        }
    }

    /// Compares an interface with what already has its name.
    pub(super) fn com_interface_again(&mut self, interface: &ast::ComInterface) {
        let name = &interface.name;
        let Some((id, first)) = self.com_first(name) else { return };
        let DeclKind::Com(known) = &self.model.get(id).kind else {
            return self.com_says_else(name, first, "it is of another kind");
        };
        let (iid, base) = (known.iid.clone(), known.base);
        let held = self.session.hold(true);
        let own = self.iid(&interface.attributes, name);
        let own_base = self.com_base(interface.base.as_ref(), name.span);
        let first_number = self.first_opnum(own_base);
        let methods = self.com_methods_of(&interface.methods, first_number);
        self.session.release(held);
        let DeclKind::Com(known) = &self.model.get(id).kind else { return };
        let why = match own {
            Some(own) if own != iid => Some(format!("its `uuid` is {own} here, and {iid} there")),
            Some(_) if own_base != base => Some("it inherits from another interface".to_owned()),
            Some(_) => different_methods(&known.methods, &methods),
            None => None,
        };
        if let Some(why) = why {
            self.com_says_else(name, first, &why);
        }
    }

    /// Notes an interface; another one with its IID is an error: nobody could tell their objects apart.
    pub(super) fn com_identified(&mut self, iid: &str, name: &Name) {
        let Some(first) = self.com_iids.get(iid).cloned() else {
            self.com_iids.insert(iid.to_owned(), name.clone());
            return;
        };
        let message = format!("`{}` and `{}` have the same `uuid`", first.text, name.text);
        let error = Diagnostic::error(Code::BadCom, name.span, message);
        let error = error.secondary(first.span, "first declared here");
        self.session.insist(error.help("each interface has a `uuid` of its own"));
    }

    /// Notes an enumerator of COM. Sizes and other constants name it without its enum.
    pub(super) fn com_numbered(&mut self, name: &Name, value: i32) {
        let new = Numbered { value, scope: self.current, span: name.span };
        let known = self.com_numbers.get(&name.text).copied();
        let constant = self.com_constant_here(&name.text);
        let first = match (known, constant) {
            (Some(known), _) if known.scope == new.scope && known.span != new.span => {
                Some((i64::from(known.value), known.span))
            }
            (_, constant) => constant,
        };
        match first {
            Some((first, span)) if first != i64::from(value) => {
                self.com_says_number(name, (first, span), value.into());
            }
            _ => {
                self.com_numbers.insert(name.text.clone(), new);
            }
        }
    }

    /// Whether a constant only says again what an imported file, or an enumerator, has said. Reports it if it
    /// says something else than an enumerator.
    pub(super) fn com_constant_again(&mut self, name: &Name, constant: &Const) -> bool {
        let ConstValue::Integer(value) = constant.value else { return false };
        let known = self.com_numbers.get(&name.text).copied();
        if let Some(known) = known.filter(|known| known.scope == self.current) {
            let first = (i64::from(known.value), known.span);
            if value != i128::from(known.value) {
                self.com_says_number(name, first, i64::try_from(value).unwrap_or(i64::MAX));
            }
            return false;
        }
        let here = self.com_constant_here(&name.text);
        let imported = |span: Span| self.session.is_imported(span.file);
        here.is_some_and(|(known, span)| {
            i128::from(known) == value && (imported(span) || imported(name.span))
        })
    }

    /// The constant of that name in this scope.
    fn com_constant_here(&self, name: &str) -> Option<(i64, Span)> {
        let entry = self.scope().names.get(&key(name)).filter(|entry| entry.name.text == name)?;
        let Target::Decl(id) = entry.target else { return None };
        let DeclKind::Const(known) = &self.model.get(id).kind else { return None };
        let ConstValue::Integer(value) = known.value else { return None };
        Some((i64::try_from(value).ok()?, entry.name.span))
    }

    fn com_says_number(&mut self, name: &Name, (first, span): (i64, Span), value: i64) {
        let message = format!("`{}` is {value} here, and {first} there", name.text);
        let error = Diagnostic::error(Code::Redeclared, name.span, message);
        self.session.insist(error.secondary(span, "first declared here"));
    }

    fn com_says_else(&mut self, name: &Name, first: (Name, Span), why: &str) {
        let (known, span) = first;
        let message = format!("`{}` is declared again as something else: {why}", name.text);
        let error = Diagnostic::error(Code::Redeclared, name.span, message);
        let error = error.secondary(span, "first declared here");
        let help = match known.text == name.text {
            true => "leave out one of the two, or give it another name",
            false => {
                "give one of the two another name: those that differ only in case are the same"
            }
        };
        self.session.insist(error.help(help));
    }

    /// What has that name in this scope, and where it is declared. What the compiler has for files of
    /// Windows, and these files themselves, may say the same in another way.
    fn com_first(&self, name: &Name) -> Option<(DeclId, (Name, Span))> {
        let sources = self.session.sources();
        let windows = |file| sources.is_built_in(file) || is_of_windows(sources.path(file));
        let entry = self.scope().names.get(&key(&name.text))?;
        let Target::Decl(id) = entry.target else { return None };
        let span = entry.name.span;
        let other = span != name.span && !windows(span.file) && !windows(name.span.file);
        other.then(|| (id, (entry.name.clone(), span)))
    }

    /// How a type differs from the first one of its name.
    fn com_differs(
        &self,
        id: DeclId,
        known: &ComDefinition,
        again: &ComDefinition,
    ) -> Option<String> {
        let other = |what: &str| Some(what.to_owned());
        match (known, again) {
            (ComDefinition::Struct(known), ComDefinition::Struct(again)) => {
                self.different_fields(&fields(known), &fields(again))
            }
            (ComDefinition::Union(known), ComDefinition::Union(again)) => {
                if known.tag != again.tag {
                    return other("its tag has another type");
                }
                let labels = |it: &ComUnion| -> Vec<_> {
                    it.arms.iter().map(|arm| (arm.labels.clone(), arm.default)).collect()
                };
                if labels(known) != labels(again) {
                    return other("its arms have other labels");
                }
                let arms = |it: &'_ ComUnion| it.arms.clone();
                let (known, again) = (arms(known), arms(again));
                self.different_fields(&held(&known), &held(&again))
            }
            (ComDefinition::Enum(known), ComDefinition::Enum(again)) => {
                different_values(known, again)
            }
            (ComDefinition::Alias(known), ComDefinition::Alias(again)) if known == again => None,
            // `typedef struct tagS S;`
            (_, ComDefinition::Alias(again)) if again.stars == 0 => match &again.ty {
                ComType::Struct(ty) | ComType::Union(ty) | ComType::Enum(ty) if *ty == id => None,
                _ => self.different_texts(known, &ComDefinition::Alias(again.clone())),
            },
            (ComDefinition::Class(known), ComDefinition::Class(again)) if known == again => None,
            (ComDefinition::Class(_), ComDefinition::Class(_)) => other("it has another `uuid`"),
            (ComDefinition::Dispatch(known), ComDefinition::Dispatch(again)) => {
                let members = |it: &ComEvents| -> Vec<_> {
                    it.members.iter().map(|it| (it.name.clone(), it.value)).collect()
                };
                match known.iid == again.iid && members(known) == members(again) {
                    true => None,
                    false => other("it has another `uuid` or other members"),
                }
            }
            _ => self.different_texts(known, again),
        }
    }

    fn different_texts(&self, known: &ComDefinition, again: &ComDefinition) -> Option<String> {
        let text = |it| self.model.com_definition(it);
        Some(format!("it is `{}` here, and `{}` there", text(again), text(known)))
    }

    fn different_fields(&self, known: &[&ComField], again: &[&ComField]) -> Option<String> {
        if known.len() != again.len() {
            let (first, second) = (known.len(), again.len());
            return Some(format!("it has {second} members here, and {first} there"));
        }
        known.iter().zip(again).find_map(|(known, again)| {
            let text = |it: &ComField| format!("{} {}", self.model.com_type(&it.ty), it.name);
            if known.name != again.name || known.ty != again.ty {
                return Some(format!("`{}` is `{}` there", text(again), text(known)));
            }
            let sizes = |it: &ComField| -> Vec<_> { it.bounds.iter().map(counts).collect() };
            (sizes(known) != sizes(again))
                .then(|| format!("the array `{}` has another size", known.name))
        })
    }
}

/// How many elements there are, however that is written.
fn counts(bounds: &ComBounds) -> [Option<ComCount>; 3] {
    [&bounds.size, &bounds.first, &bounds.length].map(|it| it.as_ref().map(|it| it.count.clone()))
}

fn fields(fields: &[ComField]) -> Vec<&ComField> {
    fields.iter().collect()
}

fn held(arms: &[ComArm]) -> Vec<&ComField> {
    arms.iter().filter_map(|arm| arm.field.as_ref()).collect()
}

/// The values of those that both have are compared one by one, as they are read.
fn different_values(known: &ComEnum, again: &ComEnum) -> Option<String> {
    if known.wide != again.wide {
        return Some("only one of the two is a `v1_enum`".to_owned());
    }
    let lacks =
        |within: &ComEnum, it: &&ComValue| !within.values.iter().any(|known| known.name == it.name);
    let lost = again.values.iter().find(|it| lacks(known, it));
    let lost = lost.map(|it| format!("`{}` is not there", it.name));
    lost.or_else(|| {
        let missing = known.values.iter().find(|it| lacks(again, it));
        missing.map(|it| format!("`{}` is only there", it.name))
    })
}

fn different_methods(known: &[ComMethod], again: &[ComMethod]) -> Option<String> {
    let travels = |it: &ComParameter| (it.direction, it.ty.clone());
    let alike = |a: &ComMethod, b: &ComMethod| {
        a.full_name() == b.full_name()
            && a.opnum == b.opnum
            && a.success_codes == b.success_codes
            && a.parameters.iter().map(travels).eq(b.parameters.iter().map(travels))
    };
    if let Some((_, again)) = known.iter().zip(again).find(|(known, again)| !alike(known, again)) {
        return Some(format!("the method `{}` is another one there", again.full_name()));
    }
    let (first, second) = (known.len(), again.len());
    (first != second).then(|| format!("it has {second} methods here, and {first} there"))
}
