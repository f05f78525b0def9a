//! Who may act for whom.

use crate::principal::Principal;
use crate::who::Who;

/// A rule about who may act for whom. Without one that fits, nobody may act for anybody else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AssertionRule {
    by: Who,
    on_behalf_of: Who,
}

impl AssertionRule {
    pub(crate) const fn of(by: Who, on_behalf_of: Who) -> Self {
        Self { by, on_behalf_of }
    }

    /// Whether the rule lets one act for the other.
    pub(crate) fn allows(&self, by: &Principal, on_behalf_of: &Principal) -> bool {
        // A star does not stand for somebody who has shown nothing: that has to be said.
        let known = by.is_known() || self.by == Who::Anonymous;
        known && self.by.names(by) && self.on_behalf_of.names(on_behalf_of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_does_not_stand_for_the_unknown() {
        let user = |name: &str| Principal::User(name.parse().unwrap());
        let (ann, gateway) = (user("ann@bank"), user("gateway@bank"));
        let rule =
            |by, other| AssertionRule::of(Who::parse(by).unwrap(), Who::parse(other).unwrap());
        assert!(rule("*", "*@bank").allows(&gateway, &ann));
        assert!(!rule("*", "*@bank").allows(&Principal::Anonymous, &ann));
        assert!(!rule("*", "*@bank").allows(&gateway, &Principal::Anonymous));
        assert!(rule("anonymous", "*").allows(&Principal::Anonymous, &ann));
        let odd = Principal::DistinguishedName("CN=gateway@bank".into());
        assert!(!rule("*gateway@bank", "*").allows(&odd, &ann), "a pattern is of users");
    }
}
