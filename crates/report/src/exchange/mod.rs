//! Answers in the forms of others: SARIF for code scanning, lines as compilers write them for editors and problem matchers.

pub mod gcc;
pub mod sarif;

pub use gcc::gcc;
pub use sarif::sarif;
