// The value of a constant of each type.

//= mod limits > const MAX_ACCOUNTS
/// The most accounts that a customer may have.
pub const MAX_ACCOUNTS: i16 = 16;

//= mod limits > const EVERYTHING
/// IDL `Limits::EVERYTHING`.
pub const EVERYTHING: u64 = 18446744073709551615;

//= mod limits > const RATE
/// IDL `Limits::RATE`.
pub const RATE: f64 = -0.0025;

//= mod limits > const SINGLE
/// IDL `Limits::Single`.
pub const SINGLE: f32 = 0.1;

//= mod limits > const PI
/// IDL `Limits::PI`.
#[allow(clippy::approx_constant)]
pub const PI: f64 = 3.14159;

//= mod limits > const OPEN
/// IDL `Limits::OPEN`.
pub const OPEN: bool = true;

//= mod limits > const BELL
/// IDL `Limits::BELL`.
pub const BELL: u8 = b'\x07';

//= mod limits > const GREETING
/// IDL `Limits::GREETING`.
pub const GREETING: &str = "Good \"day\"\n";

//= mod limits > const DEFAULT_AMOUNT
/// IDL `Limits::DEFAULT_AMOUNT`.
pub const DEFAULT_AMOUNT: Amount = 49;

//= mod limits > const FAVOURITE
/// IDL `Limits::FAVOURITE`.
pub const FAVOURITE: Colour = Colour::Green;
