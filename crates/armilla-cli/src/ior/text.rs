//! The contents of a reference as text: one line for each value, indented by depth.

use super::contents::Contents;
use serde_json::Value;

/// The contents as text.
pub(super) fn text(contents: &Contents) -> String {
    let mut text = String::new();
    contents.iter().for_each(|(name, value)| fact(name, value, 0, &mut text));
    text
}

fn fact(name: &str, value: &Value, depth: usize, text: &mut String) {
    match value {
        Value::Array(items) if items.iter().all(Value::is_object) => {
            items.iter().filter_map(Value::as_object).for_each(|item| paragraph(item, depth, text));
        }
        value => line(depth, &format!("{}: {}", name.replace('_', " "), words(value)), text),
    }
}

/// The first two members are the headline, "component 1: TAG_CODE_SETS".
fn paragraph(members: &Contents, depth: usize, text: &mut String) {
    let mut members = members.iter();
    if let (Some((kind, id)), Some((_, name))) = (members.next(), members.next()) {
        line(depth, &format!("{kind} {}: {}", words(id), words(name)), text);
    }
    members.for_each(|(name, value)| fact(name, value, depth + 1, text));
}

/// A value on one line.
fn words(value: &Value) -> String {
    let joined = |words: Vec<String>| words.join(", ");
    match value {
        Value::String(text) if text.is_empty() => "(empty)".to_owned(),
        Value::String(text) => text.clone(),
        Value::Bool(yes) => if *yes { "yes" } else { "no" }.to_owned(),
        Value::Array(items) => joined(items.iter().map(words).collect()),
        Value::Object(members) => {
            joined(members.iter().map(|(name, value)| format!("{name} {}", words(value))).collect())
        }
        other => other.to_string(),
    }
}

fn line(depth: usize, words: &str, text: &mut String) {
    text.push_str(&"  ".repeat(depth));
    text.push_str(words);
    text.push('\n');
}
