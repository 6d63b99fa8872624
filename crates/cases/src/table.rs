//! How are tables written for spreadsheets and for comparing runs? As csv, quoted where a field needs it.

/// Lines of fields, the heading first; all of the same length.
pub fn csv<Line>(lines: impl IntoIterator<Item = Line>) -> String
where
    Line: IntoIterator,
    Line::Item: AsRef<[u8]>,
{
    // What was measured is worth more than the same number of fields in each line.
    let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    for line in lines {
        writer.write_record(line).expect("writing to memory does not fail");
    }
    let bytes = writer.into_inner().expect("writing to memory does not fail");
    String::from_utf8_lossy(&bytes).into_owned()
}
