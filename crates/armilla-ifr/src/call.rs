//! Calls with JSON, by what is known of an operation.

use crate::model::Signature;
use armilla::dynamic::{DynAny, DynAnyError, NamedValue, ParameterMode, UnknownUserException};
use armilla::{Error, Object, SystemException, TypeCode};
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
    /// the operation returns as `return`, where there are several.
    ///
    /// # Errors
    /// [`CallError`]; only with [`CallError::System`] may something have been sent that was not
    /// answered.
    pub fn call(&self, object: &Object, arguments: &Value) -> Result<Value, CallError> {
        let mut request = object.request(self.operation.as_str());
        for argument in self.arguments(arguments)? {
            request.add(argument);
        }
        request.set_return_type(self.result.clone());
        for exception in &self.exceptions {
            request.add_exception(exception.clone());
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

    fn arguments(&self, json: &Value) -> Result<Vec<NamedValue>, CallError> {
        let sent = || self.parameters.iter().filter(|(_, mode, _)| *mode != ParameterMode::Out);
        let names: Vec<&str> = sent().map(|(name, ..)| name.as_str()).collect();
        let by_name = json
            .as_object()
            .filter(|o| o.len() == names.len() && names.iter().all(|name| o.contains_key(*name)));
        let in_order = json.as_array().filter(|array| array.len() == names.len());
        let values: Vec<&Value> = match (by_name, in_order) {
            (Some(object), _) => names.iter().filter_map(|name| object.get(*name)).collect(),
            (None, Some(array)) => array.iter().collect(),
            (None, None) if names.len() == 1 => vec![json],
            (None, None) if names.is_empty() && json.is_null() => Vec::new(),
            (None, None) => {
                let names = names.join(", ");
                let what = format!("{} takes the arguments ({names})", self.operation);
                return Err(CallError::Arguments(what));
            }
        };
        let mut values = values.into_iter();
        let arguments = self.parameters.iter().map(|(name, mode, ty)| {
            if *mode == ParameterMode::Out {
                return Ok(NamedValue::new(name, *mode, ty.clone()));
            }
            let json = values.next().unwrap_or(&Value::Null);
            let value = DynAny::from_json(ty, json).and_then(|value| value.to_any());
            let value = value.map_err(|e| CallError::Arguments(format!("{name}: {e}")))?;
            Ok(NamedValue::with_value(name, *mode, value))
        });
        arguments.collect()
    }
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
