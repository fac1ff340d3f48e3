//! An answer as bytes: the document that it has to be, or the error that it is.

use crate::exec::s3::fault::Fault;
use crate::exec::s3::xml::{Malformed, Scanner, Token};

/// What was answered, as bytes.
pub struct Answer<'a> {
    /// The status.
    pub status: u16,
    /// The header that a single delete answers with when it made a marker.
    pub made_marker: bool,
    /// The body.
    pub body: &'a [u8],
}

impl Answer<'_> {
    /// The name of the outermost element, if the body is a document.
    pub fn root(&self) -> Option<&[u8]> {
        Scanner::new(self.body).child().ok().flatten()
    }

    /// Reads a document with one of these roots.
    ///
    /// # Errors
    ///
    /// The fault that was answered, or a passing one where the answer is no such document as a whole.
    pub fn expect<'s, T>(
        &'s self,
        roots: &[&[u8]],
        read: impl FnOnce(&mut Scanner<'s>) -> Result<T, Malformed>,
    ) -> Result<T, Fault> {
        if !(200..300).contains(&self.status) {
            return Err(self.fault());
        }
        let mut scanner = Scanner::new(self.body);
        let value = match scanner.child() {
            Ok(Some(root)) if roots.contains(&root) => read(&mut scanner),
            Ok(Some(b"Error")) => return Err(self.fault()),
            _ => Err(Malformed),
        };
        value.map_err(|Malformed| {
            let message =
                format!("The answer (status {}) is cut off or no S3 document", self.status);
            Fault::passing("MalformedAnswer", message)
        })
    }

    /// The error that the body tells, as far as it does.
    pub fn fault(&self) -> Fault {
        let (code, message) = read_error(self.body).unwrap_or_default();
        if code.is_empty() && (200..300).contains(&self.status) {
            return Fault::passing(
                "MalformedAnswer",
                "The answer is an error that names no code".to_owned(),
            );
        }
        Fault::answered(self.status, &code, message)
    }
}

fn read_error(body: &[u8]) -> Result<(String, String), Malformed> {
    let mut scanner = Scanner::new(body);
    let (mut code, mut message) = (String::new(), String::new());
    // Code and message count even if the document breaks off behind them.
    while let Ok(Some(token)) = scanner.token() {
        match token {
            Token::Open(b"Code") => code = scanner.text()?.into_owned(),
            Token::Open(b"Message") => message = scanner.text()?.into_owned(),
            _ => {}
        }
    }
    Ok((code, message))
}
