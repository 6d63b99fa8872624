//! Which sums of words are always the same? The smallest set of states that is cut out by linear equations and holds all states that were seen.
//!
//! Known as: affine hull, linear congruences modulo a power of two \[King10], Karr's analysis \[Karr76] for machine words.
//!
//! A hull is one of its points and directions, modulo 2^width. Directions are kept so that each has a pivot: a column in which all later ones are zero, and whose power of two divides all its own
//! entries. So whether a point belongs to the hull, and which equations hold in it, shows by elimination.
//!
//! Invariant: a hull holds every point that was added, and every equation that it gives holds at each of them.

/// The smallest such set.
#[derive(Clone, Debug)]
pub(super) struct Hull {
    mask: u64,
    origin: Option<Vec<u64>>,
    rows: Vec<Row>,
}

#[derive(Clone, Debug)]
struct Row {
    pivot: usize,
    /// The entry at the pivot is this power of two.
    shift: u32,
    direction: Vec<u64>,
}

/// The sum of these columns, each so many times, is this constant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Equation {
    pub(super) factors: Vec<(usize, u64)>,
    pub(super) sum: u64,
}

impl Hull {
    /// Holds nothing yet.
    pub(super) fn new(width: u32) -> Hull {
        let mask = if width >= 64 { u64::MAX } else { (1 << width) - 1 };
        Hull { mask, origin: None, rows: Vec::new() }
    }

    /// Adds a point; whether it was outside.
    pub(super) fn add(&mut self, point: &[u64]) -> bool {
        let Some(origin) = &self.origin else {
            self.origin = Some(point.to_vec());
            return true;
        };
        let mut direction: Vec<u64> = point.iter().zip(origin).map(|(a, b)| a.wrapping_sub(*b) & self.mask).collect();
        let whole = direction.clone();
        for row in &self.rows {
            let entry = direction[row.pivot];
            if entry == 0 {
                continue;
            }
            if entry & ((1 << row.shift) - 1) != 0 {
                // It has a smaller power of two at this pivot, so the rows from here on change.
                let mut directions: Vec<Vec<u64>> =
                    std::mem::take(&mut self.rows).into_iter().map(|row| row.direction).collect();
                directions.push(whole);
                self.eliminate(directions);
                return true;
            }
            self.subtract(&mut direction, &row.direction, entry >> row.shift);
        }
        if direction.iter().all(|entry| *entry == 0) {
            return false;
        }
        // All pivots are zero in what is left, so it is a row of its own.
        self.eliminate(vec![direction]);
        true
    }

    fn subtract(&self, from: &mut [u64], row: &[u64], times: u64) {
        for (entry, other) in from.iter_mut().zip(row) {
            *entry = entry.wrapping_sub(other.wrapping_mul(times)) & self.mask;
        }
    }

    /// Gives each direction a pivot, the entry with the fewest factors of two first.
    fn eliminate(&mut self, mut directions: Vec<Vec<u64>>) {
        loop {
            let entries = directions.iter().enumerate().flat_map(|(row, direction)| {
                let odd =
                    move |(column, entry): (usize, &u64)| (*entry != 0).then(|| (entry.trailing_zeros(), row, column));
                direction.iter().enumerate().filter_map(odd)
            });
            let Some((shift, row, pivot)) = entries.min() else { return };
            let mut direction = directions.swap_remove(row);
            let inverse = inverse(direction[pivot] >> shift);
            direction.iter_mut().for_each(|entry| *entry = entry.wrapping_mul(inverse) & self.mask);
            for other in &mut directions {
                let times = other[pivot] >> shift;
                self.subtract(other, &direction, times);
            }
            self.rows.push(Row { pivot, shift, direction });
        }
    }

    /// The equations that hold in the hull: one for each column that is no pivot.
    pub(super) fn equations(&self) -> Vec<Equation> {
        let Some(origin) = &self.origin else { return Vec::new() };
        let is_pivot = |column: usize| self.rows.iter().any(|row| row.pivot == column);
        let of_column = |column: usize| {
            let mut factors = vec![(column, 1u64)];
            for row in self.rows.iter().rev() {
                let product = |(column, factor): &(usize, u64)| row.direction[*column].wrapping_mul(*factor);
                let sum = factors.iter().map(product).fold(0u64, u64::wrapping_add) & self.mask;
                let factor = (sum >> row.shift).wrapping_neg() & (self.mask >> row.shift);
                if factor != 0 {
                    factors.push((row.pivot, self.nearest_zero(factor, row.shift)));
                }
            }
            let sum = factors.iter().map(|(column, factor)| origin[*column].wrapping_mul(*factor));
            let sum = sum.fold(0u64, u64::wrapping_add) & self.mask;
            Equation { factors, sum }
        };
        (0..origin.len()).filter(|column| !is_pivot(*column)).map(of_column).collect()
    }

    /// Of a factor whose upper bits do not matter, the one next to zero.
    fn nearest_zero(&self, factor: u64, shift: u32) -> u64 {
        let known = self.mask >> shift;
        if factor > known >> 1 { factor.wrapping_sub(known).wrapping_sub(1) & self.mask } else { factor }
    }

    /// The number of directions.
    #[cfg(test)]
    fn rank(&self) -> usize {
        self.rows.len()
    }
}

/// The inverse of an odd number modulo 2^64, by Newton's method.
pub(super) fn inverse(odd: u64) -> u64 {
    let mut found = odd;
    for _ in 0..6 {
        found = found.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(found)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use logic::Prng;

    fn holds(equation: &Equation, point: &[u64], mask: u64) -> bool {
        let sum = equation.factors.iter().map(|(column, factor)| point[*column].wrapping_mul(*factor));
        sum.fold(0, u64::wrapping_add) & mask == equation.sum
    }

    #[test]
    fn distances_and_sums_are_found() {
        let mut hull = Hull::new(32);
        // b is a + 3, and c is 2a + d.
        for (a, d) in [(0u64, 5u64), (1, 5), (7, 9), (8, 1), (100, 77)] {
            hull.add(&[a, a + 3, 2 * a + d, d]);
        }
        assert_eq!(hull.rank(), 2);
        let equations = hull.equations();
        assert_eq!(equations.len(), 2);
        assert!(equations.iter().all(|equation| holds(equation, &[40, 43, 83, 3], u64::from(u32::MAX))));
        assert!(equations.iter().any(|equation| !holds(equation, &[40, 44, 83, 3], u64::from(u32::MAX))));
        assert!(equations.iter().any(|equation| !holds(equation, &[40, 43, 84, 3], u64::from(u32::MAX))));
    }

    #[test]
    fn the_first_point_fixes_everything() {
        let mut hull = Hull::new(8);
        assert!(hull.add(&[3, 250]));
        assert!(!hull.add(&[3, 250]));
        let sums: Vec<u64> = hull.equations().iter().map(|equation| equation.sum).collect();
        assert_eq!(sums, [3, 250]);
    }

    #[test]
    fn equations_hold_at_all_points_and_no_point_is_lost() {
        let mut random = Prng::new(7);
        for width in [4u32, 8, 32, 64] {
            let mask = if width == 64 { u64::MAX } else { (1 << width) - 1 };
            for _ in 0..300 {
                let n = 1 + random.index(5);
                let mut hull = Hull::new(width);
                let mut points: Vec<Vec<u64>> = Vec::new();
                for _ in 0..1 + random.index(6) {
                    // Even numbers, small ones and multiples of others make pivots that are not odd.
                    let shift = random.below(3);
                    let mut point: Vec<u64> = (0..n).map(|_| (random.number() << shift) & mask).collect();
                    if let (true, Some(last)) = (random.chance(2), points.last()) {
                        point = last.iter().map(|entry| entry.wrapping_add(4 << shift) & mask).collect();
                    }
                    let was_outside = !points.contains(&point);
                    assert!(!hull.add(&point) || was_outside, "what is inside already was added");
                    points.push(point);
                    for point in &points {
                        assert!(!hull.clone().add(point), "{point:?} is lost");
                        for equation in hull.equations() {
                            assert!(holds(&equation, point, mask), "{equation:?} at {point:?}, width {width}");
                        }
                    }
                }
                assert!(hull.rank() <= n);
            }
        }
    }

    #[test]
    fn a_point_outside_breaks_an_equation_if_pivots_are_odd() {
        let mut random = Prng::new(3);
        for _ in 0..300 {
            let mut hull = Hull::new(16);
            for _ in 0..1 + random.index(3) {
                hull.add(&[random.below(9), random.below(9), random.below(9), 1]);
            }
            let point = [random.below(9), random.below(9), random.below(9), random.below(2)];
            let is_outside = hull.clone().add(&point);
            let breaks = hull.equations().iter().any(|equation| !holds(equation, &point, 0xffff));
            let is_odd = hull.rows.iter().all(|row| row.shift == 0);
            assert!(breaks == is_outside || !is_odd, "{hull:?} {point:?}");
        }
    }
}
