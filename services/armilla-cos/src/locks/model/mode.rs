//! The modes of locks, and which of them exclude each other (Concurrency Service 1.0, 7.1.4).

/// The mode of a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    /// Reads what the set protects.
    Read,
    /// Changes it.
    Write,
    /// Reads it, and means to change it: two that do would wait for each other.
    Upgrade,
    /// Reads parts of it, which have locks of their own.
    IntentionRead,
    /// Changes parts of it.
    IntentionWrite,
}

/// How many modes there are.
const COUNT: usize = 5;

impl Mode {
    /// All modes, in the order of the IDL.
    pub const ALL: [Self; COUNT] =
        [Self::Read, Self::Write, Self::Upgrade, Self::IntentionRead, Self::IntentionWrite];

    /// Whether two holders cannot have locks of these modes at once.
    ///
    /// ```
    /// use armilla_cos::locks::model::Mode;
    ///
    /// assert!(!Mode::Read.excludes(Mode::Upgrade));
    /// assert!(Mode::Upgrade.excludes(Mode::Upgrade));
    /// ```
    pub const fn excludes(self, other: Self) -> bool {
        use Mode::{IntentionRead, IntentionWrite, Read, Upgrade, Write};
        match (self, other) {
            (Write, _) | (_, Write) | (Upgrade, Upgrade) => true,
            (IntentionWrite, other) | (other, IntentionWrite) => matches!(other, Read | Upgrade),
            (Read | Upgrade | IntentionRead, Read | Upgrade | IntentionRead) => false,
        }
    }
}

/// How many locks there are of each mode.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counts([u32; COUNT]);

impl Counts {
    pub(super) fn of(&self, mode: Mode) -> u32 {
        self.0[mode as usize]
    }

    pub(super) fn add(&mut self, mode: Mode) {
        self.0[mode as usize] += 1;
    }

    /// Takes one away, if there is one.
    pub(super) fn take(&mut self, mode: Mode) -> bool {
        let count = &mut self.0[mode as usize];
        let had = *count > 0;
        *count -= u32::from(had);
        had
    }

    /// Takes away what others count.
    pub(super) fn take_all(&mut self, others: &Self) {
        self.0.iter_mut().zip(others.0).for_each(|(count, other)| *count -= other);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0 == [0; COUNT]
    }

    /// Whether any of them excludes a lock of this mode.
    pub(super) fn exclude(&self, mode: Mode) -> bool {
        Mode::ALL.into_iter().any(|held| self.of(held) > 0 && held.excludes(mode))
    }

    /// Those of these modes of which there are any, with their numbers.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Mode, u32)> + '_ {
        Mode::ALL.into_iter().map(|mode| (mode, self.of(mode))).filter(|(_, count)| *count > 0)
    }

    pub(super) fn total(&self) -> usize {
        self.0.iter().map(|count| *count as usize).sum()
    }
}
