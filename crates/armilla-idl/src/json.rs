//! A JSON writer for the dump and the diagnostics.

use std::fmt::Write;

/// A JSON value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Json {
    Boolean(bool),
    Integer(i128),
    Float(f64),
    /// A number as it is written.
    Number(String),
    String(String),
    List(Vec<Json>),
    Object(Vec<(&'static str, Json)>),
}

impl Json {
    /// A list of strings.
    pub(crate) fn strings(strings: impl IntoIterator<Item = String>) -> Json {
        Json::List(strings.into_iter().map(Json::String).collect())
    }

    /// Appends the value on one line.
    pub(crate) fn write(&self, out: &mut String) {
        match self {
            Json::Boolean(value) => out.push_str(if *value { "true" } else { "false" }),
            // Writing to a string cannot fail.
            Json::Integer(value) => drop(write!(out, "{value}")),
            Json::Float(value) if value.is_finite() => drop(write!(out, "{value:?}")),
            Json::Number(text) => out.push_str(text),
            Json::Float(_) => out.push_str("null"),
            Json::String(text) => string(text, out),
            Json::List(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    out.push_str(if index == 0 { "" } else { "," });
                    item.write(out);
                }
                out.push(']');
            }
            Json::Object(members) => {
                out.push('{');
                for (index, (name, value)) in members.iter().enumerate() {
                    out.push_str(if index == 0 { "" } else { "," });
                    string(name, out);
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
            }
        }
    }
}

fn string(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c < ' ' => drop(write!(out, "\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Json::String(text.to_owned())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Self {
        Json::String(text)
    }
}

#[cfg(test)]
mod tests {
    use super::Json;

    #[test]
    fn values_stand_on_one_line() {
        let value = Json::Object(vec![
            ("name", Json::from("a\"b\\\n\u{1}é")),
            ("list", Json::List(vec![Json::Integer(-1), Json::Float(2.0), Json::Boolean(true)])),
        ]);
        let mut text = String::new();
        value.write(&mut text);
        assert_eq!(text, r#"{"name":"a\"b\\\n\u0001é","list":[-1,2.0,true]}"#);
    }
}
