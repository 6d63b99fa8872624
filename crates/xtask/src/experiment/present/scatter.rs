//! How do two settings compare task by task? A plot with a point for each task and logarithmic axes; points under the diagonal became faster.

use std::fmt::Write;

const SIZE: f64 = 400.0;

/// A group of points: colour, name, and (seconds without, seconds with) of each task.
pub(crate) type Group = (&'static str, &'static str, Vec<(f64, f64)>);

/// Seconds between 0.0001 and 100.
fn at(seconds: f64) -> f64 {
    (seconds.clamp(1e-4, 100.0).log10() + 4.0) / 6.0 * SIZE
}

/// The plot.
pub(crate) fn svg(groups: &[Group]) -> String {
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-60 -10 {} {}\" width=\"{}\" height=\"{}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect x=\"-60\" y=\"-10\" width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        SIZE + 80.0,
        SIZE + 60.0,
        SIZE + 80.0,
        SIZE + 60.0
    );
    let _ = writeln!(
        text,
        "<rect width=\"{SIZE}\" height=\"{SIZE}\" fill=\"none\" stroke=\"#888\"/><line x1=\"0\" y1=\"{SIZE}\" x2=\"{SIZE}\" y2=\"0\" stroke=\"#bbb\"/>"
    );
    for power in -4..=2 {
        let place = at(10f64.powi(power));
        let label = format!("{}", 10f64.powi(power));
        let _ = writeln!(text, "<text x=\"{place:.1}\" y=\"{}\" text-anchor=\"middle\">{label}</text>", SIZE + 16.0);
        let _ = writeln!(text, "<text x=\"-6\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>", SIZE - place + 4.0);
    }
    let (middle, below) = (SIZE / 2.0, SIZE + 36.0);
    let _ = writeln!(text, "<text x=\"{middle}\" y=\"{below}\" text-anchor=\"middle\">seconds without</text>");
    let _ = writeln!(
        text,
        "<text x=\"-46\" y=\"{middle}\" text-anchor=\"middle\" transform=\"rotate(-90 -46 {middle})\">seconds with</text>"
    );
    for (number, (colour, name, points)) in groups.iter().enumerate() {
        for (without, with) in points {
            let (x, y) = (at(*without), SIZE - at(*with));
            let _ =
                writeln!(text, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\" fill-opacity=\"0.6\"/>");
        }
        let y = 16.0 + 16.0 * number as f64;
        let _ = writeln!(text, "<text x=\"10\" y=\"{y}\" fill=\"{colour}\">{name}</text>");
    }
    text.push_str("</svg>\n");
    text
}
