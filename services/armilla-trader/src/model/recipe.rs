//! Recipes: how a proxy offer makes the constraint for its target (Trading Object Service 1.0,
//! 2.4.5).
//!
//! `$*` stands for the client's constraint, `$(NAME)` for the value of a property of the proxy
//! offer, and `\` takes the meaning from the character after it. All else is copied.

use crate::constraint::Value;

/// A part of a recipe.
enum Part<'r> {
    Character(char),
    Constraint,
    Property(&'r str),
}

/// Whether a recipe follows the grammar.
pub(crate) fn is_legal(recipe: &str) -> bool {
    parts(recipe, |_| Some(())).is_some()
}

/// The constraint that a recipe makes. `None` if a property has no value that can be written.
pub(crate) fn constraint<'r>(
    recipe: &'r str,
    primary: &str,
    property: impl Fn(&'r str) -> Option<Value>,
) -> Option<String> {
    let mut constraint = String::new();
    parts(recipe, |part| {
        match part {
            Part::Character(character) => constraint.push(character),
            Part::Constraint => constraint.push_str(primary),
            Part::Property(name) => constraint.push_str(&literal(&property(name)?)?),
        }
        Some(())
    })?;
    Some(constraint)
}

/// Hands over the parts of a recipe. `None` if it is malformed, or `take` wants no more.
fn parts<'r>(recipe: &'r str, mut take: impl FnMut(Part<'r>) -> Option<()>) -> Option<()> {
    let mut rest = recipe;
    while let Some(first) = rest.chars().next() {
        rest = rest.get(first.len_utf8()..)?;
        match first {
            '\\' => {
                let escaped = rest.chars().next()?;
                rest = rest.get(escaped.len_utf8()..)?;
                take(Part::Character(escaped))?;
            }
            '$' => {
                if let Some(after) = rest.strip_prefix('*') {
                    rest = after;
                    take(Part::Constraint)?;
                } else {
                    let (name, after) = rest.strip_prefix('(')?.split_once(')')?;
                    if !super::is_identifier(name) {
                        return None;
                    }
                    rest = after;
                    take(Part::Property(name))?;
                }
            }
            other => take(Part::Character(other))?,
        }
    }
    Some(())
}

/// A value as the constraint language writes it.
fn literal(value: &Value) -> Option<String> {
    match value {
        Value::Boolean(true) => Some("TRUE".to_owned()),
        Value::Boolean(false) => Some("FALSE".to_owned()),
        Value::Integer(integer) => Some(integer.to_string()),
        Value::Float(float) if float.is_finite() => Some(format!("{float:?}")),
        Value::Text(text) => Some(format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recipes_make_constraints() {
        let property = |name: &str| match name {
            "city" => Some(Value::Text("O'Hare".into())),
            "limit" => Some(Value::Float(1e3)),
            _ => None,
        };
        let made = |recipe| constraint(recipe, "price < 3", property);
        assert_eq!(made("$*").as_deref(), Some("price < 3"));
        assert_eq!(
            made("($*) and town == $(city)").as_deref(),
            Some(r"(price < 3) and town == 'O\'Hare'")
        );
        assert_eq!(made(r"cost < $(limit) \$\\").as_deref(), Some(r"cost < 1000.0 $\"));
        assert_eq!(made("$(unknown)"), None);
        for malformed in ["$", "$x", "$(city", "$()", "\\", "$(a b)"] {
            assert!(!is_legal(malformed), "{malformed}");
        }
        assert!(is_legal("") && is_legal("$*$(x)") && is_legal("\\$"));
    }
}
