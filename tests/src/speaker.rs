//! A servant of `Speech`.

use crate::texts::Speech;
use armilla::{Any, SystemException, WString};

/// Says what it is asked to say.
#[derive(Debug)]
pub struct Speaker;

impl Speech for Speaker {
    fn echo(&self, text: &str) -> Result<String, SystemException> {
        Ok(text.to_owned())
    }

    fn echo_wide(&self, text: &str) -> Result<WString, SystemException> {
        Ok(text.into())
    }

    fn echo_letter(&self, letter: char) -> Result<char, SystemException> {
        Ok(letter)
    }

    fn echo_any(&self, value: &Any) -> Result<Any, SystemException> {
        Ok(value.clone())
    }

    fn say(&self, code: u32) -> Result<String, SystemException> {
        Ok(letter(code).into())
    }

    fn say_wide(&self, code: u32) -> Result<WString, SystemException> {
        Ok(letter(code).to_string().into())
    }
}

fn letter(code: u32) -> char {
    char::from_u32(code).unwrap_or_default()
}
