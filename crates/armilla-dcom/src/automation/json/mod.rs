//! Values of Automation as JSON. (Feature `json`.)
//!
//! | in Automation | in JSON |
//! |---|---|
//! | numbers | numbers; `"NaN"`, `"Infinity"` and `"-Infinity"` |
//! | DATE, CURRENCY, DECIMAL | text, as their `parse` reads it |
//! | SAFEARRAY | an array; of several dimensions arrays of arrays, the first index outermost |
//! | no value, null, an object that is null | `null` |

mod read;
mod write;

pub use read::from_json;
pub use write::to_json;
