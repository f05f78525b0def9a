//! Tokens to formatted source text.

use proc_macro2::TokenStream;
use syn::{Attribute, Item, parse_quote};

/// The text of a generated file.
///
/// # Errors
/// If the tokens are not a Rust file, which is an error of this compiler.
pub(super) fn file(tokens: TokenStream) -> syn::Result<String> {
    let mut file: syn::File = syn::parse2(tokens)?;
    for item in &mut file.items {
        // A program may leave declarations unused, and may include the file into a module that has
        // the name of one in it.
        let allow = match item {
            Item::Mod(_) => {
                parse_quote!(#[allow(dead_code, unreachable_pub, clippy::module_inception)])
            }
            _ => parse_quote!(#[allow(dead_code, unreachable_pub)]),
        };
        if let Some(attributes) = attributes(item) {
            attributes.push(allow);
        }
    }
    Ok(space(&prettyplease::unparse(&file)))
}

/// The attributes of an item to which lints about unused code apply.
fn attributes(item: &mut Item) -> Option<&mut Vec<Attribute>> {
    match item {
        Item::Mod(item) => Some(&mut item.attrs),
        Item::Struct(item) => Some(&mut item.attrs),
        Item::Enum(item) => Some(&mut item.attrs),
        Item::Trait(item) => Some(&mut item.attrs),
        Item::Type(item) => Some(&mut item.attrs),
        Item::Const(item) => Some(&mut item.attrs),
        Item::Fn(item) => Some(&mut item.attrs),
        Item::Impl(item) if item.trait_.is_none() => Some(&mut item.attrs),
        _ => None,
    }
}

/// `source` with a blank line between items that take more than one line.
fn space(source: &str) -> String {
    let mut spaced = String::with_capacity(source.len() + source.len() / 16);
    let mut previous = "";
    for line in source.lines() {
        if indent(line) == indent(previous) && ends_item(previous) && starts_item(line) {
            spaced.push('\n');
        }
        spaced.push_str(line);
        spaced.push('\n');
        previous = line;
    }
    spaced
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn ends_item(line: &str) -> bool {
    let line = line.trim_start();
    let is_code = !line.starts_with("//");
    is_code && (line == "}" || line.ends_with(';') || line.ends_with("{}"))
}

fn starts_item(line: &str) -> bool {
    const STARTS: &[&str] = &["///", "#[", "pub ", "impl", "fn "];
    let line = line.trim_start();
    STARTS.iter().any(|start| line.starts_with(start))
}
