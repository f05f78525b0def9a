//! Marks in what a transaction has done, to which a part of it rolls back.

use std::sync::Arc;

/// The parts of a transaction that have begun to work somewhere, each within the one before, with what
/// marks where it has begun.
#[derive(Debug, Clone)]
pub struct Savepoints<M>(Vec<(Arc<str>, M)>);

/// Another part of the transaction is at work there: its end would undo the work of this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InTheWay;

impl<M> Default for Savepoints<M> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<M> Savepoints<M> {
    /// Lets a part work: the last of `parts`, which are the way to it from the whole transaction. Returns
    /// those that need a mark, in their order.
    ///
    /// # Errors
    /// A part that is none of these is at work.
    pub fn enter<'p>(&self, parts: &'p [Arc<str>]) -> Result<&'p [Arc<str>], InTheWay> {
        let are_known = self.0.iter().map(|(known, _)| known).eq(parts.iter().take(self.0.len()));
        are_known.then(|| &parts[self.0.len()..]).ok_or(InTheWay)
    }

    /// Marks where a part begins to work, within all that have begun.
    pub fn mark(&mut self, part: Arc<str>, mark: M) {
        self.0.push((part, mark));
    }

    /// Takes out a part that has ended, with those within it. Returns its mark, if it has worked.
    pub fn leave(&mut self, part: &str) -> Option<M> {
        let place = self.0.iter().position(|(known, _)| &**known == part)?;
        self.0.drain(place..).next().map(|(_, mark)| mark)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::slice::from_ref;

    #[test]
    fn parts_work_within_one_another_and_not_side_by_side() {
        let [one, two, other] = ["1", "2", "3"].map(Arc::<str>::from);
        let mut marks = Savepoints::default();
        let way = [one.clone(), two.clone()];
        assert_eq!(marks.enter(&way), Ok(&way[..]));
        marks.mark(one.clone(), 10);
        assert_eq!(marks.enter(&way), Ok(&way[1..]));
        marks.mark(two.clone(), 20);
        assert_eq!(marks.enter(&way), Ok(&[][..]));
        assert_eq!(marks.enter(&[one.clone(), other.clone()]), Err(InTheWay));
        assert_eq!(marks.enter(&[]), Err(InTheWay), "the whole waits for its parts");
        assert_eq!((marks.leave("1"), marks.leave("2")), (Some(10), None));
        assert_eq!(marks.enter(from_ref(&other)), Ok(from_ref(&other)));
    }
}
