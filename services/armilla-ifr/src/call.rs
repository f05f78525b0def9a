//! Calls with arguments and results in JSON.

use crate::model::Signature;
use crate::model::signature::Type;
use armilla::dynamic::{DynAny, DynAnyError, ParameterMode, UnknownUserException};
use armilla::{Any, Error, Object, Orb, SystemException, TypeCode};
use serde_json::{Map, Value};
use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;

/// Why a call with JSON failed.
///
/// [`Arguments`](Self::Arguments) is the caller's fault, and nothing was sent.
#[derive(Debug)]
#[non_exhaustive]
pub enum CallError {
    /// The arguments do not match the parameters of the operation.
    Arguments(String),
    /// The object raised a user exception.
    Raised {
        /// The scoped name, such as `Bank::InsufficientFunds`.
        name: String,
        /// Its members.
        members: Value,
    },
    /// The call failed with a system exception.
    System(SystemException),
    /// JSON cannot represent the result.
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
    /// Calls the operation on `object`.
    ///
    /// `arguments` is a JSON object with the `in` and `inout` parameters by name, an array of them
    /// in order, or a single argument. The result is the return value. If there are `out` or
    /// `inout` parameters, it is an object with all results by name, the return value as `return`.
    /// A value may be of a type derived from the declared valuetype if the ORB of `object`
    /// [knows](Orb::register_value_type) that type.
    ///
    /// # Errors
    /// [`CallError`]. Only [`CallError::System`] leaves open whether the operation was performed.
    ///
    /// # Examples
    /// ```
    /// # use armilla::Orb;
    /// use armilla_ifr::CallError;
    /// use armilla_ifr::model::Model;
    /// use serde_json::json;
    ///
    /// # fn compiled(idl: &str) -> armilla_idl::Compilation {
    /// #     armilla_idl::parse_str("greeter.idl", idl, &armilla_idl::Options::new()).unwrap()
    /// # }
    /// let mut model = Model::new();
    /// model.add_idl(&compiled("interface Greeter { string greet(in string name); };").model)?;
    /// let greeter = model.lookup_id("IDL:Greeter:1.0").unwrap();
    /// let greet = &model.signatures(greeter)?[0];
    ///
    /// let object = Orb::new()?.string_to_object("corbaloc::127.0.0.1:1/Greeter")?;
    /// let wrong = greet.call(&object, &json!({ "name": 7 })).unwrap_err();
    /// assert!(matches!(wrong, CallError::Arguments(_)));
    /// let nobody = greet.call(&object, &json!({ "name": "Ada" })).unwrap_err();
    /// assert!(matches!(nobody, CallError::System(_)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn call(&self, object: &Object, arguments: &Value) -> Result<Value, CallError> {
        self.call_with_types(object, arguments, &|_| None)
    }

    /// Does what [`call`](Self::call) does. `lookup` finds the types that the `"$type"` of an `any`
    /// names, by scoped name or repository id. In results such a type has its scoped name, and not
    /// its whole description.
    ///
    /// # Errors
    /// Those of [`call`](Self::call).
    pub fn call_with_types(
        &self,
        object: &Object,
        arguments: &Value,
        lookup: &dyn Fn(&str) -> Option<TypeCode>,
    ) -> Result<Value, CallError> {
        let orb = object.orb().map_err(CallError::System)?;
        let arguments = self.arguments(arguments, &orb, lookup)?;
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
        let names = Names { lookup, found: RefCell::default() };
        let to_json = |any: &Any| {
            let value = DynAny::from_any(any)?;
            value.to_json_with_types(&|code| names.of(code))
        };
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

    /// The arguments, by the first interpretation of `json` that fits their types.
    fn arguments(
        &self,
        json: &Value,
        orb: &Orb,
        lookup: &dyn Fn(&str) -> Option<TypeCode>,
    ) -> Result<Vec<Option<Any>>, CallError> {
        let sent = self.parameters.iter().filter(|(_, mode, _)| *mode != ParameterMode::Out);
        let names: Vec<&str> = sent.map(|(name, ..)| name.as_str()).collect();
        let mut failures = Vec::new();
        for values in interpretations(json, &names) {
            match self.read(&values, orb, lookup) {
                Ok(arguments) => return Ok(arguments),
                Err(error) => failures.push(error),
            }
        }
        // Report the interpretation that the caller most likely meant: an object as the parameters
        // by name, an array as a single argument.
        let failure = if json.is_object() { failures.first() } else { failures.last() };
        let failure = failure.cloned().or_else(|| mismatch(json, &names));
        let takes = self.takes();
        Err(CallError::Arguments(match failure {
            Some(failure) => format!("{failure}; {takes}"),
            None => takes,
        }))
    }

    /// Whether the operation has `in` or `inout` parameters.
    pub fn takes_arguments(&self) -> bool {
        self.parameters.iter().any(|(_, mode, _)| *mode != ParameterMode::Out)
    }

    /// Which arguments the operation takes, for messages: `withdraw takes the arguments (double
    /// amount)`.
    pub fn takes(&self) -> String {
        let sent = self.parameters.iter().filter(|(_, mode, _)| *mode != ParameterMode::Out);
        let sent: Vec<String> = sent.map(|(name, _, ty)| format!("{} {name}", Type(ty))).collect();
        match sent.is_empty() {
            true => format!("{} takes no arguments", self.operation),
            false => format!("{} takes the arguments ({})", self.operation, sent.join(", ")),
        }
    }

    /// The arguments with these values, in order; `None` for `out` parameters.
    fn read(
        &self,
        values: &[&Value],
        orb: &Orb,
        lookup: &dyn Fn(&str) -> Option<TypeCode>,
    ) -> Result<Vec<Option<Any>>, String> {
        let mut values = values.iter();
        let arguments = self.parameters.iter().map(|(name, mode, ty)| {
            if *mode == ParameterMode::Out {
                return Ok(None);
            }
            let json = values.next().copied().unwrap_or(&Value::Null);
            let value = DynAny::from_json_with_types(ty, json, orb, lookup)
                .and_then(|value| value.to_any());
            value.map(Some).map_err(|error| format!("{name}: {error}"))
        });
        arguments.collect()
    }
}

/// The possible meanings of `json`: the parameters `names` by name, in order, or a single argument.
/// `[1]` is a list with the argument 1, or a single argument that is a sequence.
fn interpretations<'j>(json: &'j Value, names: &[&str]) -> impl Iterator<Item = Vec<&'j Value>> {
    let by_name = json
        .as_object()
        .filter(|o| o.len() == names.len() && names.iter().all(|name| o.contains_key(*name)))
        .map(|o| names.iter().filter_map(|name| o.get(*name)).collect());
    let in_order = json
        .as_array()
        .filter(|array| array.len() == names.len())
        .map(|array| array.iter().collect());
    let single = match names.len() {
        0 => json.is_null().then(Vec::new),
        1 => Some(vec![json]),
        _ => None,
    };
    by_name.into_iter().chain(in_order).chain(single)
}

/// Why `json` is no list of the parameters `names`, if it looks like one.
fn mismatch(json: &Value, names: &[&str]) -> Option<String> {
    match json {
        Value::Object(object) => {
            let unknown = object.keys().find(|key| !names.contains(&key.as_str()));
            let missing = names.iter().find(|name| !object.contains_key(**name));
            let unknown = unknown.map(|name| format!("there is no parameter {name:?}"));
            unknown.or(missing.map(|name| format!("the argument {name:?} is missing")))
        }
        Value::Array(values) if values.len() != 1 => {
            Some(format!("{} arguments were given", values.len()))
        }
        Value::Null => None,
        _ => Some("one argument was given".to_owned()),
    }
}

/// The names of types, each looked up once for a call.
struct Names<'l> {
    lookup: &'l dyn Fn(&str) -> Option<TypeCode>,
    /// By repository id.
    found: RefCell<HashMap<String, Option<String>>>,
}

impl Names<'_> {
    /// The scoped name, such as `Bank::Account`, by which `lookup` finds just this type, or else
    /// the repository id. The steps of the id that may be a prefix are left out one by one.
    fn of(&self, code: &TypeCode) -> Option<String> {
        let id = code.id().filter(|id| !id.is_empty())?;
        if let Some(known) = self.found.borrow().get(id) {
            return known.clone();
        }
        let path = id.split(':').nth(1).unwrap_or_default();
        let steps: Vec<&str> = path.split('/').filter(|step| !step.contains('.')).collect();
        let names = (0..steps.len()).map(|first| steps[first..].join("::"));
        let mut names = names.chain([id.to_owned()]);
        let name = names.find(|name| (self.lookup)(name).as_ref() == Some(code));
        self.found.borrow_mut().insert(id.to_owned(), name.clone());
        name
    }
}

fn to_json(any: &armilla::Any) -> Result<Value, DynAnyError> {
    DynAny::from_any(any)?.to_json()
}

fn raised_exception(raised: &UnknownUserException) -> CallError {
    // `IDL:example.com/Bank/InsufficientFunds:1.0`; a step with a dot is a prefix.
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
        let arguments =
            signature.arguments(json, &orb, &|_| None).map_err(|error| error.to_string())?;
        Ok(arguments.iter().map(|argument| to_json(argument.as_ref().unwrap()).unwrap()).collect())
    }

    #[test]
    fn arguments_come_by_name_in_order_or_alone() {
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
    fn a_sequence_of_one_element_may_be_a_single_argument() {
        let list = taking(&[("list", TypeCode::sequence(TypeCode::Long, 0))]);
        for json in [json!([5]), json!([[5]]), json!({"list": [5]})] {
            assert_eq!(read(&list, &json), Ok(vec![json!([5])]));
        }
        let texts = taking(&[("texts", TypeCode::sequence(TypeCode::String(0), 0))]);
        for json in [json!(["xy"]), json!([["xy"]])] {
            assert_eq!(read(&texts, &json), Ok(vec![json!(["xy"])]));
        }
        let any = taking(&[("value", TypeCode::Any)]);
        let text = json!({"$type": {"kind": "string", "bound": 0}, "$value": "xy"});
        assert_eq!(
            read(&any, &json!(["xy"])).map(|all| all[0]["$value"].clone()),
            Ok(text["$value"].clone())
        );
    }

    #[test]
    fn what_does_not_fit_the_parameters_is_named() {
        let two = taking(&[("count", TypeCode::Long), ("factor", TypeCode::Double)]);
        for (arguments, wrong) in [
            (json!({"count": 1}), "the argument \"factor\" is missing"),
            (json!({"count": 1, "faktor": 2.0}), "there is no parameter \"faktor\""),
            (json!([1]), "one argument was given"),
            (json!([1, 2, 3]), "3 arguments were given"),
            (json!(5), "one argument was given"),
        ] {
            let takes = "work takes the arguments (long count, double factor)";
            assert_eq!(read(&two, &arguments), Err(format!("{wrong}; {takes}")));
        }
        let none = read(&taking(&[]), &json!(5)).unwrap_err();
        assert_eq!(none, "one argument was given; work takes no arguments");
    }

    #[test]
    fn a_type_has_the_name_by_which_it_is_found() {
        let price = TypeCode::alias("IDL:acme.com/Shop/Price:1.0", "Price", TypeCode::Double);
        let other = TypeCode::alias("IDL:acme.com/Other/Price:1.0", "Price", TypeCode::Double);
        let lookup = |name: &str| match name {
            "Shop::Price" => Some(price.clone()),
            "IDL:acme.com/Other/Price:1.0" => Some(other.clone()),
            _ => None,
        };
        let names = Names { lookup: &lookup, found: RefCell::default() };
        assert_eq!(names.of(&price).as_deref(), Some("Shop::Price"));
        assert_eq!(names.of(&other).as_deref(), Some("IDL:acme.com/Other/Price:1.0"));
        let changed = TypeCode::alias("IDL:acme.com/Shop/Price:1.0", "Price", TypeCode::Float);
        let names = Names { lookup: &lookup, found: RefCell::default() };
        assert_eq!(names.of(&changed), None);
        assert_eq!(names.of(&TypeCode::Long), None);
    }

    #[test]
    fn wrong_arguments_are_rejected_with_the_expected_ones() {
        let text = taking(&[("text", TypeCode::String(0))]);
        let misnamed = read(&text, &json!({"txt": "hello"})).unwrap_err();
        assert!(misnamed.ends_with("work takes the arguments (string text)"), "{misnamed}");
        let list = taking(&[("list", TypeCode::sequence(TypeCode::Octet, 0))]);
        let high = read(&list, &json!([1, 300])).unwrap_err();
        assert!(high.starts_with("list: [1]: 300 is out of range"), "{high}");
    }
}
