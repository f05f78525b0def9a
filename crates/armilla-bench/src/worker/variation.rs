//! What an ORB under measurement does differently from how it comes: the words among its options.

use super::many::Strategy;
use armilla::Collocation;

/// How calls are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Invocation {
    /// By generated stubs.
    #[default]
    Static,
    /// By requests of the dynamic invocation interface, each made once and used again.
    Dynamic,
    /// By requests of the dynamic invocation interface, made for every call.
    DynamicNew,
    /// By stubs that name the operation as they never did before, so that every header is made
    /// anew.
    NewHeaders,
}

/// Everything that may differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Variation {
    pub(super) invocation: Invocation,
    /// Whether a dynamic skeleton serves the calls.
    pub(super) dynamic_servant: bool,
    /// Whether the servant copies the sequence that it is lent.
    pub(super) copying_servant: bool,
    /// How the adapter finds the objects that are called in turn.
    pub(super) lookup: Option<Strategy>,
    /// The client calls objects of its own process, in this way.
    pub(super) near: Option<Collocation>,
}

impl Variation {
    /// What `options` say; those of the ORB are passed over.
    ///
    /// # Errors
    /// Names the word that means nothing.
    pub(super) fn parse(options: &[String]) -> Result<Self, String> {
        let mut variation = Self::default();
        let mut words = options.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                option if option.starts_with("-ORB") => drop(words.next()),
                "dii" => variation.invocation = Invocation::Dynamic,
                "dii-new" => variation.invocation = Invocation::DynamicNew,
                "new-headers" => variation.invocation = Invocation::NewHeaders,
                "dsi" => variation.dynamic_servant = true,
                "copying" => variation.copying_servant = true,
                "near-direct" => variation.near = Some(Collocation::Direct),
                "near-poa" => variation.near = Some(Collocation::ThroughPoa),
                "near-remote" => variation.near = Some(Collocation::Remote),
                other => {
                    let lookup = other.strip_prefix("lookup-").and_then(Strategy::parse);
                    variation.lookup = Some(lookup.ok_or_else(|| format!("{other:?}?"))?);
                }
            }
        }
        Ok(variation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_mean_nothing_are_refused() {
        let parse = |words: &[&str]| {
            Variation::parse(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(parse(&["-ORBLinks", "multiplexed"]), Ok(Variation::default()));
        let linear = Variation { lookup: Some(Strategy::Linear), ..Variation::default() };
        assert_eq!(parse(&["lookup-linear"]), Ok(linear));
        assert!(parse(&["lookup-hopeful"]).is_err() && parse(&["faster"]).is_err());
    }
}
