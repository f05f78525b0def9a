//! `armilla trader export`, `export-proxy`, `describe`, `modify`, `withdraw` and `offers`.

use super::{Service, explain, query, values};
use armilla::{Error, Object};
use armilla_cos_trading::register::{DescribeRaises, WithdrawUsingConstraintRaises};
use armilla_cos_trading::{
    Admin, OfferIdIterator, Property, Proxy, Register, RegisterRef, TraderComponents,
};
use armilla_terminal::{Failure, Outcome, one_line, say};

/// The arguments of `armilla trader export`.
#[derive(Debug, clap::Args)]
pub(crate) struct Export {
    /// The service type
    #[arg(value_name = "TYPE")]
    service_type: String,
    /// The object
    #[arg(value_name = "REF")]
    reference: String,
    /// Properties. A value is JSON; the quotes of a string are optional
    #[arg(value_name = "NAME=VALUE")]
    properties: Vec<String>,
}

/// The arguments of `armilla trader export-proxy`.
#[derive(Debug, clap::Args)]
pub(crate) struct ExportProxy {
    /// The service type
    #[arg(value_name = "TYPE")]
    service_type: String,
    /// The `Lookup` of the trader to ask
    #[arg(value_name = "REF")]
    target: String,
    /// Properties. A value is JSON; the quotes of a string are optional
    #[arg(value_name = "NAME=VALUE")]
    properties: Vec<String>,
    /// The constraint for that trader: $* stands for the constraint of a query, $(NAME) for the
    /// value of a property
    #[arg(long, value_name = "RECIPE", default_value = "$*")]
    recipe: String,
    /// Let the proxy offer match every constraint
    #[arg(long)]
    match_all: bool,
}

/// The arguments of `armilla trader modify`.
#[derive(Debug, clap::Args)]
pub(crate) struct Modify {
    /// The id of the offer
    id: String,
    /// Properties to change or add
    #[arg(value_name = "NAME=VALUE")]
    properties: Vec<String>,
    /// Delete this property; repeatable
    #[arg(long, value_name = "NAME")]
    delete: Vec<String>,
}

/// The arguments of `armilla trader withdraw`.
#[derive(Debug, clap::Args)]
pub(crate) struct Withdraw {
    /// The ids of the offers
    #[arg(value_name = "ID", required_unless_present = "service_type")]
    ids: Vec<String>,
    /// Withdraw the offers of this service type that match --constraint
    #[arg(long = "type", value_name = "TYPE", requires = "constraint", conflicts_with = "ids")]
    service_type: Option<String>,
    /// The constraint; an empty one matches every offer
    #[arg(long, value_name = "CONSTRAINT", requires = "service_type")]
    constraint: Option<String>,
    /// Only say how many offers match --constraint; withdraw none
    #[arg(long, requires = "constraint")]
    dry_run: bool,
}

/// The arguments of `armilla trader offers`.
#[derive(Debug, clap::Args)]
pub(crate) struct Offers {
    /// List the proxy offers instead
    #[arg(long)]
    proxies: bool,
}

pub(super) fn register(service: &Service) -> Outcome<RegisterRef> {
    supported(service.lookup.register_if()?, "Register")
}

/// An interface of the trader, which may not have it.
pub(super) fn supported<I: armilla::codegen::Interface + ?Sized>(
    reference: armilla::Ref<I>,
    name: &str,
) -> Outcome<armilla::Ref<I>> {
    match reference.is_nil() {
        true => Err(Failure::because(format!("the trader does not support {name}"))),
        false => Ok(reference),
    }
}

/// Properties of a service type from the command line.
fn properties(service: &Service, service_type: &str, texts: &[String]) -> Outcome<Vec<Property>> {
    if texts.is_empty() {
        return Ok(Vec::new());
    }
    let declared = explain::full_type(service, service_type)?.props;
    texts.iter().map(|text| values::property(text, &declared, &service.orb)).collect()
}

pub(super) fn export(export: &Export, service: &Service) -> Outcome {
    let properties = properties(service, &export.service_type, &export.properties)?;
    let object = service.orb.string_to_object(&export.reference)?;
    let exported = register(service)?.export(&object, &export.service_type, &properties);
    let id = exported.map_err(|error| explain::export(service, &export.service_type, error))?;
    say!("{id}")
}

pub(super) fn export_proxy(export: &ExportProxy, service: &Service) -> Outcome {
    let properties = properties(service, &export.service_type, &export.properties)?;
    let target = service.orb.string_to_object(&export.target)?.narrow()?;
    let proxy = supported(service.lookup.proxy_if()?, "Proxy")?;
    let id = proxy.export_proxy(
        &target,
        &export.service_type,
        &properties,
        export.match_all,
        &export.recipe,
        &[],
    )?;
    say!("{id}")
}

pub(super) fn describe(id: &str, service: &Service) -> Outcome {
    match register(service)?.describe(id) {
        Ok(info) => {
            say!("type       {}", info.r#type)?;
            say!("reference  {}", described(&info.reference))?;
            show(&info.properties)
        }
        Err(Error::User(DescribeRaises::ProxyOfferId(_))) => {
            let info = supported(service.lookup.proxy_if()?, "Proxy")?.describe_proxy(id)?;
            say!("type       {}", info.r#type)?;
            say!("target     {}", described(info.target.object()))?;
            say!("recipe     {}", info.recipe)?;
            say!("matches    {}", if info.if_match_all { "every query" } else { "as others" })?;
            show(&info.properties)
        }
        Err(other) => Err(other.into()),
    }
}

fn show(properties: &[Property]) -> Outcome {
    let width = properties.iter().map(|p| p.name.chars().count()).max().unwrap_or_default();
    properties.iter().try_for_each(|property| {
        say!("  {:<width$}  {}", property.name, values::json(&property.value))
    })
}

pub(super) fn modify(modify: &Modify, service: &Service) -> Outcome {
    let register = register(service)?;
    let service_type = register.describe(&modify.id)?.r#type;
    let properties = properties(service, &service_type, &modify.properties)?;
    Ok(register.modify(&modify.id, &modify.delete, &properties)?)
}

pub(super) fn withdraw(withdraw: &Withdraw, service: &Service) -> Outcome {
    let register = register(service)?;
    if let (Some(service_type), Some(constraint)) = (&withdraw.service_type, &withdraw.constraint) {
        let count = query::count(service, service_type, constraint);
        let count = count.map_or_else(|| "the".to_owned(), |count| count.to_string());
        if withdraw.dry_run {
            return say!("{count} offers of {} match", one_line(service_type));
        }
        return match register.withdraw_using_constraint(service_type, constraint) {
            Err(Error::User(WithdrawUsingConstraintRaises::IllegalConstraint(_))) => {
                Err(explain::constraint(service, service_type, constraint))
            }
            Err(Error::User(WithdrawUsingConstraintRaises::UnknownServiceType(_))) => {
                Err(explain::unknown_type(service, service_type))
            }
            other => {
                other?;
                eprintln!("{count} offers of {} that match were withdrawn", one_line(service_type));
                Ok(())
            }
        };
    }
    withdraw.ids.iter().try_for_each(|id| register.withdraw(id))?;
    eprintln!("{} offers withdrawn", withdraw.ids.len());
    Ok(())
}

pub(super) fn list(options: &Offers, service: &Service) -> Outcome {
    all_ids(service, options.proxies)?.iter().try_for_each(|id| say!("{id}"))
}

/// The ids of all offers, or of all proxy offers.
pub(super) fn all_ids(service: &Service, proxies: bool) -> Outcome<Vec<String>> {
    let admin = supported(service.lookup.admin_if()?, "Admin")?;
    let (mut ids, rest) = match proxies {
        true => admin.list_proxies(1_000)?,
        false => admin.list_offers(1_000)?,
    };
    let mut more = !rest.is_nil();
    while more {
        let (further, taken) = rest.next_n(1_000)?;
        more = further && !taken.is_empty();
        ids.extend(taken);
    }
    if !rest.is_nil() {
        rest.destroy()?;
    }
    Ok(ids)
}

/// An object as an operator knows it: interface, first address, key.
pub(super) fn described(object: &Object) -> String {
    let ior = object.ior();
    let interface = match ior.type_id.as_str() {
        "" => "an object",
        id => id,
    };
    match ior.iiop_profiles().next() {
        Some(Ok(profile)) => format!(
            "{} at {}:{}, key \"{}\"",
            one_line(interface),
            one_line(&profile.host),
            profile.port,
            profile.object_key.escape_ascii()
        ),
        _ => format!("{} without an address by TCP", one_line(interface)),
    }
}
