//! TypeCodes: `impl Typed` for each Rust type, a function for each typedef. A TypeCode is built
//! once and then shared.
//!
//! The TypeCode of a type refers to those of the types that it contains. Only mutually recursive
//! types are expanded in each other's TypeCodes, because the indirection to a type is valid only
//! within its own TypeCode.

use super::names;
use super::queries;
use super::scope::{self, Scope};
use crate::model::{
    ConstValue, DeclId, DeclKind, Declaration, Enum, Flavour, Interface, Member, Primitive, Role,
    Struct, Type, Union, Value, ValueModifier,
};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

/// The maximum number of expanded types in one TypeCode.
const MAX_SPELLED: usize = 10_000;

/// The maximum number of expanded types in the TypeCode of a typedef. All of them are typedefs.
const MAX_TYPEDEFS: usize = 256;

/// The maximum nesting of expanded types. The decoder of TypeCodes has the same limit.
const MAX_DEPTH: usize = 64;

/// The implementation of `Typed` for the Rust type `name` of `id`.
pub(super) fn implementation(scope: &Scope<'_>, id: DeclId, name: &Ident) -> TokenStream {
    let code = Writer::new(scope).definition(id);
    quote! {
        impl codegen::Typed for #name {
            fn type_code() -> codegen::TypeCode {
                static CODE: codegen::SharedTypeCode = codegen::SharedTypeCode::new(|| { #code });
                CODE.clone()
            }
        }
    }
}

/// The function for the TypeCode of a typedef. It is not `impl Typed`, because the Rust type is
/// that of the aliased type. A local type has none.
pub(super) fn function(scope: &Scope<'_>, id: DeclId) -> Option<TokenStream> {
    let code = of_typedef(scope, id)?;
    let name = names::ident(&function_name(scope.model.get(id)));
    let docs = format!(" The TypeCode of IDL `{}`.", scope.idl.scoped_name(id));
    Some(quote! {
        #[doc = #docs]
        pub fn #name() -> codegen::TypeCode {
            static CODE: codegen::SharedTypeCode = codegen::SharedTypeCode::new(|| { #code });
            CODE.clone()
        }
    })
}

/// Whether there is a function for the TypeCode of the typedef.
pub(super) fn has_function(scope: &Scope<'_>, id: DeclId) -> bool {
    of_typedef(scope, id).is_some()
}

/// The TypeCode of a typedef; `None` for a local type or if it would be too large.
fn of_typedef(scope: &Scope<'_>, id: DeclId) -> Option<TokenStream> {
    let declaration = scope.idl.get(id);
    let DeclKind::Typedef(ty) = &declaration.kind else { return None };
    if scope.properties.of_type(ty).local {
        return None;
    }
    let mut writer = Writer::within(scope, MAX_TYPEDEFS);
    let code = writer.typedef(declaration, ty);
    (!writer.is_too_large).then_some(code)
}

/// The name of the function for the TypeCode of a typedef.
pub(super) fn function_name(declaration: &Declaration) -> String {
    names::snake(&format!("{}_type_code", scope::name(declaration)))
}

/// The TypeCode of a type where it is used.
pub(super) fn of(scope: &Scope<'_>, ty: &Type) -> TokenStream {
    Writer::new(scope).expression(ty)
}

/// Whether the TypeCode of the declaration exceeds the limits.
pub(super) fn is_too_large(scope: &Scope<'_>, id: DeclId) -> bool {
    let mut writer = Writer::new(scope);
    writer.definition(id);
    writer.is_too_large
}

struct Writer<'a, 'm> {
    scope: &'a Scope<'m>,
    /// The types that are being expanded, the outermost first, without typedefs: recursion always
    /// leads to a type with members.
    enclosing: Vec<DeclId>,
    /// The number of typedefs that are being expanded.
    typedefs: usize,
    spelled: usize,
    most: usize,
    is_too_large: bool,
}

impl<'a, 'm> Writer<'a, 'm> {
    fn new(scope: &'a Scope<'m>) -> Self {
        Self::within(scope, MAX_SPELLED)
    }

    /// A writer that expands at `most` so many types.
    fn within(scope: &'a Scope<'m>, most: usize) -> Self {
        Writer { scope, enclosing: Vec::new(), typedefs: 0, spelled: 0, most, is_too_large: false }
    }

    /// The TypeCode of a declared type, in full.
    fn definition(&mut self, id: DeclId) -> TokenStream {
        let declaration = self.scope.idl.get(id);
        if !self.has_room() {
            return TokenStream::new();
        }
        self.enclosing.push(id);
        let code = match &declaration.kind {
            DeclKind::Struct(data) => self.structure("structure", declaration, data),
            DeclKind::Exception(data) => self.structure("exception", declaration, data),
            DeclKind::Union(data) => self.union(declaration, data),
            DeclKind::Enum(data) => enumeration(declaration, data),
            DeclKind::Value(data) => self.value(declaration, data),
            DeclKind::ValueBox(boxed) => self.value_box(declaration, boxed),
            // TypeCodes have no kind for bitmasks and bitsets.
            DeclKind::Bitmask(data) => {
                self.alias(declaration, &Type::Primitive(queries::bitmask_integer(data)))
            }
            DeclKind::Bitset(data) => {
                let carrier = queries::bitset_integer(self.scope.idl, data);
                self.alias(declaration, &Type::Primitive(carrier))
            }
            // Other declarations have no values.
            _ => TokenStream::new(),
        };
        self.enclosing.pop();
        code
    }

    /// The TypeCode of a typedef.
    fn typedef(&mut self, declaration: &Declaration, ty: &Type) -> TokenStream {
        if !self.has_room() {
            return TokenStream::new();
        }
        self.typedefs += 1;
        let code = self.alias(declaration, ty);
        self.typedefs -= 1;
        code
    }

    /// Counts one more expanded type. Returns whether the limits hold.
    fn has_room(&mut self) -> bool {
        self.spelled += 1;
        let depth = self.enclosing.len() + self.typedefs;
        self.is_too_large |= self.spelled > self.most || depth > MAX_DEPTH;
        !self.is_too_large
    }

    fn structure(
        &mut self,
        function: &str,
        declaration: &Declaration,
        data: &Struct,
    ) -> TokenStream {
        let function = names::ident(function);
        let (repository_id, name) = (&declaration.repository_id, &declaration.name);
        let members = queries::struct_members(self.scope.idl, data);
        if members.is_empty() {
            return quote!(codegen::TypeCode::#function::<&str>(#repository_id, #name, []));
        }
        let members = members.into_iter().map(|member| self.member(member));
        let members: Vec<TokenStream> = members.collect();
        quote!(codegen::TypeCode::#function(#repository_id, #name, [#(#members),*]))
    }

    fn member(&mut self, member: &Member) -> TokenStream {
        let name = &member.name;
        let code = self.expression(&member.ty);
        quote!((#name, #code))
    }

    fn union(&mut self, declaration: &Declaration, data: &Union) -> TokenStream {
        let (repository_id, name) = (&declaration.repository_id, &declaration.name);
        let resolved = self.scope.idl.resolve(&data.discriminator);
        let is_int8 = *resolved == Type::Primitive(Primitive::Int8);
        let discriminator = self.expression(&data.discriminator);
        let mut cases = Vec::new();
        let mut default = quote!(None);
        for case in &data.cases {
            let member = &case.member.name;
            let code = self.expression(&case.member.ty);
            for label in &case.labels {
                let label = number(label, is_int8);
                cases.push(quote!((#label, #member, #code)));
            }
            if case.default {
                let index = Literal::usize_unsuffixed(cases.len());
                default = quote!(Some(#index));
                cases.push(quote!((0, #member, #code)));
            }
        }
        quote! {
            codegen::TypeCode::union(#repository_id, #name, #discriminator, #default, [#(#cases),*])
        }
    }

    fn alias(&mut self, declaration: &Declaration, ty: &Type) -> TokenStream {
        let (repository_id, name) = (&declaration.repository_id, &declaration.name);
        let code = self.expression(ty);
        quote!(codegen::TypeCode::alias(#repository_id, #name, #code))
    }

    fn value(&mut self, declaration: &Declaration, data: &Value) -> TokenStream {
        let (repository_id, name) = (&declaration.repository_id, &declaration.name);
        let modifier = Literal::i16_unsuffixed(match data.modifier {
            ValueModifier::Custom => 1,
            ValueModifier::Abstract => 2,
            ValueModifier::None if data.truncatable => 3,
            ValueModifier::None => 0,
        });
        let base = match queries::concrete_base(self.scope.idl, data) {
            Some(base) => self.named(base),
            None => quote!(codegen::TypeCode::Null),
        };
        let members = data.state.iter().map(|state| {
            let (name, public) = (&state.member.name, state.public);
            let code = self.expression(&state.member.ty);
            quote!((#name, #code, #public))
        });
        let members: Vec<TokenStream> = members.collect();
        let no_name = members.is_empty().then(|| quote!(::<&str>));
        let kind = names::ident(if data.event { "event" } else { "value" });
        quote! {
            codegen::TypeCode::#kind #no_name(#repository_id, #name, #modifier, #base, [#(#members),*])
        }
    }

    fn value_box(&mut self, declaration: &Declaration, boxed: &Type) -> TokenStream {
        let (repository_id, name) = (&declaration.repository_id, &declaration.name);
        let code = self.expression(boxed);
        quote!(codegen::TypeCode::value_box(#repository_id, #name, #code))
    }

    /// The TypeCode of a type where it is used.
    fn expression(&mut self, ty: &Type) -> TokenStream {
        match ty {
            Type::Primitive(kind) => primitive(*kind),
            Type::String(bound) => {
                let bound = Literal::u32_unsuffixed(bound.unwrap_or(0));
                quote!(codegen::TypeCode::String(#bound))
            }
            Type::Sequence(element, bound) => {
                let element = self.expression(element);
                let bound = Literal::u32_unsuffixed(bound.unwrap_or(0));
                quote!(codegen::TypeCode::sequence(#element, #bound))
            }
            Type::SharedOctets(bound) => {
                let bound = Literal::u32_unsuffixed(bound.unwrap_or(0));
                quote!(codegen::TypeCode::sequence(codegen::TypeCode::Octet, #bound))
            }
            Type::SharedStrings => {
                quote!(codegen::TypeCode::sequence(codegen::TypeCode::String(0), 0))
            }
            Type::Array(element, dimensions) => {
                dimensions.iter().rev().fold(self.expression(element), |element, length| {
                    let length = Literal::u32_unsuffixed(*length);
                    quote!(codegen::TypeCode::array(#element, #length))
                })
            }
            Type::Object => quote!(<codegen::Object as codegen::Typed>::type_code()),
            Type::ValueBase => quote!(<codegen::ValueBase as codegen::Typed>::type_code()),
            Type::Any => quote!(codegen::TypeCode::Any),
            Type::TypeCode => quote!(codegen::TypeCode::TypeCode),
            Type::Named(id) => self.named(*id),
            Type::WString(bound) => {
                let bound = Literal::u32_unsuffixed(bound.unwrap_or(0));
                quote!(codegen::TypeCode::WString(#bound))
            }
            Type::Fixed(digits, scale) => {
                let digits = Literal::u16_unsuffixed(*digits);
                let scale = Literal::u16_unsuffixed(*scale);
                quote!(codegen::TypeCode::Fixed { digits: #digits, scale: #scale })
            }
            Type::Map(key, value, bound) => {
                let (key, value) = (self.expression(key), self.expression(value));
                let bound = Literal::u32_unsuffixed(bound.unwrap_or(0));
                quote!(codegen::TypeCode::map(#key, #value, #bound))
            }
            Type::Principal => quote!(codegen::TypeCode::Principal),
        }
    }

    fn named(&mut self, id: DeclId) -> TokenStream {
        let declaration = self.scope.idl.get(id);
        let (repository_id, name) = (&declaration.repository_id, &declaration.name);
        if let DeclKind::Typedef(ty) = &declaration.kind {
            return self.typedef(declaration, ty);
        }
        if self.enclosing.contains(&id) {
            return quote!(codegen::TypeCode::recursive(#repository_id));
        }
        if let DeclKind::Interface(data) = &declaration.kind {
            let kind = match data.flavour {
                Flavour::Abstract => names::ident("abstract_interface"),
                _ => reference_kind(data),
            };
            return quote!(codegen::TypeCode::#kind(#repository_id, #name));
        }
        let circular = self
            .enclosing
            .iter()
            .any(|enclosing| self.scope.cycles.are_mutually_recursive(*enclosing, id));
        if circular {
            return self.definition(id);
        }
        let path = self.scope.path(id);
        quote!(<#path as codegen::Typed>::type_code())
    }
}

/// The method with the TypeCode of references, if the repository id alone does not determine it.
pub(super) fn of_references(declaration: &Declaration, data: &Interface) -> TokenStream {
    let (repository_id, name) = (&declaration.repository_id, &declaration.name);
    let path = repository_id.split(':').nth(1).unwrap_or_default();
    if matches!(data.role, Role::Plain) && path.rsplit('/').next() == Some(name) {
        return TokenStream::new();
    }
    let kind = reference_kind(data);
    quote! {
        fn reference_type() -> codegen::TypeCode { codegen::TypeCode::#kind(#repository_id, #name) }
    }
}

fn reference_kind(data: &Interface) -> Ident {
    names::ident(match data.role {
        Role::Plain => "object_reference",
        Role::Component(_) => "component",
        Role::Home(_) => "home",
    })
}

fn enumeration(declaration: &Declaration, data: &Enum) -> TokenStream {
    let (repository_id, name) = (&declaration.repository_id, &declaration.name);
    let enumerators = data.enumerators.iter().map(|enumerator| &enumerator.name);
    quote!(codegen::TypeCode::enumeration(#repository_id, #name, [#(#enumerators),*]))
}

fn primitive(primitive: Primitive) -> TokenStream {
    let kind = names::ident(match primitive {
        Primitive::Short => "Short",
        Primitive::UShort => "UShort",
        Primitive::Long => "Long",
        Primitive::ULong => "ULong",
        Primitive::LongLong => "LongLong",
        Primitive::ULongLong => "ULongLong",
        Primitive::Float => "Float",
        Primitive::Double => "Double",
        Primitive::Char => "Char",
        Primitive::Boolean => "Boolean",
        Primitive::WChar => "WChar",
        Primitive::LongDouble => "LongDouble",
        // TypeCodes have no kind for integers of eight bits.
        Primitive::Octet | Primitive::Int8 | Primitive::UInt8 => "Octet",
    });
    quote!(codegen::TypeCode::#kind)
}

/// A label as the number in a TypeCode: the lower 64 bits; an octet for an `int8`.
fn number(label: &ConstValue, is_int8: bool) -> TokenStream {
    let number = match label {
        ConstValue::Integer(value) if is_int8 => i64::from(*value as u8),
        ConstValue::Integer(value) => *value as i64,
        ConstValue::Boolean(value) => i64::from(*value),
        ConstValue::Char(value) => i64::from(*value),
        ConstValue::WChar(value) => i64::from(*value),
        ConstValue::Enumerator(_, index) => i64::from(*index),
        // A discriminator cannot be of these types.
        ConstValue::Float(_)
        | ConstValue::LongDouble(_)
        | ConstValue::String(_)
        | ConstValue::WString(_)
        | ConstValue::Fixed(_) => 0,
    };
    let magnitude = Literal::u64_unsuffixed(number.unsigned_abs());
    if number < 0 { quote!(-#magnitude) } else { quote!(#magnitude) }
}
