//! Objects whose ids are ways: `/a` has `/a/b` below it.

use super::place::Origin;
use super::{AccessRules, Question};
use crate::principal::Pattern;

impl AccessRules {
    /// Whether the caller may do this with the object and with all that is below it: whatever has
    /// its id, a slash and more. Where the patterns of rules do not show that easily, the caller may
    /// not.
    ///
    /// ```
    /// use armilla_ipc::Address;
    /// use armilla_security::{AccessRules, Caller, Principal, Proof, Question};
    /// use std::time::SystemTime;
    ///
    /// let rules: AccessRules = r#"
    ///     [[rule]]
    ///     deny = "*"
    ///     object = ["/a/secret", "/a/secret/*"]
    ///
    ///     [[rule]]
    ///     allow = "*"
    /// "#
    /// .parse()?;
    /// let caller = Caller::new(Principal::Anonymous, Proof::None, Address::tcp("192.0.2.1", 1));
    /// let ask = |object| Question {
    ///     caller: &caller,
    ///     adapter: "naming",
    ///     object,
    ///     interface: "",
    ///     operation: "unbind",
    ///     at: SystemTime::now(),
    /// };
    /// assert!(rules.decide(&ask("/a")).allowed && !rules.allow_below(&ask("/a")));
    /// assert!(rules.allow_below(&ask("/b")));
    /// # Ok::<(), armilla_security::RuleError>(())
    /// ```
    pub fn allow_below(&self, question: &Question<'_>) -> bool {
        let mut others = self.other_origins(question.caller).into_iter();
        self.allow_below_from(question, &Origin::of(question.caller))
            || others.any(|from| self.allow_below_from(question, &from))
    }

    /// The same for a caller who is there.
    fn allow_below_from(&self, question: &Question<'_>, from: &Origin<'_>) -> bool {
        if !self.decide_from(question, from).allowed {
            return false;
        }
        let begin = format!("{}/", question.object.trim_end_matches('/'));
        let all = Pattern::new(&format!("{begin}*"));
        let mut allowed: Vec<&Pattern> = Vec::new();
        let fits = self.rules.iter().filter(|rule| {
            rule.has_operation(question.operation) && rule.fits_but_object(question, from)
        });
        for rule in fits {
            match (rule.allow, &*rule.objects) {
                (allow, []) => return allow,
                (true, objects) if objects.iter().any(|one| one.covers(&all)) => return true,
                (true, objects) => allowed.extend(objects),
                (false, objects) => {
                    let is_open = |one: &&Pattern| {
                        one.may_begin_with(&begin)
                            && !allowed.iter().any(|allowed| allowed.covers(one))
                    };
                    if objects.iter().any(|one| is_open(&one)) {
                        return false;
                    }
                }
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::caller::{Caller, Proof};
    use crate::principal::Principal;
    use armilla_ipc::Address;
    use std::time::SystemTime;

    fn may(rules: &str, object: &str) -> bool {
        let rules: AccessRules = rules.parse().unwrap();
        let address = Address::tcp("192.0.2.1", 1);
        let caller = Caller::new(Principal::Anonymous, Proof::None, address);
        let (adapter, interface, operation) = ("", "", "read");
        let at = SystemTime::now();
        rules.allow_below(&Question { caller: &caller, adapter, object, interface, operation, at })
    }

    #[test]
    fn what_is_below_is_allowed_if_no_rule_may_deny_a_part_of_it() {
        let rule = |decides: &str, objects: &str| match objects {
            "" => format!("[[rule]]\n{decides} = \"*\"\n"),
            objects => format!("[[rule]]\n{decides} = \"*\"\nobject = {objects}\n"),
        };
        let secret = r#"["/a/s", "/a/s/*"]"#;
        let hidden = rule("deny", secret) + &rule("allow", "");
        assert!(!may(&hidden, "/") && !may(&hidden, "/a") && !may(&hidden, "/a/s"));
        assert!(may(&hidden, "/a/key") && may(&hidden, "/a/s2") && may(&hidden, "/b"));
        let own = rule("allow", secret) + &rule("deny", secret) + &rule("allow", "");
        assert!(may(&own, "/a"), "what is denied was allowed before");
        let part = rule("allow", r#"["/a", "/a/*"]"#);
        assert!(may(&part, "/a") && may(&part, "/a/s") && !may(&part, "/") && !may(&part, "/ab"));
        let only = rule("allow", r#""/a""#);
        assert!(!may(&only, "/a"), "what is below has no rule");
        let stars = rule("deny", r#""*/s""#) + &rule("allow", "");
        assert!(!may(&stars, "/a"), "it may be about /a/s");
        let other_operation = rule("deny", "") + "operation = \"bind\"\n";
        assert!(may(&(other_operation + &rule("allow", "")), "/a"));
    }
}
