//! Fixed-size structs: every value has the same layout in CDR, so that a sequence is written and
//! read at constant offsets, without a check for each member.

use super::layout::Layout;
use super::names;
use super::queries;
use super::scope::Scope;
use super::types;
use crate::model::{DeclId, DeclKind, Model, Primitive, Type};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};
use std::ops::Range;

/// The maximum number of elements of an array in a fixed-size struct.
const MAX_ELEMENTS: u64 = 16;

/// The maximum number of primitives in a fixed-size struct, which limits the size of the code.
const MAX_PRIMITIVES: usize = 64;

/// The maximum nesting of structs in a fixed-size struct.
const MAX_DEPTH: usize = 8;

/// The code that writes and reads one fixed-size struct.
#[derive(Debug)]
pub(super) struct Plan {
    layout: Layout,
    /// The generic parameter for the byte order, a name that hides no type.
    order: Ident,
    writes: Vec<TokenStream>,
    value: TokenStream,
}

impl Plan {
    /// The plan for a struct; `None` if its size is not fixed or it is too large to unroll.
    pub(super) fn of(scope: &Scope<'_>, id: DeclId) -> Option<Self> {
        let mut sizes = Vec::new();
        primitive_sizes(scope.model, &Type::Named(id), MAX_DEPTH, &mut sizes)?;
        // A struct without members has no octets to write.
        let sizes = Some(sizes).filter(|sizes| !sizes.is_empty())?;
        let layout = Layout::of(&sizes);
        let order = scope.unused_type_name("O");
        let unrolled = || Unrolled { scope, order: &order, ranges: layout.ranges() };
        let mut writes = unrolled().writes(&Type::Named(id), quote!(self));
        if let Some(first) = layout.offsets.first().copied().filter(|first| *first > 0) {
            let first = Literal::usize_unsuffixed(first);
            writes.insert(0, quote!(chunk[0..#first].fill(0);));
        }
        let value = unrolled().read_struct(id, quote!(Self));
        Some(Plan { order: order.clone(), writes, value, layout })
    }

    /// The implementation of `Fixed` for the struct `name`.
    pub(super) fn implementation(&self, name: &Ident) -> TokenStream {
        let Plan { layout, order, writes, value } = self;
        let align = Literal::usize_unsuffixed(layout.align);
        let phase = Literal::usize_unsuffixed(layout.phase);
        let stride = Literal::usize_unsuffixed(layout.stride);
        quote! {
            impl codegen::Fixed for #name {
                const ALIGN: usize = #align;
                const PHASE: usize = #phase;
                type Chunk = [u8; #stride];
                #[inline(always)]
                fn write<#order: codegen::Order>(&self, chunk: &mut [u8; #stride]) { #(#writes)* }
                #[inline(always)]
                fn read<#order: codegen::Order>(chunk: &[u8; #stride]) -> codegen::CdrResult<Self> {
                    Ok(#value)
                }
            }
        }
    }
}

/// Whether the type is a fixed-size struct that is generated here.
pub(super) fn is_fixed(scope: &Scope<'_>, ty: &Type) -> bool {
    match scope.model.resolve(ty) {
        Type::Named(id) if matches!(scope.model.get(*id).kind, DeclKind::Struct(_)) => {
            let mut sizes = Vec::new();
            primitive_sizes(scope.model, &Type::Named(*id), MAX_DEPTH, &mut sizes).is_some()
                && !sizes.is_empty()
                && scope.makes(*id)
        }
        _ => false,
    }
}

/// Whether all values of the type have the same size, and each an encoding.
pub(super) fn is_fixed_size(model: &Model, ty: &Type) -> bool {
    primitive_sizes(model, ty, MAX_DEPTH, &mut Vec::new()).is_some()
}

/// Appends the sizes of the primitives in `ty`, in order; `None` if it is not fixed or too large.
fn primitive_sizes(model: &Model, ty: &Type, depth: usize, sizes: &mut Vec<usize>) -> Option<()> {
    match model.resolve(ty) {
        // The alignment of these is not their size.
        Type::Primitive(Primitive::WChar | Primitive::LongDouble) => return None,
        Type::Primitive(kind) => sizes.push(queries::primitive_size(*kind)),
        Type::Array(element, dimensions) => {
            for _ in 0..elements(dimensions)? {
                primitive_sizes(model, element, depth, sizes)?;
            }
        }
        Type::Named(id) => match &model.get(*id).kind {
            DeclKind::Enum(_) => sizes.push(4),
            DeclKind::Struct(data) | DeclKind::Exception(data) => {
                let depth = depth.checked_sub(1)?;
                for member in queries::struct_members(model, data) {
                    primitive_sizes(model, &member.ty, depth, sizes)?;
                }
            }
            _ => return None,
        },
        _ => return None,
    }
    (sizes.len() <= MAX_PRIMITIVES).then_some(())
}

/// The number of elements of an array; `None` if it is too large.
fn elements(dimensions: &[u32]) -> Option<u64> {
    let product = |product: u64, dimension: &u32| product.checked_mul(u64::from(*dimension));
    dimensions.iter().try_fold(1, product).filter(|elements| *elements <= MAX_ELEMENTS)
}

/// A visitor of the primitives of a struct in the order of their offsets.
struct Unrolled<'a, 'm, P> {
    scope: &'a Scope<'m>,
    order: &'a Ident,
    ranges: P,
}

impl<P: Iterator<Item = Range<usize>>> Unrolled<'_, '_, P> {
    /// The range of the next primitive, including the padding after it.
    fn place(&mut self) -> TokenStream {
        // There is one range for each primitive, in the order of this visitor.
        let Range { start, end } = self.ranges.next().unwrap_or_default();
        let (start, end) = (Literal::usize_unsuffixed(start), Literal::usize_unsuffixed(end));
        quote!(#start..#end)
    }

    fn offset(&mut self) -> Literal {
        Literal::usize_unsuffixed(self.ranges.next().unwrap_or_default().start)
    }

    /// The statements that write the value at `place`.
    fn writes(&mut self, ty: &Type, place: TokenStream) -> Vec<TokenStream> {
        let (scope, order) = (self.scope, self.order);
        match scope.model.resolve(ty) {
            Type::Primitive(kind) => {
                let put = format_ident!("put_{}", types::primitive(*kind));
                let range = self.place();
                vec![quote!(#order::#put(chunk, #range, #place);)]
            }
            Type::Array(element, dimensions) => {
                let ranges = dimensions.iter().fold(vec![place], |ranges, dimension| {
                    let indices = (0..*dimension).map(Literal::u32_unsuffixed);
                    let indices: Vec<Literal> = indices.collect();
                    let of = |place: TokenStream| {
                        indices.iter().map(|i| quote!(#place[#i])).collect::<Vec<_>>()
                    };
                    ranges.into_iter().flat_map(of).collect()
                });
                ranges.into_iter().flat_map(|place| self.writes(element, place)).collect()
            }
            Type::Named(id) => match &scope.model.get(*id).kind {
                DeclKind::Struct(data) => queries::struct_members(scope.model, data)
                    .into_iter()
                    .flat_map(|member| {
                        let field = names::field(&member.name);
                        self.writes(&member.ty, quote!(#place.#field))
                    })
                    .collect(),
                _ => {
                    let range = self.place();
                    vec![quote!(#order::put_u32(chunk, #range, #place as u32);)]
                }
            },
            // `primitive_sizes` has rejected structs with other members.
            _ => Vec::new(),
        }
    }

    /// The expression that reads a value.
    fn read(&mut self, ty: &Type) -> TokenStream {
        let (scope, order) = (self.scope, self.order);
        match scope.model.resolve(ty) {
            Type::Primitive(kind) => {
                let get = types::primitive(*kind);
                let offset = self.offset();
                let fallible = (get == "bool").then(|| quote!(?));
                quote!(#order::#get(chunk, #offset)#fallible)
            }
            Type::Array(element, dimensions) => self.read_array(element, dimensions),
            Type::Named(id) => {
                let path = scope.path(*id);
                if matches!(scope.model.get(*id).kind, DeclKind::Struct(_)) {
                    return self.read_struct(*id, path);
                }
                let offset = self.offset();
                quote!(#path::from_discriminant(#order::u32(chunk, #offset))?)
            }
            // `primitive_sizes` has rejected structs with other members.
            _ => TokenStream::new(),
        }
    }

    fn read_array(&mut self, element: &Type, dimensions: &[u32]) -> TokenStream {
        let Some((first, rest)) = dimensions.split_first() else { return self.read(element) };
        let elements: Vec<TokenStream> =
            (0..*first).map(|_| self.read_array(element, rest)).collect();
        quote!([#(#elements),*])
    }

    fn read_struct(&mut self, id: DeclId, path: TokenStream) -> TokenStream {
        let DeclKind::Struct(data) = &self.scope.model.get(id).kind else { return path };
        let fields: Vec<TokenStream> = queries::struct_members(self.scope.model, data)
            .into_iter()
            .map(|member| {
                let name = names::field(&member.name);
                let value = self.read(&member.ty);
                quote!(#name: #value)
            })
            .collect();
        quote!(#path { #(#fields),* })
    }
}
