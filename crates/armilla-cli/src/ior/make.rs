//! `armilla ior make`: a reference from its parts, as omniORB's `genior` makes one.

use super::{address, names};
use armilla_cdr::CodeSet;
use armilla_giop::Version;
use armilla_giop::ior::{
    CodeSetComponent, CodeSetComponentInfo, Component, IiopProfile, Ior, OrbType, TaggedComponent,
};
use armilla_terminal::{Failure, Outcome, say};

/// The arguments of `armilla ior make`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Without --char-sets the client takes ISO-8859-1 for strings and sends no wide \
                  ones. A reference to omniORB, as its genior makes it:\n\n  \
                  armilla ior make IDL:A:1.0 HOST PORT KEY --orb omniORB --char-sets \
                  ISO-8859-1,UTF-8 --wchar-sets UTF-16,UTF-16"
)]
pub(super) struct Make {
    /// The repository id of the interface, or "" for none
    #[arg(value_name = "TYPE-ID")]
    type_id: String,
    /// The host of the server: a name or an address
    host: String,
    /// The TCP port of the server
    port: u16,
    /// The object key
    #[arg(default_value = "")]
    key: String,
    /// KEY is hexadecimal digits, two for each octet
    #[arg(short = 'x', long)]
    hex: bool,
    /// The highest version of GIOP that the server takes
    #[arg(long, value_name = "1.0|1.1|1.2", default_value = "1.2")]
    version: Version,
    /// Which ORB the server is, by name or number
    #[arg(long, value_name = "ORB")]
    orb: Option<String>,
    /// The code sets of the server for strings, the native one first
    #[arg(long, value_name = "SETS", value_delimiter = ',')]
    char_sets: Vec<CodeSet>,
    /// The code sets of the server for wide strings, the native one first
    #[arg(long, value_name = "SETS", value_delimiter = ',')]
    wchar_sets: Vec<CodeSet>,
    /// One more address of the object; repeatable
    #[arg(long, value_name = "HOST:PORT")]
    alternate: Vec<String>,
    /// A component with these octets, in hexadecimal; repeatable
    #[arg(long, value_name = "TAG=DIGITS")]
    component: Vec<String>,
}

pub(super) fn run(make: &Make) -> Outcome {
    let object_key = match make.hex {
        true => octets(&make.key)?,
        false => make.key.clone().into_bytes(),
    };
    let profile = IiopProfile {
        version: make.version,
        host: address::host(&make.host)?.to_owned(),
        port: make.port,
        object_key,
        components: components(make)?,
    };
    if make.version == Version::V1_0 && !profile.components.is_empty() {
        return Err(Failure::usage("a profile of IIOP 1.0 has no components"));
    }
    let ior = Ior { type_id: make.type_id.clone(), profiles: vec![profile.to_tagged()?] };
    say!("{}", ior.to_text()?)
}

fn components(make: &Make) -> Outcome<Vec<TaggedComponent>> {
    let mut components = Vec::new();
    if let Some(orb) = &make.orb {
        let number = names::orb_by_name(orb).or_else(|| number(orb));
        let unknown = || {
            Failure::usage(format!(
                "no ORB is known by the name {orb:?}; a number names any, such as 0x41524d00"
            ))
        };
        components.push(OrbType(number.ok_or_else(unknown)?).to_tagged()?);
    }
    if !make.char_sets.is_empty() || !make.wchar_sets.is_empty() {
        let char = code_sets(&make.char_sets, false)?;
        let wchar = code_sets(&make.wchar_sets, true)?;
        components.push(CodeSetComponentInfo { char, wchar }.to_tagged()?);
    }
    for text in &make.alternate {
        components.push(address::host_and_port(text)?.to_tagged()?);
    }
    for text in &make.component {
        let parts = text.split_once('=').and_then(|(tag, digits)| Some((number(tag)?, digits)));
        let malformed = || Failure::usage(format!("{text:?}: the form is TAG=DIGITS"));
        let (id, digits) = parts.ok_or_else(malformed)?;
        components.push(TaggedComponent { id, data: octets(digits)? });
    }
    Ok(components)
}

/// The code sets for one kind of character.
fn code_sets(sets: &[CodeSet], wide: bool) -> Outcome<CodeSetComponent> {
    if let Some(wrong) = sets.iter().find(|set| set.is_wide() != wide) {
        let kind = if wide { "wide strings" } else { "strings" };
        return Err(Failure::usage(format!("{wrong} is no code set for {kind}")));
    }
    let mut ids = sets.iter().map(|set| set.id());
    Ok(CodeSetComponent { native: ids.next().unwrap_or_default(), conversion: ids.collect() })
}

/// A decimal number, or a hexadecimal one behind `0x`.
fn number(text: &str) -> Option<u32> {
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// The octets that hexadecimal digits stand for.
fn octets(digits: &str) -> Outcome<Vec<u8>> {
    if let Some(at) = digits.find(|digit: char| !digit.is_ascii_hexdigit()) {
        let what = format!("{digits:?}: the character behind {at} digits is no hexadecimal digit");
        return Err(Failure::usage(what));
    }
    let (pairs, []) = digits.as_bytes().as_chunks::<2>() else {
        return Err(Failure::usage(format!("{digits:?}: an octet has two digits")));
    };
    let digit = |digit: u8| char::from(digit).to_digit(16).unwrap_or_default() as u8;
    Ok(pairs.iter().map(|[high, low]| digit(*high) << 4 | digit(*low)).collect())
}
