//! `Lookup`: queries.

use super::Servant;
use super::query::Query;
use super::raise::raise;
use armilla::Error;
use armilla_cos_trading::lookup::{QueryRaises, SpecifiedProps};
use armilla_cos_trading::{Lookup, OfferIteratorRef, OfferSeq, Policy, PolicyNameSeq};

impl Lookup for Servant {
    fn query(
        &self,
        r#type: &str,
        constr: &str,
        pref: &str,
        policies: &[Policy],
        desired_props: &SpecifiedProps,
        how_many: u32,
    ) -> Result<(OfferSeq, OfferIteratorRef, PolicyNameSeq), Error<QueryRaises>> {
        let view = self.view();
        let _alone = self.alone();
        raise(self.answer(Query {
            view: &view,
            service_type: r#type,
            constraint: constr,
            preference: pref,
            policies,
            desired: desired_props,
            how_many,
        }))
    }
}
