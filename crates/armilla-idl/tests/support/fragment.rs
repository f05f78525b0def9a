//! Finds items of generated Rust by their paths: `mod bank > trait Account > fn balance`.
//!
//! Each step of a path is the beginning of a declaration without visibility and generics:
//! `mod bank`, `struct Point`, `fn close`, `const LIMIT`, `impl Point`,
//! `impl codegen::Encode for Point`.

use quote::{ToTokens, quote};

/// A generated file whose items can be looked up.
pub(crate) struct Fragments {
    file: syn::File,
}

impl Fragments {
    pub(crate) fn of(text: &str) -> Self {
        Fragments { file: syn::parse_file(text).unwrap() }
    }

    /// The text of the item at `path`, formatted as if it stood at the left margin.
    ///
    /// # Errors
    ///
    /// If there is no item at `path`: a message with the items that there are.
    pub(crate) fn get(&self, path: &str) -> Result<String, String> {
        let mut scope: Vec<Item> = self.file.items.iter().filter_map(Item::of_module).collect();
        let mut text = String::new();
        for step in path.split(" > ") {
            let wanted = without_blanks(step);
            let Some(item) = scope.iter().find(|item| without_blanks(&item.name) == wanted) else {
                let names: Vec<&str> = scope.iter().map(|item| &*item.name).collect();
                return Err(format!("no `{step}` for `{path}`, but {}", names.join(", ")));
            };
            if path.ends_with(step) {
                text = item.text();
            }
            scope = item.members();
        }
        Ok(text)
    }
}

/// An item of a module, a trait or an `impl`.
struct Item<'a> {
    /// The step of a path that names it; blanks do not count.
    name: String,
    syntax: &'a dyn ToTokens,
    members: Members<'a>,
}

enum Members<'a> {
    None,
    /// None; the item is one of a trait itself.
    OfTrait,
    /// None; the item is one of an `impl` itself.
    OfImpl,
    Module(&'a [syn::Item]),
    Trait(&'a [syn::TraitItem]),
    Impl(&'a [syn::ImplItem]),
}

impl<'a> Item<'a> {
    fn of_module(syntax: &'a syn::Item) -> Option<Self> {
        let (name, members) = match syntax {
            syn::Item::Const(item) => (format!("const {}", item.ident), Members::None),
            syn::Item::Enum(item) => (format!("enum {}", item.ident), Members::None),
            syn::Item::Fn(item) => (format!("fn {}", item.sig.ident), Members::None),
            syn::Item::Impl(item) => (header(item), Members::Impl(&item.items)),
            syn::Item::Mod(item) => {
                let items = item.content.as_ref().map_or(&[][..], |(_, items)| items);
                (format!("mod {}", item.ident), Members::Module(items))
            }
            syn::Item::Struct(item) => (format!("struct {}", item.ident), Members::None),
            syn::Item::Trait(item) => {
                (format!("trait {}", item.ident), Members::Trait(&item.items))
            }
            syn::Item::Type(item) => (format!("type {}", item.ident), Members::None),
            _ => return None,
        };
        Some(Item { name, syntax, members })
    }

    fn of_trait(syntax: &'a syn::TraitItem) -> Option<Self> {
        let syn::TraitItem::Fn(item) = syntax else { return None };
        let name = format!("fn {}", item.sig.ident);
        Some(Item { name, syntax, members: Members::OfTrait })
    }

    fn of_impl(syntax: &'a syn::ImplItem) -> Option<Self> {
        let name = match syntax {
            syn::ImplItem::Const(item) => format!("const {}", item.ident),
            syn::ImplItem::Fn(item) => format!("fn {}", item.sig.ident),
            syn::ImplItem::Type(item) => format!("type {}", item.ident),
            _ => return None,
        };
        Some(Item { name, syntax, members: Members::OfImpl })
    }

    fn members(&self) -> Vec<Item<'a>> {
        match self.members {
            Members::None | Members::OfTrait | Members::OfImpl => Vec::new(),
            Members::Module(items) => items.iter().filter_map(Item::of_module).collect(),
            Members::Trait(items) => items.iter().filter_map(Item::of_trait).collect(),
            Members::Impl(items) => items.iter().filter_map(Item::of_impl).collect(),
        }
    }

    fn text(&self) -> String {
        let syntax = self.syntax;
        let (file, is_member) = match self.members {
            Members::OfTrait => (quote!(trait Alone { #syntax }), true),
            Members::OfImpl => (quote!(impl Alone { #syntax }), true),
            _ => (quote!(#syntax), false),
        };
        let text = prettyplease::unparse(&syn::parse2(file).unwrap());
        if !is_member {
            return text;
        }
        let lines = text.lines().filter_map(|line| line.strip_prefix("    "));
        lines.map(|line| format!("{line}\n")).collect()
    }
}

/// `impl Trait for Type`, without lifetimes of the trait.
fn header(item: &syn::ItemImpl) -> String {
    let ty = &item.self_ty;
    let text = match &item.trait_ {
        None => quote!(impl #ty),
        Some((name, _)) => quote!(impl #name for #ty),
    };
    text.to_string().replace("< 'a >", "")
}

fn without_blanks(text: &str) -> String {
    text.split_whitespace().collect()
}
