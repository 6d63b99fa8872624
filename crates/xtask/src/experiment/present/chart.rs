//! How does a table look as curves? A small SVG with a logarithmic vertical axis.

use super::table::Table;
use std::fmt::Write;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 70.0;
const BOTTOM: f64 = 50.0;
const TOP: f64 = 20.0;
const RIGHT: f64 = 190.0;
const COLOURS: [&str; 7] = ["#c0392b", "#2471a3", "#1e8449", "#6c3483", "#e59866", "#85c1e9", "#82e0aa"];

/// The columns of a table as curves over its first column.
pub(crate) fn svg(table: &Table, axis: &str, columns: &[usize]) -> String {
    let number = |row: &[String], at: usize| row.get(at).and_then(|cell| cell.parse::<f64>().ok());
    let curves: Vec<Vec<(f64, f64)>> = columns
        .iter()
        .map(|at| {
            let point = |row: &Vec<String>| Some((number(row, 0)?, number(row, *at).filter(|value| *value > 0.0)?));
            table.rows.iter().filter_map(point).collect()
        })
        .collect();
    let all = || curves.iter().flatten();
    let fold = |values: &mut dyn Iterator<Item = f64>| {
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
    };
    let (x_low, x_high) = fold(&mut all().map(|(x, _)| *x));
    let (y_low, y_high) = fold(&mut all().map(|(_, y)| y.log10()));
    let (y_low, y_high) = (y_low.floor(), y_high.ceil().max(y_low.floor() + 1.0));
    let x_at = |x: f64| LEFT + (x - x_low) / (x_high - x_low).max(1e-9) * (WIDTH - LEFT - RIGHT);
    let y_at = |y: f64| HEIGHT - BOTTOM - (y.log10() - y_low) / (y_high - y_low) * (HEIGHT - TOP - BOTTOM);

    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    if all().next().is_none() {
        out.push_str("<text x=\"20\" y=\"40\">no figures</text>\n</svg>\n");
        return out;
    }
    let mut power = y_low;
    while power <= y_high {
        let y = y_at(10f64.powf(power));
        let (right, label) = (WIDTH - RIGHT, 10f64.powf(power));
        let _ = writeln!(out, "<line x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{right}\" y2=\"{y:.1}\" stroke=\"#ddd\"/>");
        let _ = writeln!(out, "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>", LEFT - 6.0, y + 4.0);
        power += 1.0;
    }
    let mut last_label = f64::NEG_INFINITY;
    for row in &table.rows {
        // Labels that would run into each other are left out.
        if let Some(x) = number(row, 0).filter(|x| x_at(*x) - last_label >= 22.0) {
            last_label = x_at(x);
            let (x, y) = (x_at(x), HEIGHT - BOTTOM + 16.0);
            let label = escape(&row[0]);
            let _ =
                writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\" font-size=\"10\">{label}</text>");
        }
    }
    for (index, (curve, at)) in curves.iter().zip(columns).enumerate() {
        let colour = COLOURS[index % COLOURS.len()];
        let points: Vec<String> = curve.iter().map(|(x, y)| format!("{:.1},{:.1}", x_at(*x), y_at(*y))).collect();
        let _ = writeln!(
            out,
            "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" points=\"{}\"/>",
            points.join(" ")
        );
        for (x, y) in curve {
            let _ =
                writeln!(out, "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"2.5\" fill=\"{colour}\"/>", x_at(*x), y_at(*y));
        }
        let (x, y) = (WIDTH - RIGHT + 12.0, TOP + 16.0 * (index as f64 + 1.0));
        let label = escape(&table.columns[*at]);
        let _ = writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" fill=\"{colour}\">{label}</text>");
    }
    let (x, y) = ((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 12.0);
    let _ =
        writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{}</text>", escape(&table.columns[0]));
    let _ = writeln!(
        out,
        "<text x=\"14\" y=\"{:.1}\" transform=\"rotate(-90 14 {0:.1})\" text-anchor=\"middle\">{}</text>",
        HEIGHT / 2.0,
        escape(axis)
    );
    out.push_str("</svg>\n");
    out
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
