// A module that is opened twice, with a module in it.

//= mod shop > type Price
/// IDL `Shop::Price`.
pub type Price = i32;

//= mod shop > mod shelf > type Prices
/// IDL `Shop::Shelf::Prices`.
pub type Prices = Vec<super::Price>;

//= mod shop > struct Item
/// IDL `Shop::Item`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Item {
    /// IDL `cost`.
    pub cost: Price,
    /// IDL `former`.
    pub former: shelf::Prices,
}
