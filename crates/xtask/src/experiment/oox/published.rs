//! What \[Vrooman24] prints: figure 6.1, tables 6.2, A.6 and A.7, and the counts of its text.

/// Of EXP-1 and EXP-2: the depth, what the tool said without a reduction and with MPOR, with its seconds where they are printed, and what it should say.
pub(super) struct Verdicts {
    pub(super) depth: u32,
    pub(super) without: (&'static str, Option<f64>),
    pub(super) monotonic: (&'static str, Option<f64>),
    pub(super) expected: &'static str,
}

const fn row(
    depth: u32,
    without: &'static str,
    first: f64,
    monotonic: &'static str,
    second: f64,
    expected: &'static str,
) -> Verdicts {
    let without = if without.is_empty() { ("", None) } else { (without, Some(first)) };
    Verdicts { depth, without, monotonic: (monotonic, Some(second)), expected }
}

/// Table 6.2 prints no times and no depth; its programs are of the size of those in figure 6.1.
const fn untimed(without: &'static str, monotonic: &'static str, expected: &'static str) -> Verdicts {
    Verdicts { depth: 40, without: (without, None), monotonic: (monotonic, None), expected }
}

pub(super) const VERDICTS: [Verdicts; 19] = [
    row(40, "invalid", 0.17, "invalid", 0.18, "invalid"),
    row(40, "valid", 0.14, "valid", 0.16, "valid"),
    row(40, "invalid", 0.14, "invalid", 0.15, "invalid"),
    row(40, "valid", 29.37, "valid", 0.18, "valid"),
    row(40, "invalid", 0.14, "invalid", 0.14, "invalid"),
    row(40, "valid", 1.83, "valid", 0.15, "valid"),
    row(40, "deadlock", 0.01, "deadlock", 0.01, "deadlock"),
    row(40, "valid", 1.06, "valid", 0.13, "valid"),
    row(40, "invalid", 174.20, "invalid", 0.18, "invalid"),
    row(120, "", 0.0, "invalid", 0.20, "invalid"),
    row(120, "", 0.0, "valid", 1.17, "valid"),
    row(40, "invalid", 0.17, "invalid", 0.15, "invalid"),
    row(120, "", 0.0, "valid", 28.38, "valid"),
    untimed("valid", "valid", "valid"),
    untimed("invalid", "invalid", "invalid"),
    untimed("valid", "valid", "valid"),
    untimed("invalid", "invalid", "invalid"),
    untimed("deadlock", "deadlock", "valid"),
    untimed("deadlock", "deadlock", "deadlock"),
];

/// EXP-3: the traces without a reduction and with MPOR.
pub(super) const TRACES: [(&str, u64); 2] = [("NOPOR", 128), ("MPOR", 4)];

/// EXP-5: philosophers, and the seconds of MPOR until the deadlock, on average of ten runs.
pub(super) const DEADLOCKS: [(u32, f64); 2] = [(3, 2.23), (4, 51.50)];

/// Depth, then for NOPOR, SR and MPOR the seconds and paths.
pub(super) type Depths = (u32, [Option<(f64, u64)>; 3]);

pub(super) const A6: &[Depths] = &[
    (20, [Some((0.26, 1)), Some((0.35, 1)), Some((0.27, 1))]),
    (40, [Some((0.27, 5)), Some((0.26, 5)), Some((0.26, 5))]),
    (80, [Some((0.27, 18)), Some((0.27, 8)), Some((0.26, 8))]),
    (90, [Some((1.77, 3347)), Some((0.26, 13)), Some((0.27, 15))]),
    (95, [Some((33.87, 48479)), Some((0.28, 48)), Some((0.28, 37))]),
    (100, [Some((900.26, 2_041_193)), Some((0.33, 146)), Some((0.30, 77))]),
    (105, [None, Some((1.33, 1436)), Some((0.43, 264))]),
    (110, [None, Some((17.31, 22375)), Some((0.66, 665))]),
    (115, [None, Some((147.87, 882_280)), Some((1.54, 1908))]),
    (120, [None, None, Some((21.85, 30639))]),
    (125, [None, None, Some((93.92, 161_025))]),
    (130, [None, None, Some((487.03, 510_520))]),
];

pub(super) const A7: &[Depths] = &[
    (20, [Some((0.07, 112)), Some((0.02, 18)), Some((0.06, 40))]),
    (30, [Some((13.45, 69187)), Some((0.07, 28)), Some((0.08, 155))]),
    (31, [Some((38.43, 198_795)), None, None]),
    (32, [Some((107.11, 547_295)), None, None]),
    (40, [None, Some((0.08, 70)), Some((0.13, 277))]),
    (80, [None, Some((1.24, 4285)), Some((0.30, 813))]),
    (100, [None, Some((2.99, 8815)), Some((0.51, 1047))]),
    (120, [None, Some((5.11, 13585)), Some((0.52, 1077))]),
    (140, [None, Some((11.09, 31765)), Some((0.56, 1183))]),
    (150, [None, Some((15.14, 45355)), Some((0.59, 1267))]),
    (160, [None, Some((20.63, 56226)), Some((0.60, 1345))]),
    (170, [None, Some((25.17, 69655)), Some((0.61, 1411))]),
];
