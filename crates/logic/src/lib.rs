//! Sorts, values and hash-consed terms.
