//! What travels for a parameter or a member: its stars, its brackets, and what attributes say of them.

use super::Checker;
use super::com_types::Base;
use crate::diagnostics::{Code, Diagnostic};
use crate::model::{ComAlias, ComPointer, ComType, Direction};
use crate::parse::ast::{Expr, Name};
use crate::parse::com_ast::{ComTypeSpec, MidlAttribute};
use crate::source::Span;

/// Something with a type, as it is declared.
pub(super) struct Declared<'a> {
    pub(super) name: &'a Name,
    pub(super) ty: &'a ComTypeSpec,
    pub(super) dimensions: &'a [Option<Expr>],
    pub(super) attributes: &'a [MidlAttribute],
    pub(super) place: Place,
}

/// Where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Parameter(Direction),
    Member,
}

/// A step from a name to what it leads to, from the outside to the inside.
enum Level<'a> {
    Star,
    /// The star of a string.
    Text,
    /// `[n]` or `[]`
    Bracket(Option<&'a Expr>),
}

impl Declared<'_> {
    pub(super) fn has(&self, name: &str) -> bool {
        self.attributes.iter().any(|it| it.name == name)
    }

    /// Whether such an attribute says something of the pointer or array at this depth.
    fn says(&self, names: &[&str], depth: usize) -> bool {
        let attributes = self.attributes.iter().filter(|it| names.contains(&it.name.as_str()));
        let mut texts = attributes.filter_map(|it| it.text.as_deref());
        texts.any(|text| parts(text).get(depth).is_some_and(|part| !part.is_empty()))
    }

    fn is_out(&self) -> bool {
        matches!(self.place, Place::Parameter(Direction::Out | Direction::InOut))
    }

    /// Of which kind the outermost pointer is; `None` if it leaves no trace.
    fn outermost(&self, alias: Option<ComPointer>) -> Option<ComPointer> {
        let own = match () {
            () if self.has("ptr") => Some(ComPointer::Full),
            () if self.has("unique") => Some(ComPointer::Unique),
            () if self.has("ref") => Some(ComPointer::Reference),
            () => None,
        };
        match (self.place, own.or(alias)) {
            (Place::Member, kind) => kind.or(Some(ComPointer::Unique)),
            // What is only given back has a place: `unique` says that of what lies there.
            (Place::Parameter(Direction::Out), _) => None,
            (Place::Parameter(Direction::In | Direction::InOut), kind) => {
                kind.filter(|kind| *kind != ComPointer::Reference)
            }
        }
    }
}

/// The parts of `a,,b`, one for each level. Commas in parentheses belong to the part.
pub(super) fn parts(text: &str) -> Vec<&str> {
    let (mut all, mut start, mut open) = (Vec::new(), 0, 0);
    for (at, sign) in text.char_indices() {
        match sign {
            '(' => open += 1,
            ')' => open -= 1,
            ',' if open == 0 => {
                all.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    all.push(&text[start..]);
    all
}

/// The words of an expression that may be names.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_'))
}

const SIZES: &[&str] = &["size_is", "max_is"];
const LENGTHS: &[&str] = &["length_is", "last_is", "first_is"];

impl Checker<'_, '_> {
    /// What travels for it, once its pointers are understood.
    pub(super) fn com_declared(&mut self, declared: &Declared<'_>) -> Option<ComType> {
        let spec = declared.ty;
        let Base { alias, sequence } = match self.void(declared) {
            true => ComType::Object(None).into(),
            false => self.com_base_type(&spec.ty)?,
        };
        let ComAlias { mut ty, stars, string, pointer } = alias;
        let own = spec.stars + declared.dimensions.len();
        let mut levels: Vec<Level<'_>> =
            declared.dimensions.iter().map(|it| Level::Bracket(it.as_ref())).collect();
        levels.extend((0..spec.stars + stars).map(|_| Level::Star));
        let text = string || declared.has("string") && matches!(ty, ComType::U1 | ComType::U2);
        if text && let Some(last @ Level::Star) = levels.last_mut() {
            *last = Level::Text;
        }
        if let ComType::Object(interface) = &mut ty {
            levels.pop_if(|last| matches!(last, Level::Star));
            *interface = interface.filter(|_| !declared.has("iid_is"));
        }
        let varying = LENGTHS.iter().any(|name| declared.has(name));
        if sequence && declared.has("first_is") {
            let why = "a `sequence` begins with its first element, and `first_is` is for pointers";
            return self.bad_pointer(declared.name, spec.ty.span, why);
        }
        if sequence {
            let out = declared.place != Place::Parameter(Direction::In);
            let element = self.com_levels(ty, &levels, 0, declared, Some(ComPointer::Unique))?;
            let array = array_of(element, varying);
            return Some(if out { unique(array) } else { array });
        }
        // IDL has no pointers: there an `out` parameter is what it is.
        let implied =
            declared.is_out() && own == 0 && (levels.is_empty() || string) && !self.sized(declared);
        let implied = implied && (stars == 0 || string || matches!(ty, ComType::Object(_)));
        if implied {
            levels.insert(0, Level::Star);
        }
        if declared.is_out() && levels.is_empty() {
            let why = "an `out` parameter is a pointer";
            return self.bad_pointer(declared.name, spec.ty.span, why);
        }
        let first = if own == 0 { pointer } else { None };
        let outermost = declared.outermost(first).filter(|_| !implied || !declared.is_out());
        self.check_levels(declared, levels.len())?;
        self.com_levels(ty, &levels, 0, declared, outermost)
    }

    /// `void **` with `iid_is` is an object.
    fn void(&self, declared: &Declared<'_>) -> bool {
        let named = match &declared.ty.ty.kind {
            crate::parse::ast::TypeKind::Named(name) => {
                name.first.text == "void" && name.rest.is_empty()
            }
            _ => false,
        };
        named && declared.has("iid_is")
    }

    fn sized(&self, declared: &Declared<'_>) -> bool {
        SIZES.iter().chain(LENGTHS).any(|name| declared.has(name))
    }

    /// Whether each size belongs to a pointer or an array.
    fn check_levels(&mut self, declared: &Declared<'_>, levels: usize) -> Option<()> {
        let depth = |it: &MidlAttribute| match it.name.as_str() {
            "size_is" | "max_is" | "first_is" | "length_is" | "last_is" => {
                it.text.as_deref().map_or(0, |text| parts(text).len())
            }
            _ => 0,
        };
        match declared.attributes.iter().map(depth).max() {
            Some(deepest) if deepest > levels => {
                let why = "`size_is` is for pointers and arrays";
                self.bad_pointer(declared.name, declared.ty.ty.span, why)?;
                None
            }
            _ => Some(()),
        }
    }

    /// What travels from the level `depth` inwards.
    fn com_levels(
        &mut self,
        ty: ComType,
        levels: &[Level<'_>],
        depth: usize,
        declared: &Declared<'_>,
        pointer: Option<ComPointer>,
    ) -> Option<ComType> {
        let Some((level, inner)) = levels.split_first() else { return Some(ty) };
        let varying = declared.says(LENGTHS, depth);
        let sized = varying || declared.says(SIZES, depth);
        if let Level::Text = level {
            let text = if ty == ComType::U1 { ComType::NarrowString } else { ComType::WideString };
            return Some(point(text, pointer));
        }
        let ty = self.com_levels(ty, inner, depth + 1, declared, Some(ComPointer::Unique))?;
        if sized && self.is_conformant(&ty) {
            let why = "the elements of an array have one size: use pointers to them";
            return self.bad_pointer(declared.name, declared.ty.ty.span, why);
        }
        match level {
            Level::Bracket(Some(_)) if varying || sized => {
                let why =
                    "an array with a size in brackets travels whole: leave out one of the two";
                self.bad_pointer(declared.name, declared.ty.ty.span, why)
            }
            Level::Bracket(Some(size)) => {
                let size = [Some((*size).clone())];
                self.com_array(ty, declared.name, &size)
            }
            Level::Bracket(None) if sized => Some(array_of(ty, varying)),
            Level::Bracket(None) => {
                let why = "an array needs a size or `size_is`";
                self.bad_pointer(declared.name, declared.ty.ty.span, why)
            }
            _ if sized => Some(point(array_of(ty, varying), pointer)),
            _ => Some(point(ty, pointer)),
        }
    }

    pub(super) fn bad_pointer<T>(&mut self, name: &Name, span: Span, why: &str) -> Option<T> {
        let message = format!("`{}` has a type that cannot travel: {why}", name.text);
        let error = Diagnostic::error(Code::BadCom, span, message);
        let help = "an array has `size_is`, and `size_is(, *count)` if the method allocates it";
        self.session.report(error.help(help));
        None
    }
}

fn point(ty: ComType, pointer: Option<ComPointer>) -> ComType {
    match pointer {
        None => ty,
        Some(ComPointer::Unique) => unique(ty),
        Some(ComPointer::Full) => ComType::Full(Box::new(ty)),
        Some(ComPointer::Reference) => ComType::Reference(Box::new(ty)),
    }
}

fn unique(ty: ComType) -> ComType {
    ComType::Unique(Box::new(ty))
}

fn array_of(element: ComType, varying: bool) -> ComType {
    let element = Box::new(element);
    if varying { ComType::Varying(element) } else { ComType::Array(element) }
}
