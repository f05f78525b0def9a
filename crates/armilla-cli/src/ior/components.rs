//! The components of a profile, each decoded as far as its layout is known.

use super::contents::{Contents, data, malformed, members};
use super::{names, policies};
use armilla::transport::SameHostEndpoint;
use armilla_cdr::{ByteOrder, CdrResult, Decoder};
use armilla_giop::ior::{
    AlternateAddress, AssociationOptions, CodeSetComponent, CodeSetComponentInfo, Component,
    CompoundSecMech, CsiSecMechList, FtGroup, FtHeartbeatEnabled, FtPrimary, IiopEndpoints,
    OrbType, Policies, SslSecTrans, TaggedComponent, TlsSecTrans, UiopEndpoints,
};
use serde_json::{Map, Value, json};

/// The profile in which a component stands.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Within {
    /// A profile of UIOP, whose endpoints are paths.
    Uiop,
    /// Any other profile.
    Other,
}

/// The components of a profile, numbered from 1.
pub(super) fn components(components: &[TaggedComponent], within: Within) -> Vec<Value> {
    let numbered = components.iter().enumerate();
    numbered.map(|(index, component)| numbered_component(index + 1, component, within)).collect()
}

fn numbered_component(number: usize, component: &TaggedComponent, within: Within) -> Value {
    let mut contents = members(json!({
        "component": number,
        "name": names::component(component.id),
        "tag": names::tag(component.id),
    }));
    contents.extend(decoded(component, within));
    Value::Object(contents)
}

fn decoded(component: &TaggedComponent, within: Within) -> Contents {
    match component.id {
        OrbType::ID => understood(
            component,
            |OrbType(number)| json!({ "orb": names::orb(number), "number": names::tag(number) }),
        ),
        CodeSetComponentInfo::ID => understood(
            component,
            |sets: CodeSetComponentInfo| json!({ "char": code_sets(&sets.char), "wchar": code_sets(&sets.wchar) }),
        ),
        Policies::ID => understood(
            component,
            |Policies(all)| json!({ "policies": all.iter().map(policies::policy).collect::<Vec<_>>() }),
        ),
        AlternateAddress::ID => understood(
            component,
            |address: AlternateAddress| json!({ "host": address.host, "port": address.port }),
        ),
        SslSecTrans::ID => understood(component, |ssl: SslSecTrans| {
            json!({
                "port": ssl.port,
                "supports": options(ssl.target_supports),
                "requires": options(ssl.target_requires),
            })
        }),
        FtGroup::ID => understood(
            component,
            |it: FtGroup| json!({ "domain": it.domain, "group": it.group, "version": it.version }),
        ),
        FtPrimary::ID => understood(component, |FtPrimary(yes)| json!({ "primary": yes })),
        FtHeartbeatEnabled::ID => {
            understood(component, |FtHeartbeatEnabled(yes)| json!({ "heartbeats": yes }))
        }
        SameHostEndpoint::ID => understood(component, |it| same_host(&it)),
        TlsSecTrans::ID => understood(component, |tls| tls_members(&tls)),
        CsiSecMechList::ID => understood(component, |list| mechanisms(&list)),
        IiopEndpoints::ID if within == Within::Uiop => {
            understood(component, |UiopEndpoints(all)| {
                let text = |it: &armilla_giop::ior::UiopEndpoint| {
                    format!("{} priority {}", it.rendezvous_point, it.priority)
                };
                json!({ "endpoints": all.iter().map(text).collect::<Vec<_>>() })
            })
        }
        IiopEndpoints::ID => understood(component, |IiopEndpoints(all)| {
            let text = |it: &armilla_giop::ior::IiopEndpoint| {
                format!("{} priority {}", host_and_port(&it.host, it.port), it.priority)
            };
            json!({ "endpoints": all.iter().map(text).collect::<Vec<_>>() })
        }),
        _ => match texts(component.id) {
            Some(names) => texts_of(component, names).unwrap_or_else(malformed),
            None => transaction_policy(component).unwrap_or_else(|| data(&component.data)),
        },
    }
}

fn understood<C: Component>(
    component: &TaggedComponent,
    describe: impl FnOnce(C) -> Value,
) -> Contents {
    C::from_tagged(component)
        .map_or_else(malformed, |decoded| decoded.map(describe).map_or_else(Map::new, members))
}

/// The names of the strings of which a component of a vendor consists.
fn texts(id: u32) -> Option<&'static [&'static str]> {
    match id {
        25 => Some(&["codebase"]),
        0x4152_4d01 => Some(&["host", "address"]),
        0x4154_5401 => Some(&["sent_from"]),
        0x4154_5402 => Some(&["host", "path"]),
        _ => None,
    }
}

fn texts_of(component: &TaggedComponent, names: &[&str]) -> CdrResult<Contents> {
    let order = component.data.first().map_or(ByteOrder::Big, |flag| ByteOrder::from_flag(*flag));
    let mut input = Decoder::at(&component.data, 1, order);
    names.iter().map(|name| Ok(((*name).to_owned(), input.string()?.into()))).collect()
}

/// What a component says of transactions (Transaction Service 1.4, 2.3.3).
fn transaction_policy(component: &TaggedComponent) -> Option<Contents> {
    let values = match component.id {
        31 => ["", "REQUIRES", "FORBIDS", "ADAPTS"],
        32 => ["EITHER", "SHARED", "UNSHARED", ""],
        _ => return None,
    };
    let order = ByteOrder::from_flag(*component.data.first()?);
    let number = Decoder::at(&component.data, 1, order).u16().ok()?;
    let name = values.get(usize::from(number)).filter(|name| !name.is_empty())?;
    Some(members(json!({ "policy": name })))
}

fn same_host(endpoint: &SameHostEndpoint) -> Value {
    let place = endpoint.place();
    json!({
        "address": endpoint.address().to_string(),
        "boot": format!("{:032x}", u128::from_be_bytes(place.boot)),
        "network_namespace": place.network,
        "user_namespace": place.users,
        "here": endpoint.is_here(),
    })
}

fn code_sets(component: &CodeSetComponent) -> Value {
    let conversion: Vec<String> =
        component.conversion.iter().copied().map(names::code_set).collect();
    json!({ "native": names::code_set(component.native), "conversion": conversion })
}

fn tls_members(tls: &TlsSecTrans) -> Value {
    let address = |it: &AlternateAddress| host_and_port(&it.host, it.port);
    json!({
        "addresses": tls.addresses.iter().map(address).collect::<Vec<_>>(),
        "supports": options(tls.target_supports),
        "requires": options(tls.target_requires),
    })
}

fn mechanisms(list: &CsiSecMechList) -> Value {
    let numbered = list.mechanisms.iter().enumerate();
    let all: Vec<Value> = numbered.map(|(index, it)| mechanism(index + 1, it)).collect();
    json!({ "stateful": list.stateful, "mechanisms": all })
}

fn mechanism(number: usize, mechanism: &CompoundSecMech) -> Value {
    let CompoundSecMech { authentication, attributes, .. } = mechanism;
    let mut contents = members(json!({
        "mechanism": number,
        "transport": names::component(mechanism.transport.id),
        "requires": options(mechanism.target_requires),
    }));
    if mechanism.transport.id == TlsSecTrans::ID {
        let tls = understood(&mechanism.transport, |tls| tls_members(&tls));
        contents.insert("tls".into(), tls.into());
    }
    contents.insert(
        "authentication".into(),
        json!({
            "supports": options(authentication.target_supports),
            "requires": options(authentication.target_requires),
            "mechanism": authentication.mechanism.escape_ascii().to_string(),
            "target_name": authentication.target_name.escape_ascii().to_string(),
        }),
    );
    contents.insert(
        "attributes".into(),
        json!({
            "supports": options(attributes.target_supports),
            "requires": options(attributes.target_requires),
            "identity_types": identity_types(attributes.identity_types),
        }),
    );
    Value::Object(contents)
}

fn options(options: AssociationOptions) -> Vec<String> {
    let unnamed = options.unnamed();
    let unnamed = (unnamed != 0).then(|| format!("{unnamed:#06x}"));
    options.names().map(str::to_owned).chain(unnamed).collect()
}

/// The kinds of identity tokens in a set (CORBA 3.4 Part 2, 10.2.5).
fn identity_types(set: u32) -> Vec<&'static str> {
    const NAMES: [(u32, &str); 4] = [
        (1, "ITTAnonymous"),
        (2, "ITTPrincipalName"),
        (4, "ITTX509CertChain"),
        (8, "ITTDistinguishedName"),
    ];
    NAMES.iter().filter(|(bit, _)| set & bit != 0).map(|(_, name)| *name).collect()
}

/// A host and a port as one text, an IPv6 address in brackets.
pub(super) fn host_and_port(host: &str, port: u16) -> String {
    match host.contains(':') {
        true => format!("[{host}]:{port}"),
        false => format!("{host}:{port}"),
    }
}
