//! `armilla com`: objects of COM, as they describe themselves, and calls by name.

mod account;
mod object;

use account::Account;
use armilla_dcom::automation::json::{from_json, to_json};
use armilla_dcom::automation::type_info::{Type, TypeDescription, passing};
use armilla_dcom::automation::{Variant, dispatch};
use armilla_dcom::client::Proxy;
use armilla_terminal::{Failure, Outcome, say};
use object::ComObject;
use serde_json::Value;

/// The arguments of `armilla com`.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Com {
    /// Show what an object has: its interface, or its class and interfaces
    Show(Show),
    /// Call a member of an object by its name, with arguments in JSON
    Call(Call),
}

/// The arguments of `armilla com show`.
#[derive(Debug, clap::Args)]
pub(crate) struct Show {
    #[command(flatten)]
    account: Account,
    #[command(flatten)]
    object: ComObject,
}

/// The arguments of `armilla com call`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The result is printed as JSON; one argument that the object changes, or more, make \
                  it an object\nwith their names. A text that is not JSON is a string, so its quotes \
                  may be left out. What an\nobject describes of its parameters decides what a number, a \
                  text\nor an array becomes; arrays of several dimensions are arrays of arrays."
)]
pub(crate) struct Call {
    #[command(flatten)]
    account: Account,
    #[command(flatten)]
    object: ComObject,
    /// The method; NAME of a property reads it, NAME=JSON writes it
    member: String,
    /// The arguments, in the order of the parameters
    #[arg(value_name = "JSON", allow_negative_numbers = true)]
    arguments: Vec<String>,
}

pub(crate) fn run(com: &Com) -> Outcome {
    match com {
        Com::Show(show) => self::show(show),
        Com::Call(call) => self::call(call),
    }
}

fn show(options: &Show) -> Outcome {
    let object = options.object.activate(&options.account.client()?)?;
    let described = object.describe().map_err(Failure::because)?;
    if described.is_empty() {
        return Err(Failure::because("the object does not say what it has"));
    }
    described.iter().try_for_each(|ty| say!("{ty}"))
}

fn call(options: &Call) -> Outcome {
    let object = options.object.activate(&options.account.client()?)?;
    let described = object.describe().map_err(Failure::because)?;
    let ty = described.iter().find(|ty| !ty.functions.is_empty());
    match options.member.split_once('=') {
        Some((name, _)) if !options.arguments.is_empty() => {
            Err(Failure::usage(format!("{name}= has its value behind it, and no arguments")))
        }
        Some((name, value)) => {
            let value = argument(ty, (name, dispatch::flags::PUT), 0, value)?.value;
            object.put(name, value).map_err(Failure::because)
        }
        None => invoke(&object, ty, &options.member, &options.arguments),
    }
}

/// An argument, and the name of its parameter if the object changes that.
struct Argument {
    value: Variant,
    changed: Option<String>,
}

fn argument(
    ty: Option<&TypeDescription>,
    (name, how): (&str, u32),
    place: usize,
    text: &str,
) -> Outcome<Argument> {
    let function = ty.and_then(|ty| ty.named(name).find(|it| it.how == how));
    let parameter = function.and_then(|function| function.parameters.get(place));
    let json = match serde_json::from_str(text) {
        // A text that looks like a number: with the digits that it has.
        Ok(Value::Number(_)) if parameter.is_some_and(|it| is_text(&it.ty)) => Value::from(text),
        Ok(json) => json,
        Err(_) if !text.starts_with(['{', '[', '"']) => Value::from(text),
        Err(error) => {
            return Err(Failure::usage(format!("{text} is not valid JSON: {error}")));
        }
    };
    let value = from_json(&json, parameter.map(|it| &it.ty));
    let value = value.map_err(|what| match parameter {
        Some(parameter) => Failure::usage(format!("{}: {what}", parameter.name)),
        None => Failure::usage(what),
    })?;
    let changed = parameter.filter(|it| it.passing & passing::OUT != 0).map(|it| it.name.clone());
    Ok(Argument { value, changed })
}

fn is_text(ty: &Type) -> bool {
    match ty {
        Type::Pointer(to) => is_text(to),
        ty => *ty == Type::BSTR,
    }
}

fn invoke(object: &Proxy, ty: Option<&TypeDescription>, name: &str, texts: &[String]) -> Outcome {
    let how = dispatch::flags::METHOD;
    let given = texts.iter().enumerate();
    let given = given.map(|(place, text)| argument(ty, (name, how), place, text));
    let mut given: Vec<Argument> = given.collect::<Outcome<_>>()?;
    // What the object only gives need not be given.
    let function = ty.and_then(|ty| ty.named(name).find(|it| it.how == how));
    let rest = given.len();
    for parameter in function.iter().flat_map(|it| it.parameters.iter().skip(rest)) {
        if parameter.passing & (passing::IN | passing::OUT) != passing::OUT {
            break;
        }
        given.push(Argument { value: Variant::Empty, changed: Some(parameter.name.clone()) });
    }
    let member = object.member(name).map_err(Failure::because)?;
    let values = given.iter().map(|argument| match &argument.changed {
        Some(_) => Variant::VariantReference(Box::new(argument.value.clone())),
        None => argument.value.clone(),
    });
    let mut values: Vec<Variant> = values.collect();
    // Programs in Basic do not distinguish a function from a property with parameters.
    let how = dispatch::flags::METHOD | dispatch::flags::GET;
    let result = object.invoke_changing(member, how, &mut values).map_err(Failure::because)?;
    let changed = given.iter().zip(&values).filter_map(|(argument, value)| {
        argument.changed.clone().map(|name| (name, to_json(value)))
    });
    let changed: serde_json::Map<String, Value> = changed.collect();
    match (result, changed.is_empty()) {
        (Variant::Empty, true) => Ok(()),
        (result, true) => say!("{}", to_json(&result)),
        (Variant::Empty, false) => say!("{}", Value::from(changed)),
        (result, false) => {
            let mut all = serde_json::Map::from_iter([("result".to_owned(), to_json(&result))]);
            all.extend(changed);
            say!("{}", Value::from(all))
        }
    }
}
