//! How long, how much? Durations (`60s`, `500ms`, `2m`) and sizes (`4G`, `512M`) as people write them.

use std::time::Duration;

/// A limit on the command line: a quantity, or `none`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Limit<T>(pub(crate) Option<T>);

/// Reads a duration; a number alone means seconds.
pub(crate) fn duration(text: &str) -> Result<Limit<Duration>, String> {
    if text == "none" {
        return Ok(Limit(None));
    }
    let (number, unit) = split(text)?;
    let seconds = match unit.as_str() {
        "" | "s" => number,
        "ms" => number / 1e3,
        "m" | "min" => number * 60.0,
        "h" => number * 3600.0,
        _ => return Err(format!("`{unit}` is no unit of time; use ms, s, m or h")),
    };
    match Duration::try_from_secs_f64(seconds) {
        Ok(duration) if !duration.is_zero() => Ok(Limit(Some(duration))),
        _ => Err("the limit must be more than nothing; use `none` for no limit".to_string()),
    }
}

/// Reads a size in bytes.
pub(crate) fn size(text: &str) -> Result<Limit<u64>, String> {
    if text == "none" {
        return Ok(Limit(None));
    }
    let (number, unit) = split(text)?;
    let factor: u64 = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" | "kib" => 1 << 10,
        "m" | "mb" | "mib" => 1 << 20,
        "g" | "gb" | "gib" => 1 << 30,
        "t" | "tb" | "tib" => 1 << 40,
        _ => return Err(format!("`{unit}` is no unit of size; use K, M, G or T")),
    };
    let bytes = (number * factor as f64) as u64;
    if bytes == 0 {
        Err("the limit must be more than nothing; use `none` for no limit".to_string())
    } else {
        Ok(Limit(Some(bytes)))
    }
}

/// The number and the unit after it.
fn split(text: &str) -> Result<(f64, String), String> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number: f64 = text[..end].parse().map_err(|_| format!("`{text}` does not start with a number"))?;
    Ok((number, text[end..].trim().to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_read_as_written() {
        for (text, milliseconds) in [("60s", 60_000), ("60", 60_000), ("500ms", 500), ("2m", 120_000), ("1.5 s", 1500)]
        {
            assert_eq!(duration(text), Ok(Limit(Some(Duration::from_millis(milliseconds)))), "{text}");
        }
        for (text, bytes) in [("4G", 4 << 30), ("512M", 512 << 20), ("0.5k", 512), ("100", 100), ("1 GiB", 1 << 30)] {
            assert_eq!(size(text), Ok(Limit(Some(bytes))), "{text}");
        }
        assert_eq!(duration("none"), Ok(Limit(None)));
        for text in ["", "s", "-1s", "3 weeks", "0", "1e999", "..", "99999999999999999999999999h"] {
            assert!(duration(text).is_err(), "{text}");
        }
        assert!(size("4 bananas").is_err());
    }
}
