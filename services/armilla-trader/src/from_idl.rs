//! Service types from IDL: an interface and its attributes.

use armilla::TypeCode;
use armilla_cos_trading::repos::service_type_repository::{PropStruct, PropertyMode};
use armilla_ifr::model::{DefId, Model, ModelError, Signature};

/// The properties that the attributes of an interface suggest, inherited ones too. A `readonly`
/// attribute becomes a property that offers cannot change. Properties in `mandatory` are
/// mandatory.
///
/// ```
/// use armilla_ifr::model::Model;
/// use armilla_trader::properties_of_interface;
///
/// let idl = "interface Printer { readonly attribute string name; attribute double price; };";
/// let options = armilla_idl::Options::new();
/// let compiled = armilla_idl::parse_str("printer.idl", idl, &options).unwrap();
/// let mut model = Model::new();
/// model.add_idl(&compiled.model)?;
/// let printer = model.lookup_id("IDL:Printer:1.0").unwrap();
/// let properties = properties_of_interface(&model, printer, &["name"])?;
/// assert_eq!(format!("{:?}", properties[0].mode), "PropMandatoryReadonly");
/// assert_eq!(properties[1].name, "price");
/// # Ok::<(), armilla_ifr::model::ModelError>(())
/// ```
///
/// # Errors
/// A type is invalid.
pub fn properties_of_interface(
    model: &Model,
    interface: DefId,
    mandatory: &[impl AsRef<str>],
) -> Result<Vec<PropStruct>, ModelError> {
    let signatures = model.signatures(interface)?;
    let getters = signatures.iter().filter_map(|signature| {
        Some((signature.operation.strip_prefix("_get_")?, &signature.result))
    });
    let properties = getters.map(|(name, ty)| PropStruct {
        name: name.to_owned(),
        value_type: ty.clone(),
        mode: mode(name, &signatures, mandatory),
    });
    Ok(properties.filter(|property| property.value_type != TypeCode::Void).collect())
}

fn mode(name: &str, signatures: &[Signature], mandatory: &[impl AsRef<str>]) -> PropertyMode {
    let setter = format!("_set_{name}");
    let is_readonly = signatures.iter().all(|signature| signature.operation != setter);
    match (mandatory.iter().any(|known| known.as_ref() == name), is_readonly) {
        (true, true) => PropertyMode::PropMandatoryReadonly,
        (true, false) => PropertyMode::PropMandatory,
        (false, true) => PropertyMode::PropReadonly,
        (false, false) => PropertyMode::PropNormal,
    }
}
