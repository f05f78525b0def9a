//! Calculating with IDL `fixed`: what fits is exact up to the last digit, what does not is told.

use armilla_cdr::Decimal;
use proptest::prelude::*;

type Amount = Decimal<9, 2>;
type Rate = Decimal<9, 6>;
type Most = Decimal<31, 0>;
type Finest = Decimal<31, 31>;

fn amount(text: &str) -> Amount {
    text.parse().unwrap()
}

fn most() -> Most {
    Most::from_unscaled(10_i128.pow(31) - 1).unwrap()
}

#[test]
fn sums_and_differences_are_exact_or_too_large() {
    let largest = amount("9999999.99");
    assert_eq!(amount("1.05").checked_add(amount("-2.10")), Some(amount("-1.05")));
    assert_eq!(largest.checked_add(amount("0.01")), None);
    assert_eq!((-largest).checked_sub(amount("0.01")), None);
    assert_eq!(largest.checked_sub(largest), Some(Amount::default()));
    assert_eq!(most().checked_add(most()), None);
}

#[test]
fn products_and_quotients_are_cut_off_behind_the_last_digit() {
    let rate = |text: &str| text.parse::<Rate>().unwrap();
    assert_eq!(amount("10.00").checked_mul(rate("0.019999")), Some(amount("0.19")));
    assert_eq!(amount("-10.00").checked_mul(rate("0.019999")), Some(amount("-0.19")));
    assert_eq!(amount("-10.00").checked_mul(rate("-3")), Some(amount("30.00")));
    assert_eq!(amount("9999999.99").checked_mul(rate("1.000001")), None);
    assert_eq!(amount("2.00").checked_div(rate("-3")), Some(amount("-0.66")));
    assert_eq!(amount("2.00").checked_div(rate("0.000001")), Some(amount("2000000.00")));
    assert_eq!(amount("20.00").checked_div(rate("0.000001")), None, "too many digits");
    assert_eq!(amount("2.00").checked_div(rate("0")), None);
    let almost_one = Finest::from_unscaled(10_i128.pow(31) - 1).unwrap();
    let expected = Most::from_unscaled(10_i128.pow(31) - 2).unwrap();
    assert_eq!(most().checked_mul(almost_one), Some(expected), "62 digits on the way");
    assert_eq!(most().checked_div(almost_one), None, "just too large");
    assert_eq!(most().checked_mul(most()), None);
    assert_eq!(almost_one.checked_div(almost_one), None, "1 does not fit");
}

#[test]
fn another_type_takes_what_fits() {
    let exact: Decimal<7, 4> = "2.3450".parse().unwrap();
    assert_eq!(exact.truncated(), Some(amount("2.34")));
    assert_eq!(exact.rounded(), Some(amount("2.35")));
    assert_eq!((-exact).rounded(), Some(amount("-2.35")));
    assert_eq!(amount("2.34").rounded(), Some("2.3400".parse::<Decimal<7, 4>>().unwrap()));
    assert_eq!(amount("1000.00").rounded::<7, 4>(), None);
    assert_eq!(amount("999.50").rounded::<3, 0>(), None, "it is 1000");
    assert_eq!(amount("999.50").truncated(), Some(Decimal::<3, 0>::constant(999)));
    assert_eq!(most().truncated::<31, 31>(), None);
    let half = Finest::from_unscaled(5 * 10_i128.pow(30)).unwrap();
    assert_eq!(half.rounded(), Some(Decimal::<1, 0>::constant(1)));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn small_numbers_calculate_as_integers_do(a in -99_999_999_i128.., b in -99_999_999_i128..) {
        let (a, b) = (a % 1_000_000_000, b % 1_000_000_000);
        let (x, y) = (Amount::from_unscaled(a).unwrap(), Rate::from_unscaled(b).unwrap());
        prop_assert_eq!(x.checked_mul(y), Amount::from_unscaled(a * b / 1_000_000));
        let quotient = (a * 1_000_000).checked_div(b).and_then(Amount::from_unscaled);
        prop_assert_eq!(x.checked_div(y), quotient);
        let tenth = Decimal::<9, 1>::from_unscaled(a / 10);
        prop_assert_eq!(x.truncated::<9, 1>(), tenth);
        let nearest = Decimal::<9, 1>::from_unscaled((a + 5 * a.signum()) / 10);
        prop_assert_eq!(x.rounded::<9, 1>(), nearest);
        prop_assert_eq!(x.rounded::<9, 2>(), Some(x));
    }
}
