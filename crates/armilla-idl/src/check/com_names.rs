//! Names in files of MIDL: what is declared forward, elsewhere, or in a file that is imported and has more than
//! travels.

use super::Checker;
use super::com_types::{Base, is_known, is_other};
use super::scope::{Target, key};
use crate::diagnostics::{Code, Diagnostic};
use crate::model::{
    ComAlias, ComArm, ComDefinition, ComEvents, ComType, ComUnion, ComValue, DeclId, DeclKind,
};
use crate::model::{ConstValue, Primitive, Type};
use crate::parse::ast::{Definition, DefinitionKind, Name, ScopedName, TypeKind};
use crate::parse::com_ast as ast;
use crate::preprocess::is_of_windows;

/// How files of Windows call the structs that are types of Automation; some repeat them.
const TAGS: &[&str] = &["tagDEC", "tagCY", "tagVARIANT", "tagSAFEARRAY", "FLAGGED_WORD_BLOB"];

impl Checker<'_, '_> {
    /// What one declaration declares. The comment before it is that of its last part.
    pub(super) fn com_group(&mut self, all: &[Definition], docs: &[String]) {
        // What stands within an interface may refer to it.
        for part in all {
            if let DefinitionKind::Com(interface) = &part.kind {
                self.com_forward(&interface.name);
            }
        }
        for (index, part) in all.iter().enumerate() {
            match index + 1 == all.len() && part.docs.is_empty() {
                true => {
                    let part = Definition { docs: docs.to_vec(), kind: part.kind.clone() };
                    self.definition(&part);
                }
                false => {
                    self.definition(part);
                }
            }
        }
    }

    /// `interface I;`
    pub(super) fn com_forward(&mut self, name: &Name) {
        self.com_forwards.insert(name.text.clone());
    }

    /// Whether only a forward declaration has that name: a reference to it is one to any object.
    pub(super) fn is_com_forward(&self, name: &Name) -> bool {
        self.com_forwards.contains(&name.text) && self.declared(&name.text).is_none()
    }

    /// What has that name in this scope or one around it.
    pub(super) fn declared(&self, text: &str) -> Option<(&Name, Target)> {
        let (key, mut next) = (key(text), Some(self.current));
        while let Some(scope) = next {
            if let Some(entry) = self.scopes[scope.0].names.get(&key) {
                return Some((&entry.name, entry.target));
            }
            next = self.scopes[scope.0].parent;
        }
        None
    }

    /// Whether a declaration says again what the compiler or an imported file has said.
    pub(super) fn declared_elsewhere(&self, name: &Name) -> bool {
        if self.is_windows(&name.text) && !self.com_own.contains(&name.text) {
            return true;
        }
        let Some(known) = self.scope().names.get(&key(&name.text)) else { return false };
        let imported = |name: &Name| self.session.is_imported(name.span.file);
        imported(name) || imported(&known.name)
    }

    /// Whether a name is one of Windows here: one that needs no declaration, and has no other.
    pub(super) fn is_windows(&self, name: &str) -> bool {
        let own = || self.declared(name).is_some_and(|(known, _)| known.text == name);
        is_known(name) && !(self.com_own.contains(name) && own())
    }

    /// Notes that the IDL gives a name of Windows a meaning of its own: it travels as something else.
    pub(super) fn com_redefines(&mut self, definition: &ast::ComDefinition) {
        let name = &definition.name;
        let sources = self.session.sources();
        let file = name.span.file;
        let of_windows = sources.is_built_in(file) || is_of_windows(sources.path(file));
        if of_windows || !is_known(&name.text) {
            return;
        }
        let other = match &definition.kind {
            ast::ComDefinitionKind::Alias(ty, dimensions) => {
                let held = self.session.hold(true);
                let alias = self.com_alias(name, &definition.attributes, ty, dimensions);
                self.session.release(held);
                matches!(alias, Some(ComDefinition::Alias(alias)) if is_other(&name.text, &alias))
            }
            ast::ComDefinitionKind::Struct(_)
            | ast::ComDefinitionKind::Union(_)
            | ast::ComDefinitionKind::Enum(_) => {
                let tag = definition.tag.as_ref().map_or("", |tag| &tag.text);
                !TAGS.contains(&tag) && name.text != "GUID"
            }
            ast::ComDefinitionKind::Class | ast::ComDefinitionKind::Dispatch(_) => false,
        };
        if other {
            self.com_own.insert(name.text.clone());
        }
    }

    /// Takes a name from a type that the compiler has for files of Windows: a file means what it declares.
    pub(super) fn com_replaces(&mut self, name: &Name) {
        let sources = self.session.sources();
        let is_built_in = |name: &Name| sources.is_built_in(name.span.file);
        let of_windows = is_built_in(name) || is_of_windows(sources.path(name.span.file));
        if of_windows || !self.session.midl.contains(&name.span.file) {
            return;
        }
        let (scope, key) = (self.scope(), key(&name.text));
        let known = scope.names.get(&key).filter(|known| is_built_in(&known.name));
        let known = known.map(|known| known.target);
        let used = scope.used.get(&key).is_some_and(is_built_in);
        if let Some(target) = known {
            self.scope_mut().names.remove(&key);
            // What referred to it before still does.
            if let Target::Decl(id) = target
                && self.model.get(id).name == name.text
            {
                self.model.declarations[id.index()].name = format!("windows_{}", name.text);
            }
        }
        if used {
            self.scope_mut().used.remove(&key);
        }
    }

    /// Forgets a type that cannot travel. In a file that is imported this is no error yet.
    pub(super) fn com_failed(&mut self, id: DeclId, name: &Name) {
        let nothing = ComAlias { ty: ComType::I4, stars: 0, string: false, pointer: None };
        self.model.declarations[id.index()].kind = DeclKind::ComType(ComDefinition::Alias(nothing));
        if let Some(entry) = self.scope_mut().names.get_mut(&key(&name.text)) {
            entry.target = Target::Error;
        }
    }

    /// Whether the name is that of a type that an imported file has, and that cannot travel.
    pub(super) fn is_com_failed(&self, name: &ScopedName) -> bool {
        let plain = !name.absolute && name.rest.is_empty();
        let known = self.declared(&name.first.text).filter(|_| plain);
        known.is_some_and(|(known, target)| {
            target == Target::Error && self.session.midl.contains(&known.span.file)
        })
    }

    /// Reports the use of such a type.
    pub(super) fn com_failed_before(&mut self, name: &ScopedName) -> Option<Base> {
        let declared = self.declared(&name.first.text).map(|(known, _)| known.span);
        let message = format!("`{}` cannot travel", name.first.text);
        let error = Diagnostic::error(Code::BadCom, name.span(), message);
        let error = match self.com_reasons.get(&key(&name.first.text)) {
            Some(why) => error.note(why.clone()),
            None => error,
        };
        let error = error.help("a method that uses it is `[local]`");
        self.session.report(match declared {
            Some(span) => error.secondary(span, "declared here"),
            None => error,
        });
        None
    }

    /// Notes `typedef struct S T;` before `S` is declared, in MIDL.
    pub(super) fn names_later(&mut self, name: &Name, spec: &ast::ComTypeSpec) -> bool {
        let TypeKind::Named(of) = &spec.ty.kind else { return false };
        let midl = self.session.midl.contains(&name.span.file);
        let unknown = !self.is_windows(&of.first.text) && !self.is_com_forward(&of.first);
        let later = midl && spec.stars == 0 && of.rest.is_empty() && unknown;
        if !later || self.declared(&of.first.text).is_some() {
            return false;
        }
        self.com_later.push((of.first.text.clone(), name.clone()));
        true
    }

    /// Gives a struct the names that were declared before it.
    pub(super) fn com_claim(&mut self, id: DeclId, names: [Option<&Name>; 2]) {
        let all = std::mem::take(&mut self.com_later);
        for (of, name) in all {
            if !names.iter().flatten().any(|known| known.text == of) {
                self.com_later.push((of, name));
            } else if !self.declared_elsewhere(&name) && self.declared(&name.text).is_none() {
                self.declare(&name, Target::Decl(id));
            }
        }
    }

    /// Whether a name is that of a constant.
    pub(super) fn is_number(&self, name: &str) -> bool {
        self.com_numbers.contains_key(name)
            || self.declared(name).is_some_and(|(_, target)| match target {
                Target::Decl(id) => matches!(self.model.get(id).kind, DeclKind::Const(_)),
                _ => false,
            })
    }

    /// The value of an enumerator of COM.
    pub(super) fn com_number(&self, name: &ScopedName) -> Option<ConstValue> {
        let plain = !name.absolute && name.rest.is_empty();
        let midl = plain && self.session.midl.contains(&name.first.span.file);
        let number = self.com_numbers.get(&name.first.text).filter(|_| midl);
        number.map(|number| ConstValue::Integer(i128::from(number.value)))
    }

    pub(super) fn com_class(
        &mut self,
        name: &Name,
        attributes: &[ast::MidlAttribute],
    ) -> Option<ComDefinition> {
        self.iid(attributes, name).map(ComDefinition::Class)
    }

    /// The members of an interface that is called by their numbers.
    pub(super) fn com_dispatch(
        &mut self,
        name: &Name,
        attributes: &[ast::MidlAttribute],
        members: &[ast::ComMember],
    ) -> Option<ComDefinition> {
        let iid = self.iid(attributes, name)?;
        let mut all: Vec<ComValue> = Vec::new();
        for member in members {
            let id = member.attributes.iter().find(|it| it.name == "id");
            let value = id.and_then(|id| self.member_number(id.text.as_deref()?));
            let Name { text, span } = member.name.clone();
            let Some(value) = value else {
                let message = format!("`{text}` has no `id` with a number");
                self.error(Code::BadCom, span, message);
                continue;
            };
            // A property that is read and written is declared twice, with one number.
            if !all.iter().any(|known| known.name == text) {
                all.push(ComValue { name: text, docs: member.docs.clone(), span, value });
            }
        }
        Some(ComDefinition::Dispatch(ComEvents { iid, members: all }))
    }

    /// The number in `id(…)`: digits, or the name of a constant.
    fn member_number(&self, text: &str) -> Option<i32> {
        let (text, sign) = match text.strip_prefix('-') {
            Some(rest) => (rest, -1),
            None => (text, 1),
        };
        let standard = [
            ("DISPID_VALUE", 0),
            ("DISPID_NEWENUM", -4),
            ("DISPID_EVALUATE", -5),
            ("DISPID_UNKNOWN", -1),
            ("DISPID_PROPERTYPUT", -3),
        ];
        if let Some((_, number)) = standard.iter().find(|(name, _)| *name == text) {
            return Some(*number);
        }
        let hex = text.strip_prefix("0x").or(text.strip_prefix("0X"));
        let number = match hex {
            Some(digits) => u32::from_str_radix(digits, 16).ok().map(|it| it as i32),
            None => text.parse().ok(),
        };
        number
            .or_else(|| self.com_numbers.get(text).map(|it| it.value))
            .map(|number: i32| number * sign)
    }

    /// A union, whose tag it names itself or the member that selects.
    pub(super) fn com_union(
        &mut self,
        name: &Name,
        attributes: &[ast::MidlAttribute],
        union: &ast::ComUnion,
    ) -> Option<ComDefinition> {
        let named = attributes.iter().find_map(|it| it.ty.as_deref());
        let Some(spec) = union.tag.as_ref().or(named) else {
            let message = format!("the type of the tag of `{}` is missing", name.text);
            let error = Diagnostic::error(Code::BadCom, name.span, message);
            let help = "write `[switch_type(long)]` before it, or `union switch (long kind) { … }`";
            self.session.report(error.help(help));
            return None;
        };
        let tag = self.com_base_type(&spec.ty)?.alias.ty;
        if !is_tag(&tag) {
            let message = "the tag of a union is an integer or an enum";
            self.error(Code::BadCom, spec.ty.span, message);
            return None;
        }
        let mut arms: Vec<ComArm> = Vec::new();
        for arm in &union.arms {
            let checked = self.com_arm(arm, &arms)?;
            arms.push(checked);
        }
        if arms.iter().all(|arm| arm.field.is_none()) {
            self.error(Code::BadCom, name.span, "a union of COM holds something");
            return None;
        }
        Some(ComDefinition::Union(ComUnion { tag, arms }))
    }

    fn com_arm(&mut self, arm: &ast::ComArm, before: &[ComArm]) -> Option<ComArm> {
        let mut labels = Vec::new();
        for label in &arm.labels {
            let expected = self.expected(&Type::Primitive(Primitive::LongLong))?;
            let value = match self.evaluate(label, &expected)? {
                ConstValue::Integer(number) => number as i64,
                _ => return None,
            };
            if labels.contains(&value) || before.iter().any(|arm| arm.labels.contains(&value)) {
                self.error(Code::BadCom, label.span, format!("the label {value} stands twice"));
                return None;
            }
            labels.push(value);
        }
        let field = match &arm.field {
            None => None,
            Some(field) => {
                let field = self.com_field(field)?;
                let same = before.iter().filter_map(|arm| arm.field.as_ref());
                if same.into_iter().any(|known| known.name == field.name) {
                    let message = format!("two arms have the name `{}`", field.name);
                    self.error(Code::BadCom, field.span, message);
                    return None;
                }
                if self.is_conformant(&field.ty) {
                    let why = "an arm has one size: use a pointer";
                    return self.bad_pointer(
                        &Name { text: field.name, span: field.span },
                        field.span,
                        why,
                    );
                }
                Some(field)
            }
        };
        if labels.is_empty() && !arm.default {
            let span = arm.field.as_ref().map(|field| field.name.span)?;
            self.error(Code::BadCom, span, "an arm needs `case` or `default`");
            return None;
        }
        Some(ComArm { labels, default: arm.default, field })
    }
}

fn is_tag(ty: &ComType) -> bool {
    matches!(
        ty,
        ComType::I1
            | ComType::U1
            | ComType::I2
            | ComType::U2
            | ComType::I4
            | ComType::U4
            | ComType::I8
            | ComType::U8
            | ComType::Enum(_)
    )
}
