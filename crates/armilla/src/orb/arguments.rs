//! The `-ORB…` options among the arguments of a program (CORBA 3.4 Part 1, 8.5.3).

use super::OrbBuilder;
use super::options::{self, bad};
use crate::exception::SystemException;

impl OrbBuilder {
    /// Reads the `-ORB…` options among `arguments` and ignores all other arguments. The value of
    /// an option is the next argument. The part of a name after `-ORB` is not case-sensitive.
    ///
    /// [`options`](Self::options) gives all options with their defaults. Most set a field of the
    /// [`Settings`](crate::Settings), whose documentation names its option. A
    /// [transport](Self::transport) that was added before may have options of its own.
    ///
    /// ```
    /// use armilla::Orb;
    ///
    /// let arguments = ["server", "-ORBMaxConnections", "100", "--verbose"];
    /// let orb = Orb::builder().arguments(arguments.map(String::from))?.build()?;
    /// assert_eq!(orb.settings().max_connections, 100);
    /// # Ok::<(), armilla::SystemException>(())
    /// ```
    ///
    /// # Errors
    /// `BAD_PARAM` for an `-ORB…` option that is unknown or whose value is malformed.
    pub fn arguments(
        self,
        arguments: impl IntoIterator<Item = String>,
    ) -> Result<Self, SystemException> {
        Ok(self.split(arguments.into_iter().collect())?.0)
    }

    /// Reads the `-ORB…` options as [`arguments`](Self::arguments) does, and removes them from
    /// `arguments`. The other arguments keep their order, for a program that parses its command
    /// line itself.
    ///
    /// # Errors
    /// Those of [`arguments`](Self::arguments). After an error `arguments` is unchanged.
    pub fn take_arguments(self, arguments: &mut Vec<String>) -> Result<Self, SystemException> {
        let (builder, others) = self.split(arguments.clone())?;
        *arguments = others;
        Ok(builder)
    }

    /// Applies the options and returns the other arguments.
    fn split(mut self, arguments: Vec<String>) -> Result<(Self, Vec<String>), SystemException> {
        self.registration.arguments.extend_from_slice(&arguments);
        let mut others = Vec::new();
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            if !argument.starts_with("-ORB") {
                others.push(argument);
                continue;
            }
            let option = options::find(&argument, &self.transports)?;
            let mut value = String::new();
            if option.has_value() {
                let missing = || bad(format!("{argument} needs a value"));
                value = arguments.next().ok_or_else(missing)?;
            }
            self = option.apply(self, (&argument, &value))?;
        }
        Ok((self, others))
    }
}
