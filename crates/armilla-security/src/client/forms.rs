//! In which form a server reads names and identities. The specification leaves more open than servers do.

use super::credentials::Identity;
use armilla::CdrError;
use armilla_giop::csi::{
    ExportedName, GSSUP_MECHANISM, IdentityToken, ScopedName, pack_certificates,
};

/// The component of servers whose objects Java's remote interfaces describe
/// (TAG_RMI_CUSTOM_MAX_STREAM_FORMAT): WildFly and GlassFish among them.
pub(super) const REMOTE_JAVA: u32 = 38;

/// The forms that a server reads.
#[derive(Debug, Clone, Copy)]
pub(super) enum Forms<'l> {
    /// Names as the client has them, and identities as the octets of their tokens.
    Plain,
    /// What application servers for Java write themselves: names have a domain, that of the target where
    /// the client says none, for GlassFish knows no user without one; and the octets of an identity are
    /// an encapsulation, for WildFly reads nothing else.
    Java { target: &'l [u8] },
}

impl Forms<'_> {
    /// The text of a name.
    pub(super) fn name(self, name: &ScopedName) -> String {
        let mut text = name.to_string();
        if let (None, Self::Java { target }) = (&name.domain, self) {
            let target = ExportedName::parse(target).ok();
            let domain = target.and_then(|it| ScopedName::from_octets(it.name).ok());
            // The target is a domain alone, with a sign before it or without.
            let domain = domain.map(|it| it.domain.unwrap_or(it.user)).filter(|it| !it.is_empty());
            if domain.is_some() {
                text = ScopedName { user: name.user.clone(), domain }.to_string();
            }
        }
        text
    }

    /// Calls `with` with the token of an identity.
    ///
    /// # Errors
    /// When it is too long.
    pub(super) fn with_token<R>(
        self,
        identity: &Identity,
        with: impl FnOnce(IdentityToken<'_>) -> R,
    ) -> Result<R, CdrError> {
        Ok(match identity {
            Identity::Anonymous => with(IdentityToken::Anonymous),
            Identity::User(name) => {
                let (mechanism, name) = (GSSUP_MECHANISM, self.name(name));
                let exported = ExportedName { mechanism, name: name.as_bytes() }.to_octets();
                with(IdentityToken::PrincipalName(&self.octets(exported)?))
            }
            Identity::Certificates(chain) => {
                let chain: Vec<&[u8]> = chain.iter().map(|one| &**one).collect();
                with(IdentityToken::Certificates(&self.octets(pack_certificates(&chain))?))
            }
            Identity::DistinguishedName(name) => {
                with(IdentityToken::DistinguishedName(&self.octets(name.clone())?))
            }
        })
    }

    fn octets(self, octets: Vec<u8>) -> Result<Vec<u8>, CdrError> {
        match self {
            Self::Plain => Ok(octets),
            Self::Java { .. } => IdentityToken::wrap(&octets),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The target of GlassFish and WildFly, as their references have it.
    const TARGET: &[u8] = b"\x04\x01\x00\x08\x06\x06g\x81\x02\x01\x01\x01\x00\x00\x00\x07default";

    fn named(target: &[u8], name: &str) -> String {
        Forms::Java { target }.name(&name.parse().unwrap())
    }

    #[test]
    fn names_for_java_have_a_domain() {
        assert_eq!(named(TARGET, "ann"), "ann@default");
        assert_eq!(named(TARGET, "ann@bank"), "ann@bank", "the client's own");
        assert_eq!(named(b"", "ann"), "ann", "a server without a realm");
        let named_so = |name| ExportedName { mechanism: GSSUP_MECHANISM, name }.to_octets();
        assert_eq!(named(&named_so(b"@bank"), "ann"), "ann@bank");
        assert_eq!(named(&named_so(b""), "ann"), "ann");
        assert_eq!(Forms::Plain.name(&"ann".parse().unwrap()), "ann");
    }

    #[test]
    fn identities_for_java_are_encapsulations() {
        let zoe = Identity::User("zoe".parse().unwrap());
        let octets = |forms: Forms<'_>| {
            let with = |token: IdentityToken<'_>| match token {
                IdentityToken::PrincipalName(octets) => octets.to_vec(),
                other => panic!("{other:?}"),
            };
            forms.with_token(&zoe, with).unwrap()
        };
        let exported = |name| ExportedName { mechanism: GSSUP_MECHANISM, name }.to_octets();
        assert_eq!(octets(Forms::Plain), exported(b"zoe"));
        let wrapped = octets(Forms::Java { target: TARGET });
        assert_eq!(wrapped, IdentityToken::wrap(&exported(b"zoe@default")).unwrap());
        // WildFly once took the first octets of a name for a length, and found it negative.
        assert!(matches!(wrapped[0], 0 | 1), "it begins with a byte order: {wrapped:?}");
    }
}
