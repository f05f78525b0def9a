use super::Series;
use crate::plan::Plan;

pub(super) fn series(_plan: &Plan) -> Vec<Series> {
    Vec::new()
}
