//! What an interface has, by name and by number.

use armilla::dynamic::ParameterMode;
use armilla_ifr::model::Signature;

/// A member of an interface as scripts see it: a method, or a property.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// The operation, or what reads the attribute.
    pub call: Signature,
    /// What writes the attribute.
    pub put: Option<Signature>,
    /// Whether it is an attribute.
    pub property: bool,
}

/// The members of an interface. The first one has the number 1.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Interface {
    members: Vec<Member>,
}

impl Interface {
    /// The interface with these operations and attributes.
    pub fn new(signatures: Vec<Signature>) -> Self {
        let mut members: Vec<Member> = Vec::new();
        for signature in signatures {
            let operation = signature.operation.clone();
            if let Some(name) = operation.strip_prefix("_set_") {
                match members.iter_mut().find(|member| member.property && member.name == name) {
                    Some(member) => member.put = Some(signature),
                    None => tracing::debug!(operation, "an attribute that cannot be read"),
                }
                continue;
            }
            let (name, property) = match operation.strip_prefix("_get_") {
                Some(name) => (name, true),
                None => (operation.as_str(), false),
            };
            let name = name.to_owned();
            members.push(Member { name, call: signature, put: None, property });
        }
        Self { members }
    }

    /// All members, in the order of their numbers.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// The number of a member. Scripts do not distinguish upper and lower case; a name that is the
    /// same to the letter comes first.
    pub fn number(&self, name: &str) -> Option<i32> {
        let exact = self.members.iter().position(|member| member.name == name);
        let alike = || self.members.iter().position(|it| it.name.eq_ignore_ascii_case(name));
        i32::try_from(exact.or_else(alike)? + 1).ok()
    }

    /// The member with a number.
    pub fn member(&self, number: i32) -> Option<&Member> {
        self.members.get(usize::try_from(number).ok()?.checked_sub(1)?)
    }

    /// What an operation of a request is: `_get_` reads an attribute, `_set_` writes it.
    pub fn signature(&self, operation: &str) -> Option<&Signature> {
        self.members.iter().find_map(|member| {
            let put = member.put.iter();
            std::iter::once(&member.call).chain(put).find(|it| it.operation == operation)
        })
    }
}

impl Member {
    /// The number of a parameter, for arguments with names.
    pub fn parameter(&self, name: &str) -> Option<i32> {
        let parameters = &self.call.parameters;
        let place = parameters.iter().position(|(known, ..)| known.eq_ignore_ascii_case(name))?;
        i32::try_from(place).ok()
    }
}

/// How many arguments a caller has to give.
pub fn given(signature: &Signature) -> usize {
    let last = signature.parameters.iter().rposition(|(_, mode, _)| *mode != ParameterMode::Out);
    last.map_or(0, |last| last + 1)
}
