//! What a job may delete. Every delete request is made of objects that were checked here, whatever a listing or a caller said
//! before.

use super::fault::Fault;
use super::object::Deletable;

/// What a job was asked to delete.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// What all keys begin with; empty where any key may come.
    pub prefix: String,
    /// Whether versions are deleted, so that no key may come without one.
    pub versions: bool,
}

/// Objects of which a request may be made. Only [`Scope::check`] makes one.
#[derive(Clone, Copy, Debug)]
pub struct Checked<'a>(&'a [Deletable]);

impl<'a> Checked<'a> {
    /// The objects; there is at least one.
    pub fn items(self) -> &'a [Deletable] {
        self.0
    }
}

impl Scope {
    /// Checks the objects of one request.
    ///
    /// # Errors
    ///
    /// A fatal fault for the first object that the job was not asked to delete. None of the others may be sent then, because
    /// whoever named that one is not to be trusted with them.
    pub fn check<'a>(&self, items: &'a [Deletable]) -> Result<Checked<'a>, Fault> {
        if items.is_empty() {
            return Err(refused("A delete request without keys"));
        }
        match items.iter().find_map(|item| self.objection(item)) {
            Some(what) => Err(refused(&what)),
            None => Ok(Checked(items)),
        }
    }

    fn objection(&self, Deletable { key, version, .. }: &Deletable) -> Option<String> {
        if key.is_empty() {
            // Such a request would be the one that deletes the bucket.
            return Some("A delete request with an empty key".to_owned());
        }
        if !key.starts_with(&self.prefix) {
            let prefix = &self.prefix;
            return Some(format!("A delete request for {key:?}, which is outside of {prefix:?}"));
        }
        match version.as_deref() {
            Some("") => Some(format!("A delete request for {key:?} with an empty version")),
            // Without a version it would be another operation, which only hides the object.
            None if self.versions => {
                Some(format!("A delete request for a version of {key:?} without the version"))
            }
            _ => None,
        }
    }
}

fn refused(what: &str) -> Fault {
    Fault::fatal("InvalidListing", format!("{what} was about to be made; nothing of it was sent"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item((key, version): (&str, Option<&str>)) -> Deletable {
        Deletable::new(key.to_owned(), version.map(str::to_owned), 0, 1)
    }

    #[test]
    fn only_what_was_asked_for_passes() {
        // prefix, versions, objects, whether they pass
        type Row = (&'static str, bool, &'static [(&'static str, Option<&'static str>)], bool);
        let table: [Row; 16] = [
            ("", false, &[("a", None)], true),
            ("", false, &[], false),
            ("", false, &[("", None)], false),
            ("", false, &[("a", None), ("", None)], false),
            ("", false, &[("", Some("1"))], false),
            ("", false, &[("a", Some("1"))], true),
            ("", false, &[("a", Some(""))], false),
            ("", true, &[("a", Some("1")), ("b", Some("null"))], true),
            ("", true, &[("a", Some("1")), ("b", None)], false),
            ("", true, &[("a", Some(""))], false),
            ("tmp/", false, &[("tmp/", None), ("tmp/../a", None), ("tmp//", None)], true),
            ("tmp/", false, &[("tmp/a", None), ("tmp", None)], false),
            ("tmp/", false, &[("Tmp/a", None)], false),
            ("tmp/", false, &[("/tmp/a", None)], false),
            (" ", false, &[(" a", None)], true),
            (" ", false, &[("a", None)], false),
        ];
        for (prefix, versions, objects, passes) in table {
            let scope = Scope { prefix: prefix.to_owned(), versions };
            let items: Vec<_> = objects.iter().copied().map(item).collect();
            match scope.check(&items) {
                Ok(checked) => {
                    assert!(passes, "{prefix:?} {objects:?}");
                    assert_eq!(checked.items(), items);
                }
                Err(fault) => {
                    assert!(!passes, "{prefix:?} {objects:?}: {}", fault.message);
                    assert_eq!(fault.code, "InvalidListing");
                }
            }
        }
    }
}
