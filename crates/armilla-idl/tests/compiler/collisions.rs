//! Names that meet in Rust are told apart, wherever they come from.

#[path = "../support/collisions.rs"]
mod source;

use armilla_idl::{Options, parse_str, rust};
use std::collections::HashSet;

#[test]
fn no_name_is_given_twice() {
    for seed in 0..8 {
        let idl = source::idl(seed);
        let compilation = parse_str("t.idl", &idl, &Options::new())
            .unwrap_or_else(|errors| panic!("seed {seed}: {}\n{idl}", errors.render()));
        let options =
            rust::Options::of(&compilation).asynchronous(seed % 2 == 0).amh(seed % 3 == 0);
        let generated = rust::generate(&compilation.model, &options)
            .unwrap_or_else(|errors| panic!("seed {seed}: {}", errors.render()));
        let file = syn::parse_file(&generated.text).unwrap();
        let mut twice = Vec::new();
        check_module(&file.items, "", &mut twice);
        assert!(twice.is_empty(), "seed {seed}: {twice:?}\n{idl}");
    }
}

/// Adds to `twice` the names that several items of a module have, or that several parts of an item
/// have.
fn check_module(items: &[syn::Item], path: &str, twice: &mut Vec<String>) {
    let mut types = Seen::new(format!("{path} type"));
    let mut values = Seen::new(format!("{path} value"));
    for item in items {
        match item {
            syn::Item::Mod(item) => {
                types.insert(&item.ident);
                let (_, within) = item.content.as_ref().unwrap();
                check_module(within, &format!("{path}::{}", item.ident), twice);
            }
            syn::Item::Type(item) => types.insert(&item.ident),
            syn::Item::Const(item) => values.insert(&item.ident),
            syn::Item::Fn(item) => values.insert(&item.sig.ident),
            syn::Item::Struct(item) => {
                types.insert(&item.ident);
                if !matches!(item.fields, syn::Fields::Named(_)) {
                    values.insert(&item.ident);
                }
                let mut fields = Seen::new(format!("{path}::{} field", item.ident));
                item.fields
                    .iter()
                    .filter_map(|field| field.ident.as_ref())
                    .for_each(|name| fields.insert(name));
                twice.append(&mut fields.twice);
            }
            syn::Item::Enum(item) => {
                types.insert(&item.ident);
                let mut variants = Seen::new(format!("{path}::{} variant", item.ident));
                item.variants.iter().for_each(|variant| variants.insert(&variant.ident));
                twice.append(&mut variants.twice);
            }
            syn::Item::Trait(item) => {
                types.insert(&item.ident);
                let mut methods = Seen::new(format!("{path}::{} method", item.ident));
                for item in &item.items {
                    let syn::TraitItem::Fn(method) = item else { continue };
                    methods.insert(&method.sig.ident);
                    check_parameters(&method.sig, path, twice);
                }
                twice.append(&mut methods.twice);
            }
            syn::Item::Impl(item) => {
                let mut within = Seen::new(format!("{path} impl"));
                for item in &item.items {
                    match item {
                        syn::ImplItem::Fn(method) => within.insert(&method.sig.ident),
                        syn::ImplItem::Const(constant) => within.insert(&constant.ident),
                        _ => {}
                    }
                }
                twice.append(&mut within.twice);
            }
            _ => {}
        }
    }
    twice.append(&mut types.twice);
    twice.append(&mut values.twice);
}

fn check_parameters(signature: &syn::Signature, path: &str, twice: &mut Vec<String>) {
    let mut parameters = Seen::new(format!("{path} parameter of {}", signature.ident));
    for input in &signature.inputs {
        if let syn::FnArg::Typed(typed) = input
            && let syn::Pat::Ident(name) = &*typed.pat
        {
            parameters.insert(&name.ident);
        }
    }
    twice.append(&mut parameters.twice);
}

struct Seen {
    place: String,
    names: HashSet<String>,
    twice: Vec<String>,
}

impl Seen {
    fn new(place: String) -> Self {
        Seen { place, names: HashSet::new(), twice: Vec::new() }
    }

    fn insert(&mut self, name: &syn::Ident) {
        if !self.names.insert(name.to_string()) {
            self.twice.push(format!("{}: {name}", self.place));
        }
    }
}
