//! Which place of the user's own files a piece of preprocessed text stands for.
//!
//! Line markers say which line of which file follows; everything else is about columns and about what to quote. Where
//! the original file's text is at hand (`Originals`), that text is quoted and the preprocessed line is aligned with it
//! ([`align`](mod@align)); a token that came out of a macro gets the macro's place. Where it is not, the preprocessed line itself is
//! quoted. The preprocessor sometimes spreads one line over several pieces, each with its own marker;
//! these are joined again into one quoted line, and columns count in the joined text.
//!
//! Invariant: a span's column, unless 0, is a column of the text that `ir::Sources` holds for its line.
//! Reading files is not done here; see `c::preprocess`.

mod align;

use std::collections::BTreeMap;

use align::{Aligned, align};
use ir::{FileId, Sources, Span};

/// Longer joined lines help nobody; pieces beyond this have no column.
const JOINED_LINE_LIMIT: usize = 400;

/// Longer original lines are not aligned: a line may come in many pieces, and each costs its whole length.
const ALIGNED_LINE_LIMIT: usize = 10_000;

/// The text of files as they were before preprocessing, by the path that line markers use.
#[derive(Clone, Debug, Default)]
pub struct Originals {
    lines_of: BTreeMap<String, Vec<String>>,
}

impl Originals {
    /// Adds a file.
    pub fn insert(&mut self, path: &str, text: &[u8]) {
        let lines = String::from_utf8_lossy(text).lines().map(str::to_string).collect();
        self.lines_of.insert(path.to_string(), lines);
    }

    /// Whether some line has a word.
    pub fn mention(&self, word: &str) -> bool {
        self.lines_of.values().flatten().any(|line| line.contains(word))
    }

    /// The line numbered from 1 of a file.
    fn line(&self, path: &str, line: u32) -> Option<&str> {
        self.lines_of.get(path)?.get((line as usize).checked_sub(1)?).map(String::as_str)
    }
}

/// Follows the lines of one preprocessed text and gives its tokens their places.
pub(crate) struct SourceMap<'a> {
    sources: &'a mut Sources,
    originals: &'a Originals,
    file_of_path: BTreeMap<String, FileId>,
    file: FileId,
    has_original: bool,
    line: u32,
    /// What a line marker said about the next line.
    announced: Option<u32>,
    columns: Columns,
    /// Bytes and characters of the quoted or physical line counted so far: long lines would cost quadratic time.
    counted: (usize, usize),
    /// The line that was last looked up in its original, and how far.
    resume: (FileId, u32, usize),
}

/// How columns of the current physical line become columns of the quoted line.
enum Columns {
    /// No token of this physical line has been seen yet.
    Fresh,
    /// The physical line is quoted, this many characters further right.
    Shifted { by: i64 },
    /// The original line is quoted. `next` is the first word that no token has asked for.
    Original { words: Vec<Aligned>, next: usize },
    /// Nothing sensible can be quoted.
    Unknown,
}

impl<'a> SourceMap<'a> {
    /// Starts at line 1 of `path`.
    pub(crate) fn new(sources: &'a mut Sources, originals: &'a Originals, path: &str) -> SourceMap<'a> {
        let file = sources.file(path);
        let has_original = originals.lines_of.contains_key(path);
        let file_of_path = BTreeMap::from([(path.to_string(), file)]);
        SourceMap {
            sources,
            originals,
            file_of_path,
            file,
            has_original,
            line: 1,
            announced: None,
            columns: Columns::Fresh,
            counted: (0, 0),
            resume: (file, 0, 0),
        }
    }

    /// A line marker: the next physical line is `line` of `path`, or of the same file.
    pub(crate) fn announce(&mut self, line: u32, path: Option<&str>) {
        self.announced = Some(line);
        let Some(path) = path else { return };
        self.file = match self.file_of_path.get(path) {
            Some(&file) => file,
            None => {
                let file = self.sources.file(path);
                self.file_of_path.insert(path.to_string(), file);
                file
            }
        };
        self.has_original = self.originals.lines_of.contains_key(path);
    }

    /// A physical line has ended.
    pub(crate) fn next_line(&mut self) {
        self.line = self.announced.take().unwrap_or_else(|| self.line.saturating_add(1));
        self.columns = Columns::Fresh;
    }

    /// The place of a token. `line` is the physical line without its end, `start` the token's byte offset in it.
    pub(crate) fn span(&mut self, line: &[u8], start: usize, length: usize) -> Span {
        if matches!(self.columns, Columns::Fresh) {
            self.columns = self.begin_line(line);
        }
        let start = start.min(line.len());
        let end = (start + length.max(1)).min(line.len()).max(start);
        let (column, end_column) = match &mut self.columns {
            Columns::Shifted { by } => {
                let column = count_up_to(&mut self.counted, line, start) as i64 + 1 + *by;
                let width = characters(&line[start..end]).max(1) as i64;
                if column < 1 { (0, 0) } else { (column as u32, (column + width) as u32) }
            }
            Columns::Original { words, next } => {
                let quoted = self.sources.files[self.file.0 as usize].lines.get(&self.line).map_or("", String::as_str);
                while words.get(*next).is_some_and(|word| word.start < start) {
                    *next += 1;
                }
                match words.get(*next) {
                    Some(word) => {
                        if word.is_same {
                            self.resume = (self.file, self.line, word.to);
                        }
                        let column = count_up_to(&mut self.counted, quoted.as_bytes(), word.from) as u32 + 1;
                        let text =
                            if word.is_same { &line[start..end] } else { &quoted.as_bytes()[word.from..word.to] };
                        (column, column + characters(text) as u32)
                    }
                    // The end of the file: after what has been found.
                    None => (characters(quoted.as_bytes()) as u32 + 1, 0),
                }
            }
            Columns::Fresh | Columns::Unknown => (0, 0),
        };
        Span { file: self.file, line: self.line.max(1), column, end_column }
    }

    /// Decides what is quoted for the physical line that begins to have tokens.
    fn begin_line(&mut self, physical: &[u8]) -> Columns {
        let line = self.line.max(1);
        self.line = line;
        self.counted = (0, 0);
        let source_file = &mut self.sources.files[self.file.0 as usize];
        if self.has_original
            && let Some(original) = self.originals.line(&source_file.path, line)
        {
            let same = original.trim_end().as_bytes() == physical.trim_ascii_end();
            source_file.lines.entry(line).or_insert_with(|| original.to_string());
            // The preprocessor may spread one line over several physical ones.
            let (file, resumed_line, found) = self.resume;
            let cursor = if (file, resumed_line) == (self.file, line) { found } else { 0 };
            return if same {
                Columns::Shifted { by: 0 }
            } else if original.len() > ALIGNED_LINE_LIMIT {
                Columns::Unknown
            } else {
                Columns::Original { words: align(original, cursor, physical), next: 0 }
            };
        }
        let physical = String::from_utf8_lossy(physical.trim_ascii_end()).into_owned();
        let Some(quoted) = source_file.lines.get_mut(&line) else {
            source_file.lines.insert(line, physical);
            return Columns::Shifted { by: 0 };
        };
        let piece = physical.trim_start();
        let indentation = (physical.len() - piece.len()) as i64;
        if quoted.len() + piece.len() > 4 * JOINED_LINE_LIMIT {
            return if *quoted == physical { Columns::Shifted { by: 0 } } else { Columns::Unknown };
        }
        if let Some(found) = quoted.find(piece) {
            return Columns::Shifted { by: quoted[..found].chars().count() as i64 - indentation };
        }
        if quoted.len() + piece.len() > JOINED_LINE_LIMIT {
            return Columns::Unknown;
        }
        quoted.push(' ');
        let by = quoted.chars().count() as i64 - indentation;
        quoted.push_str(piece);
        Columns::Shifted { by }
    }
}

/// The number of characters before byte `end`, counted on from the last answer.
fn count_up_to(counted: &mut (usize, usize), bytes: &[u8], end: usize) -> usize {
    if end < counted.0 {
        *counted = (0, 0);
    }
    *counted = (end, counted.1 + characters(&bytes[counted.0..end]));
    counted.1
}

fn characters(bytes: &[u8]) -> usize {
    if bytes.is_ascii() { bytes.len() } else { String::from_utf8_lossy(bytes).chars().count() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_one_line_are_joined() {
        let (mut sources, originals) = (Sources::default(), Originals::default());
        let mut map = SourceMap::new(&mut sources, &originals, "a.c");
        map.announce(7, Some("b.c"));
        map.next_line();
        assert_eq!(map.span(b"  f(", 2, 1).column, 3);
        map.announce(7, None);
        map.next_line();
        let span = map.span(b"   x)", 3, 1);
        assert_eq!((span.line, span.column), (7, 6));
        assert_eq!(sources.line(span), Some("  f( x)"));
        assert_eq!(sources.path(span), "b.c");
    }

    #[test]
    fn the_original_line_is_quoted_and_macros_point_at_their_name() {
        let mut originals = Originals::default();
        originals.insert("a.c", b"int x;\n  y =   MAX + z;\n");
        let mut sources = Sources::default();
        let mut map = SourceMap::new(&mut sources, &originals, "a.c");
        map.next_line();
        let line = b"  y = 99 + z;";
        let columns: Vec<(u32, u32)> = [(2, 1), (4, 1), (6, 2), (9, 1), (11, 1)]
            .map(|(start, length)| map.span(line, start, length))
            .map(|span| (span.column, span.end_column))
            .to_vec();
        assert_eq!(columns, [(3, 4), (5, 6), (9, 12), (13, 14), (15, 16)]);
        assert_eq!(sources.files[0].lines[&2], "  y =   MAX + z;");
    }

    #[test]
    fn columns_count_characters() {
        let (mut sources, originals) = (Sources::default(), Originals::default());
        let mut map = SourceMap::new(&mut sources, &originals, "a.c");
        assert_eq!(map.span("/*é*/ x".as_bytes(), 7, 1).column, 7);
        map.next_line();
        assert_eq!(map.span(b"\"\xff\xfe\" y", 5, 1).column, 6);
    }
}
