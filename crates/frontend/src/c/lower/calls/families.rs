//! Which families of library functions are there? Those that print, those that scan, and those of whose results only a part is fixed: tables, by name.

/// Where a text goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::c::lower) enum Sink {
    /// Nowhere that the program can see; the argument is a stream.
    Stream(usize),
    /// Likewise, without a stream.
    Outside,
    /// Into memory without a limit.
    Memory,
    /// Into so many bytes of memory, which the second argument says.
    Limited,
    /// Into a block of its own.
    Block,
}

/// A function of the family: where the text goes, and which argument is the format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::c::lower) struct Printer {
    pub(in crate::c::lower) sink: Sink,
    pub(in crate::c::lower) format: usize,
    pub(in crate::c::lower) is_wide: bool,
    /// Whether the arguments come as a `va_list`.
    pub(in crate::c::lower) takes_list: bool,
}

/// What a name of the family means.
pub(in crate::c::lower) fn printer(name: &str) -> Option<Printer> {
    let plain = match name.strip_prefix("__") {
        Some(name) if name.starts_with('v') && name.ends_with("_chk") => &name[1..],
        _ => name.strip_prefix('v').unwrap_or(name),
    };
    let takes_list = plain != name;
    let fortified = format!("__{plain}");
    let key = if takes_list && name.starts_with("__") { fortified.as_str() } else { plain };
    let (sink, format) = match key {
        "printf" | "wprintf" => (Sink::Outside, 0),
        "dprintf" | "syslog" | "__printf_chk" | "__wprintf_chk" => (Sink::Outside, 1),
        "__dprintf_chk" | "__syslog_chk" => (Sink::Outside, 2),
        "fprintf" | "fwprintf" => (Sink::Stream(0), 1),
        "__fprintf_chk" | "__fwprintf_chk" => (Sink::Stream(0), 2),
        "sprintf" => (Sink::Memory, 1),
        "__sprintf_chk" => (Sink::Memory, 3),
        "snprintf" => (Sink::Limited, 2),
        "__snprintf_chk" => (Sink::Limited, 4),
        "asprintf" => (Sink::Block, 1),
        "warn" | "warnx" => (Sink::Outside, 0),
        "err" | "errx" => (Sink::Outside, 1),
        "__asprintf_chk" => (Sink::Block, 2),
        _ => return None,
    };
    Some(Printer { sink, format, is_wide: name.contains("wprintf"), takes_list })
}

/// Where characters come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::c::lower) enum Source {
    /// The outside; the argument is a stream.
    Stream,
    /// The standard input.
    Outside,
    /// The text that the first argument points to.
    Text,
}

/// What a name of the family means.
pub(in crate::c::lower) fn source(name: &str) -> Option<Source> {
    match name.trim_start_matches("__isoc99_").trim_start_matches("__isoc23_") {
        "scanf" => Some(Source::Outside),
        "fscanf" => Some(Source::Stream),
        "sscanf" => Some(Source::Text),
        _ => None,
    }
}

/// What of a result is fixed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::c::lower) enum Fixed {
    /// Whether it is negative, zero or positive.
    Sign,
    /// Whether it is zero.
    Truth,
    /// Whether it is negative, and is `EOF` then.
    Failure,
}

/// What of a function's result is fixed, if not all.
pub(in crate::c::lower) fn fixed(name: &str) -> Option<Fixed> {
    match name {
        "strcmp" | "strncmp" | "memcmp" | "strcasecmp" | "strncasecmp" | "strcoll" => Some(Fixed::Sign),
        "puts" | "fputs" | "fputs_unlocked" => Some(Fixed::Failure),
        "bcmp" | "isspace" | "isdigit" | "islower" | "isupper" | "isalpha" | "isalnum" | "isxdigit" | "isprint"
        | "isblank" | "isgraph" | "iscntrl" | "ispunct" => Some(Fixed::Truth),
        _ => None,
    }
}
