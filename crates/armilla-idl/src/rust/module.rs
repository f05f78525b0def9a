//! A module of the generated code.

use super::names;
use proc_macro2::{Group, Spacing, TokenStream, TokenTree};
use quote::quote;

/// The items of one Rust module.
#[derive(Debug, Default)]
pub(super) struct Module {
    items: Vec<Item>,
}

#[derive(Debug)]
enum Item {
    Code(TokenStream),
    Module { attributes: TokenStream, name: String, body: Module },
}

impl Module {
    /// Adds items of this module. They may refer to the runtime as `codegen`.
    pub(super) fn push(&mut self, code: TokenStream) {
        self.items.push(Item::Code(code));
    }

    /// Adds a nested module.
    pub(super) fn push_module(&mut self, attributes: TokenStream, name: &str, body: Module) {
        self.items.push(Item::Module { attributes, name: name.to_owned(), body });
    }

    /// Whether the module has no items.
    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The contents of a module, which imports the runtime if it needs it.
    pub(super) fn into_tokens(self) -> TokenStream {
        let needs_runtime = self.items.iter().any(|item| match item {
            Item::Code(code) => names_runtime(code.clone()),
            Item::Module { .. } => false,
        });
        let import = needs_runtime.then(|| {
            quote!(
                use ::armilla::codegen;
            )
        });
        let items = self.items.into_iter().map(Item::into_tokens);
        quote!(#import #(#items)*)
    }

    /// The contents of the root of a generated file. It may be included into a module with other
    /// items, so it imports nothing and refers to the runtime by its full path.
    pub(super) fn into_root_tokens(self) -> TokenStream {
        let items = self.items.into_iter().map(|item| match item {
            Item::Code(code) => qualify_runtime(code),
            module => module.into_tokens(),
        });
        items.collect()
    }
}

impl Item {
    fn into_tokens(self) -> TokenStream {
        match self {
            Item::Code(code) => code,
            Item::Module { attributes, name, body } => {
                let name = names::ident(&name);
                let body = body.into_tokens();
                quote!(#attributes pub mod #name { #body })
            }
        }
    }
}

/// Whether a path in `code` begins with `codegen`.
fn names_runtime(code: TokenStream) -> bool {
    let mut tokens = code.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let found = match token {
            TokenTree::Group(group) => names_runtime(group.stream()),
            TokenTree::Ident(ident) => ident == "codegen" && is_colon(tokens.peek()),
            _ => false,
        };
        if found {
            return true;
        }
    }
    false
}

/// `code` with `::armilla::codegen` in place of each `codegen` that begins a path.
fn qualify_runtime(code: TokenStream) -> TokenStream {
    let mut qualified = TokenStream::new();
    let mut tokens = code.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Group(group) => {
                let stream = qualify_runtime(group.stream());
                let inner = Group::new(group.delimiter(), stream);
                qualified.extend([TokenTree::Group(inner)]);
            }
            TokenTree::Ident(ident) if ident == "codegen" && is_colon(tokens.peek()) => {
                qualified.extend(quote!(::armilla::codegen));
            }
            token => qualified.extend([token]),
        }
    }
    qualified
}

/// Whether `token` is the first half of `::`.
fn is_colon(token: Option<&TokenTree>) -> bool {
    match token {
        Some(TokenTree::Punct(punct)) => {
            punct.as_char() == ':' && punct.spacing() == Spacing::Joint
        }
        _ => false,
    }
}
