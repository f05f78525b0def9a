//! `armilla trader types` and `type`.

use super::{Service, explain};
use armilla::ExceptionKind;
use armilla_cos_trading::repos::ServiceTypeRepository;
use armilla_cos_trading::repos::service_type_repository::{
    IncarnationNumber, ListOption, PropStruct, PropertyMode, SpecifiedServiceTypes,
};
use armilla_ifr::model::{Kind, ROOT};
use armilla_naming::client::each;
use armilla_terminal::{Failure, Outcome, say};
use std::path::PathBuf;

/// The arguments of `armilla trader type`.
#[derive(Debug, clap::Args)]
pub(crate) struct Type {
    /// The service type; with --from-idl, the interface, such as Office::Printer
    name: String,
    /// Add a service type with the attributes of an interface in this IDL file as properties
    #[arg(long, value_name = "FILE")]
    from_idl: Option<PathBuf>,
    /// Search this directory for included files; repeatable
    #[arg(short = 'I', value_name = "DIR", requires = "from_idl")]
    include: Vec<PathBuf>,
    /// The name of the new service type [default: the name of the interface]
    #[arg(long = "as", value_name = "NAME", requires = "from_idl")]
    rename: Option<String>,
    /// Every offer must have these properties
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', requires = "from_idl")]
    mandatory: Vec<String>,
    /// The new service type derives from this one; repeatable
    #[arg(long = "super", value_name = "TYPE", requires = "from_idl")]
    super_types: Vec<String>,
    /// Remove the service type
    #[arg(long, conflicts_with_all = ["from_idl", "mask", "unmask"])]
    remove: bool,
    /// Take no more offers of the service type itself
    #[arg(long, conflicts_with_all = ["from_idl", "unmask"])]
    mask: bool,
    /// Take offers of the service type again
    #[arg(long, conflicts_with = "from_idl")]
    unmask: bool,
}

pub(super) fn list(service: &Service) -> Outcome {
    let types = service.types()?;
    let all = SpecifiedServiceTypes::Unlisted { discriminator: ListOption::All };
    let names = match types.list_types(&all) {
        // TAO reads a boolean behind this, which the standard does not have; it is not needed to ask
        // for all types since the first one.
        Err(error) if error.kind() == ExceptionKind::Marshal => {
            let first = IncarnationNumber { high: 0, low: 0 };
            types.list_types(&SpecifiedServiceTypes::Incarnation(first))?
        }
        names => names?,
    };
    let is_masked = each(&names, |name| types.describe_type(name).is_ok_and(|it| it.masked));
    names.iter().zip(is_masked).try_for_each(|(name, is_masked)| match is_masked {
        true => say!("{name}\tmasked: takes no offers"),
        false => say!("{name}"),
    })
}

pub(super) fn run(options: &Type, service: &Service) -> Outcome {
    let types = service.types()?;
    if let Some(file) = &options.from_idl {
        return add(options, file, service);
    }
    if options.remove {
        return Ok(types.remove_type(&options.name)?);
    }
    if options.mask {
        return Ok(types.mask_type(&options.name)?);
    }
    if options.unmask {
        return Ok(types.unmask_type(&options.name)?);
    }
    show(service, &options.name)
}

fn show(service: &Service, name: &str) -> Outcome {
    let full = explain::full_type(service, name)?;
    say!("interface    {}", full.if_name)?;
    if !full.super_types.is_empty() {
        say!("derives from {}", full.super_types.join(", "))?;
    }
    if full.masked {
        say!("masked       takes no offers of its own")?;
    }
    let width = full.props.iter().map(|p| p.name.chars().count()).max().unwrap_or_default();
    full.props.iter().try_for_each(|property| {
        let (name, ty) = (&property.name, armilla_ifr::model::type_name(&property.value_type));
        say!("  {name:<width$}  {ty}{}", mode(property))
    })
}

fn mode(property: &PropStruct) -> &'static str {
    match property.mode {
        PropertyMode::PropNormal => "",
        PropertyMode::PropReadonly => ", readonly",
        PropertyMode::PropMandatory => ", mandatory",
        PropertyMode::PropMandatoryReadonly => ", mandatory, readonly",
    }
}

fn add(options: &Type, file: &std::path::Path, service: &Service) -> Outcome {
    let model = crate::ifr::model(&[file.to_owned()], &options.include)?;
    let scoped = format!("::{}", options.name.trim_start_matches("::"));
    let interface = model
        .lookup_id(&options.name)
        .or_else(|| model.lookup(ROOT, &scoped))
        .filter(|id| model.get(*id).is_some_and(|d| matches!(d.kind, Kind::Interface { .. })));
    let Some(interface) = interface else {
        let what = format!("{} declares no interface {:?}", file.display(), options.name);
        return Err(Failure::because(what));
    };
    let mut properties =
        armilla_trader::properties_of_interface(&model, interface, &options.mandatory)?;
    for name in &options.super_types {
        inherit(&mut properties, &explain::full_type(service, name)?.props);
    }
    if let Some(unknown) =
        options.mandatory.iter().find(|name| properties.iter().all(|p| p.name != **name))
    {
        let what = format!("the interface has no attribute {unknown:?}");
        return Err(Failure::usage(what));
    }
    let name = options.rename.as_ref().unwrap_or(&options.name);
    let repository_id = &model.definition(interface)?.id;
    service.types()?.add_type(name, repository_id, &properties, &options.super_types)?;
    show(service, name)
}

/// What a supertype demands of a property the new type demands, too.
fn inherit(properties: &mut [PropStruct], inherited: &[PropStruct]) {
    for property in properties {
        let above = inherited.iter().find(|above| above.name == property.name);
        let [own, above] = [Some(&*property), above].map(|it| it.map_or((false, false), demands));
        property.mode = match (own.0 || above.0, own.1 || above.1) {
            (false, false) => PropertyMode::PropNormal,
            (false, true) => PropertyMode::PropReadonly,
            (true, false) => PropertyMode::PropMandatory,
            (true, true) => PropertyMode::PropMandatoryReadonly,
        };
    }
}

/// Whether a property is mandatory, and whether it is readonly.
const fn demands(property: &PropStruct) -> (bool, bool) {
    match property.mode {
        PropertyMode::PropNormal => (false, false),
        PropertyMode::PropReadonly => (false, true),
        PropertyMode::PropMandatory => (true, false),
        PropertyMode::PropMandatoryReadonly => (true, true),
    }
}
