//! Arrays and what says how many elements they have: they are compared before anything is sent, and before
//! anything that came is given to the program.

use super::super::names;
use super::types::{nothing, to_wire};
use crate::model::{ComBound, ComBounds, ComCount, ComField, ComOperator, ComType};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;
use std::collections::HashMap;

/// The numbers that parameters or members hold, each as an expression that may leave its closure by `?`.
pub(super) struct Numbers(HashMap<String, TokenStream>);

impl Numbers {
    pub(super) fn new<'n>(all: impl Iterator<Item = (&'n String, Option<TokenStream>)>) -> Self {
        Self(all.filter_map(|(name, number)| Some((name.clone(), number?))).collect())
    }

    pub(super) fn of_members(
        fields: &[ComField],
        place: impl Fn(&Ident, &ComType) -> Option<TokenStream>,
    ) -> Self {
        Self::new(fields.iter().map(|it| (&it.name, place(&names::field(&it.name), &it.ty))))
    }

    /// The number in a value as programs have it.
    pub(super) fn native(ty: &ComType, place: TokenStream) -> Option<TokenStream> {
        match ty {
            ComType::Unique(inner) | ComType::Full(inner) => Self::native(inner, quote!(#place?)),
            ComType::Reference(inner) => Self::native(inner, place),
            _ => number(ty, place),
        }
    }

    /// The number in a value as it travels.
    pub(super) fn travelling(ty: &ComType, place: TokenStream) -> Option<TokenStream> {
        match ty {
            ComType::Unique(inner) | ComType::Reference(inner) => {
                Self::behind(inner, quote!(#place.get()?), quote!(*))
            }
            ComType::Full(inner) => Self::behind(inner, quote!(#place.get()?), quote!(**)),
            _ => number(ty, place),
        }
    }

    fn behind(ty: &ComType, place: TokenStream, stars: TokenStream) -> Option<TokenStream> {
        match ty {
            ComType::Unique(_) | ComType::Full(_) | ComType::Reference(_) => {
                Self::travelling(ty, place)
            }
            _ => number(ty, quote!(#stars #place)),
        }
    }

    /// How many elements a bound says; `None` without one that can be had here.
    fn of(&self, bound: Option<&ComBound>) -> Option<TokenStream> {
        let (count, perhaps) = self.count(&bound?.count)?;
        let count = if perhaps { count } else { quote!(Some(#count)) };
        Some(quote!(::armilla_dcom::generated::count(|| #count)))
    }

    /// An expression, and whether it gives an `Option`.
    fn count(&self, count: &ComCount) -> Option<(TokenStream, bool)> {
        Some(match count {
            ComCount::Number(number) => {
                let number = Literal::i64_suffixed(*number);
                (quote!(#number), false)
            }
            ComCount::Name(name) => (self.0.get(name)?.clone(), false),
            ComCount::Both(left, operator, right) => {
                let (left, right) = (self.within(left)?, self.within(right)?);
                let checked = |name| {
                    let name = names::ident(name);
                    (quote!(i64::#name(#left, #right)), true)
                };
                let shifted = |name| {
                    let name = names::ident(name);
                    (quote!(i64::#name(#left, u32::try_from(#right).ok()?)), true)
                };
                // As a function, it needs no parentheses, whatever its operands are.
                let compared = |name| {
                    let name = names::ident(name);
                    (quote!(i64::from(i64::#name(&#left, &#right))), false)
                };
                match operator {
                    ComOperator::Add => checked("checked_add"),
                    ComOperator::Subtract => checked("checked_sub"),
                    ComOperator::Multiply => checked("checked_mul"),
                    ComOperator::Divide => checked("checked_div"),
                    ComOperator::Remainder => checked("checked_rem"),
                    ComOperator::ShiftLeft => shifted("checked_shl"),
                    ComOperator::ShiftRight => shifted("checked_shr"),
                    ComOperator::And => (quote!(::core::ops::BitAnd::bitand(#left, #right)), false),
                    ComOperator::Xor => (quote!(::core::ops::BitXor::bitxor(#left, #right)), false),
                    ComOperator::Or => (quote!(::core::ops::BitOr::bitor(#left, #right)), false),
                    ComOperator::Equal => compared("eq"),
                    ComOperator::Unequal => compared("ne"),
                    ComOperator::Less => compared("lt"),
                    ComOperator::LessOrEqual => compared("le"),
                    ComOperator::Greater => compared("gt"),
                    ComOperator::GreaterOrEqual => compared("ge"),
                    ComOperator::Both => (quote!(i64::from(#left != 0 && #right != 0)), false),
                    ComOperator::Either => (quote!(i64::from(#left != 0 || #right != 0)), false),
                }
            }
            ComCount::Choice(condition, one, other) => {
                let condition = self.within(condition)?;
                let (one, other) = (self.within(one)?, self.within(other)?);
                (quote!(if #condition != 0 { #one } else { #other }), false)
            }
        })
    }

    /// An expression that leaves its closure where there is no number.
    fn within(&self, count: &ComCount) -> Option<TokenStream> {
        let (number, perhaps) = self.count(count)?;
        Some(if perhaps { quote!(#number?) } else { number })
    }
}

fn number(ty: &ComType, place: TokenStream) -> Option<TokenStream> {
    match ty {
        ComType::I1 | ComType::I2 | ComType::I4 | ComType::I8 | ComType::Enum(_) => {}
        ComType::U1 | ComType::U2 | ComType::U4 | ComType::U8 => {}
        _ => return None,
    }
    Some(quote!(::armilla_dcom::generated::Tag::number(#place)))
}

/// The value `name` as it travels. An array says how much room it has, and one without elements is null if
/// it may be, and if its size is not 0.
pub(super) fn counted(
    ty: &ComType,
    name: TokenStream,
    bounds: &[ComBounds],
    numbers: &Numbers,
) -> TokenStream {
    let Some(first) = bounds.first() else { return to_wire(ty, name) };
    let (inner, new, null) = match ty {
        ComType::Unique(inner) => (
            inner,
            quote!(::armilla_dcom::generated::Unique::new),
            quote!(::armilla_dcom::generated::Unique::NULL),
        ),
        ComType::Full(inner) => (
            inner,
            quote!(::armilla_dcom::generated::shared),
            quote!(::armilla_dcom::generated::Full::NULL),
        ),
        ComType::Reference(inner) => {
            let inner = counted(inner, name, bounds, numbers);
            return quote!(::armilla_dcom::generated::Reference::new(#inner));
        }
        _ => return with_room(ty, to_wire(ty, name), first, numbers),
    };
    let used = match &**inner {
        ComType::Array(_) => numbers.of(first.size.as_ref()),
        ComType::Varying(_) => numbers.of(first.length.as_ref()),
        _ => return to_wire(ty, name),
    };
    let array = with_room(inner, to_wire(inner, name.clone()), first, numbers);
    match used {
        None => quote!(#new(#array)),
        Some(count) => quote! {
            if ::armilla_dcom::generated::is_null(#name.len(), #count) { #null } else { #new(#array) }
        },
    }
}

/// An array of which a part travels says where that begins, and how many elements there could be.
fn with_room(
    ty: &ComType,
    array: TokenStream,
    bounds: &ComBounds,
    numbers: &Numbers,
) -> TokenStream {
    if !matches!(ty, ComType::Varying(_)) {
        return array;
    }
    let array = match numbers.of(bounds.first.as_ref()) {
        Some(first) => quote!(::armilla_dcom::generated::from_index(#array, #first)),
        None => array,
    };
    match numbers.of(bounds.size.as_ref()) {
        Some(size) => quote!(::armilla_dcom::generated::with_room(#array, #size)),
        None => array,
    }
}

/// What travels for a result of a call that failed.
pub(super) fn emptied(ty: &ComType, bounds: &[ComBounds], numbers: &Numbers) -> TokenStream {
    let (Some(first), ComType::Array(element) | ComType::Varying(element)) = (bounds.first(), ty)
    else {
        return nothing(ty);
    };
    let used = match ty {
        ComType::Varying(_) => &first.length,
        _ => &first.size,
    };
    let Some(used) = numbers.of(used.as_ref()) else {
        return with_room(ty, nothing(ty), first, numbers);
    };
    let element = nothing(element);
    let array = quote!(::armilla_dcom::generated::filled(#used, #element).into());
    with_room(ty, array, first, numbers)
}

/// What compares the arrays in the value at `place` with what is said of them.
pub(super) fn checks(
    ty: &ComType,
    place: &TokenStream,
    bounds: &[ComBounds],
    name: &str,
    numbers: &Numbers,
) -> TokenStream {
    let compare = |bound: &Option<ComBound>, count: TokenStream| {
        let (Some(bound), Some(says)) = (bound, numbers.of(bound.as_ref())) else {
            return TokenStream::new();
        };
        let text = &bound.text;
        quote!(::armilla_dcom::generated::check_size(#name, #text, #says, #count)?;)
    };
    let within =
        |ty: &ComType, bounds: &[ComBounds]| checks(ty, &quote!(value), bounds, name, numbers);
    let each = |values: TokenStream, checks: TokenStream| match checks.is_empty() {
        true => checks,
        false => quote!(for value in #values { #checks }),
    };
    match (ty, bounds) {
        (_, []) => TokenStream::new(),
        (ComType::Unique(inner) | ComType::Full(inner) | ComType::Reference(inner), _) => {
            match within(inner, bounds) {
                checks if checks.is_empty() => checks,
                checks => quote!(if let Some(value) = #place.get() { #checks }),
            }
        }
        (ComType::Array(element), [first, rest @ ..]) => {
            let own = compare(&first.size, quote!(#place.0.len()));
            let inner = each(quote!(&#place.0), within(element, rest));
            quote!(#own #inner)
        }
        (ComType::Varying(element), [first, rest @ ..]) => {
            let room = compare(&first.size, quote!(#place.maximum as usize));
            let used = compare(&first.length, quote!(#place.values.len()));
            let begins = begins(first, place, name, numbers);
            let inner = each(quote!(&#place.values), within(element, rest));
            quote!(#room #begins #used #inner)
        }
        (ComType::Fixed(element, _), _) => each(quote!(&#place), within(element, bounds)),
        _ => TokenStream::new(),
    }
}

/// What compares the index of the first element that travels with what is said of it.
fn begins(bounds: &ComBounds, place: &TokenStream, name: &str, numbers: &Numbers) -> TokenStream {
    let (text, says) = match (&bounds.first, &bounds.length) {
        (Some(first), _) => (&first.text, numbers.of(Some(first))),
        (None, Some(length)) => (&length.text, Some(quote!(Some(0)))),
        (None, None) => return TokenStream::new(),
    };
    let Some(says) = says else { return TokenStream::new() };
    quote!(::armilla_dcom::generated::check_first(#name, #text, #says, #place.first)?;)
}

/// The function with these checks for the type `name`, and how a table names it.
pub(super) fn check(checks: &TokenStream, name: &TokenStream) -> (TokenStream, TokenStream) {
    if checks.is_empty() {
        return (TokenStream::new(), TokenStream::new());
    }
    let function = quote! {
        impl #name {
            fn check(&self) -> Result<(), ::armilla_dcom::generated::NdrErrorKind> {
                #checks
                Ok(())
            }
        }
    };
    (function, quote!(=> Self::check;))
}
