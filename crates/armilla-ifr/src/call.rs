//! Calls with JSON, by what is known of an operation.

use crate::model::Signature;
use armilla::dynamic::{DynAny, DynAnyError, ParameterMode, UnknownUserException};
use armilla::{Any, Error, Object, Orb, SystemException, TypeCode};
use serde_json::{Map, Value};
use std::fmt;

/// Why a call with JSON did not give a result.
#[derive(Debug)]
pub enum CallError {
    /// The arguments are not what the operation takes.
    Arguments(String),
    /// The object raised an exception that the IDL declares: its name and what it says.
    Raised {
        /// The scoped name, such as `Bank::InsufficientFunds`.
        name: String,
        /// Its members.
        members: Value,
    },
    /// The call failed.
    System(SystemException),
    /// What came back cannot be written as JSON.
    Result(DynAnyError),
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Arguments(what) => f.write_str(what),
            Self::Raised { name, members } => write!(f, "{name} {members}"),
            Self::System(exception) => exception.fmt(f),
            Self::Result(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CallError {}

impl Signature {
    /// Calls the operation on `object`. `arguments` are an object with the `in` and `inout`
    /// parameters by name, or an array of them in order; where there is just one it may stand for
    /// itself. What comes back is the result; or an object with the results by name, the one that
    /// the operation returns as `return`, where there are several. Valuetypes may be of types that inherit
    /// from the declared ones where the ORB of `object` [knows](Orb::register_value_type) those.
    ///
    /// # Errors
    /// [`CallError`]; only with [`CallError::System`] may something have been sent that was not
    /// answered.
    pub fn call(&self, object: &Object, arguments: &Value) -> Result<Value, CallError> {
        let orb = object.orb().map_err(CallError::System)?;
        let arguments = self.arguments(arguments, &orb)?;
        let mut request = self.request(object).map_err(CallError::System)?;
        for (index, value) in arguments.into_iter().enumerate() {
            if let Some(value) = value {
                request.set_argument(index, value);
            }
        }
        if self.oneway {
            return request.send_oneway().map(|()| Value::Null).map_err(CallError::System);
        }
        match request.invoke() {
            Ok(()) => {}
            Err(Error::System(exception)) => return Err(CallError::System(exception)),
            Err(Error::User(raised)) => return Err(raised_exception(&raised)),
        }
        let mut results = Map::new();
        if !matches!(self.result, TypeCode::Void) {
            let result = to_json(request.return_value()).map_err(CallError::Result)?;
            results.insert("return".to_owned(), result);
        }
        for argument in request.arguments().iter().filter(|a| a.mode() != ParameterMode::In) {
            let Some(value) = argument.value() else { continue };
            results.insert(argument.name().to_owned(), to_json(value).map_err(CallError::Result)?);
        }
        let single = results.len() == 1 && results.contains_key("return");
        Ok(match (single, results.is_empty()) {
            (true, _) => results.remove("return").unwrap_or_default(),
            (false, true) => Value::Null,
            (false, false) => Value::Object(results),
        })
    }

    /// The arguments, by the first reading of `json` that makes values of their types.
    fn arguments(&self, json: &Value, orb: &Orb) -> Result<Vec<Option<Any>>, CallError> {
        let sent = self.parameters.iter().filter(|(_, mode, _)| *mode != ParameterMode::Out);
        let names: Vec<&str> = sent.map(|(name, ..)| name.as_str()).collect();
        let mut failures = Vec::new();
        for values in readings(json, &names) {
            match self.read(&values, orb) {
                Ok(arguments) => return Ok(arguments),
                Err(error) => failures.push(error),
            }
        }
        let takes = format!("{} takes the arguments ({})", self.operation, names.join(", "));
        // An object is first of all the parameters by name, an array a sequence that stands alone.
        let failure = if json.is_object() { failures.first() } else { failures.last() };
        Err(CallError::Arguments(match failure {
            Some(failure) => format!("{failure}; {takes}"),
            None => takes,
        }))
    }

    /// The arguments with these values, in order; none for those that only come back.
    fn read(&self, values: &[&Value], orb: &Orb) -> Result<Vec<Option<Any>>, String> {
        let mut values = values.iter();
        let arguments = self.parameters.iter().map(|(name, mode, ty)| {
            if *mode == ParameterMode::Out {
                return Ok(None);
            }
            let json = values.next().copied().unwrap_or(&Value::Null);
            let value = DynAny::from_json_within(ty, json, orb).and_then(|value| value.to_any());
            value.map(Some).map_err(|error| format!("{name}: {error}"))
        });
        arguments.collect()
    }
}

/// What `json` may be meant to be: the parameters `names` by their names, in their order, or the only
/// one of them. `[1]` is a list with the only argument 1 or, if that is a sequence, itself.
fn readings<'j>(json: &'j Value, names: &[&str]) -> impl Iterator<Item = Vec<&'j Value>> {
    let by_name = json
        .as_object()
        .filter(|o| o.len() == names.len() && names.iter().all(|name| o.contains_key(*name)))
        .map(|o| names.iter().filter_map(|name| o.get(*name)).collect());
    let in_order = json
        .as_array()
        .filter(|array| array.len() == names.len())
        .map(|array| array.iter().collect());
    let alone = match names.len() {
        0 => json.is_null().then(Vec::new),
        1 => Some(vec![json]),
        _ => None,
    };
    by_name.into_iter().chain(in_order).chain(alone)
}

fn to_json(any: &armilla::Any) -> Result<Value, DynAnyError> {
    DynAny::from_any(any)?.to_json()
}

fn raised_exception(raised: &UnknownUserException) -> CallError {
    // `IDL:example.com/Bank/InsufficientFunds:1.0`; a step with a point in it is a prefix.
    let path = raised.repository_id().split(':').nth(1).unwrap_or_default();
    let steps: Vec<&str> = path.split('/').filter(|step| !step.contains('.')).collect();
    match to_json(&raised.exception) {
        Ok(members) => CallError::Raised { name: steps.join("::"), members },
        Err(error) => CallError::Result(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn taking(parameters: &[(&str, TypeCode)]) -> Signature {
        let named =
            |(name, ty): &(&str, TypeCode)| (name.to_string(), ParameterMode::In, ty.clone());
        Signature {
            operation: "work".to_owned(),
            parameters: parameters.iter().map(named).collect(),
            ..Signature::default()
        }
    }

    fn read(signature: &Signature, json: &Value) -> Result<Vec<Value>, String> {
        let orb = Orb::new().unwrap();
        let arguments = signature.arguments(json, &orb).map_err(|error| error.to_string())?;
        Ok(arguments.iter().map(|argument| to_json(argument.as_ref().unwrap()).unwrap()).collect())
    }

    #[test]
    fn arguments_come_by_name_or_in_order_and_a_single_one_may_stand_alone() {
        let two = taking(&[("count", TypeCode::Long), ("factor", TypeCode::Double)]);
        let values = Ok(vec![json!(2), json!(0.5)]);
        assert_eq!(read(&two, &json!({"factor": 0.5, "count": 2})), values);
        assert_eq!(read(&two, &json!([2, 0.5])), values);
        let one = taking(&[("count", TypeCode::Long)]);
        for json in [json!({"count": -2}), json!([-2]), json!(-2)] {
            assert_eq!(read(&one, &json), Ok(vec![json!(-2)]));
        }
        assert_eq!(read(&taking(&[]), &Value::Null), Ok(Vec::new()));
    }

    #[test]
    fn a_sequence_of_one_element_may_stand_alone_too() {
        let list = taking(&[("list", TypeCode::sequence(TypeCode::Long, 0))]);
        for json in [json!([5]), json!([[5]]), json!({"list": [5]})] {
            assert_eq!(read(&list, &json), Ok(vec![json!([5])]));
        }
    }

    #[test]
    fn what_fits_no_parameter_is_refused_with_what_would_fit() {
        let text = taking(&[("text", TypeCode::String(0))]);
        let misnamed = read(&text, &json!({"txt": "hello"})).unwrap_err();
        assert!(misnamed.ends_with("work takes the arguments (text)"), "{misnamed}");
        let list = taking(&[("list", TypeCode::sequence(TypeCode::Octet, 0))]);
        let high = read(&list, &json!([1, 300])).unwrap_err();
        assert!(high.starts_with("list: [1]: 300 is out of range"), "{high}");
    }
}
