//! Asks the store what the names in its listings mean, where they may mean two things.

use super::Client;
use crate::exec::s3::answer::names::{self, Plus};
use crate::exec::s3::answer::undeclared::{Reading, conclude_undeclared};
use crate::exec::s3::answer::{ListRequest, Page};
use crate::exec::s3::fault::Fault;
use crate::exec::s3::progress::Progress;
use crate::exec::s3::target::Target;

fn invalid(what: String) -> Fault {
    Fault::invalid_listing(&what)
}

impl Client {
    /// Finds out whether the names of a page are encoded that does not say so: by a few small questions, once per client as a rule.
    pub(super) async fn declare(
        &self,
        page: &mut Page,
        target: &Target,
        request: &ListRequest,
        progress: &Progress,
    ) -> Result<(), Fault> {
        let doubts = self.names(request).declare(page).map_err(invalid)?;
        if doubts.is_empty() {
            return Ok(());
        }
        self.ask_for_encoding(target, request, &doubts, progress).await?;
        self.names(request).declare(page).map(drop).map_err(invalid)
    }

    async fn ask_for_encoding(
        &self,
        target: &Target,
        request: &ListRequest,
        doubts: &[String],
        progress: &Progress,
    ) -> Result<(), Fault> {
        for name in doubts {
            let mut asked = vec![name.clone()];
            for plus in [Plus::Plus, Plus::Blank] {
                let decoded = names::decode(name, plus).map_err(invalid)?;
                if !asked.contains(&decoded) {
                    asked.push(decoded);
                }
            }
            // Nothing but what was asked for is asked for.
            asked.retain(|asked| asked.starts_with(&request.prefix));
            if asked.is_empty() {
                let prefix = &request.prefix;
                return Err(invalid(format!(
                    "names a key outside of the prefix {prefix:?}: {name:?}"
                )));
            }
            for asked in asked {
                let (answered, is_declared) = self.first(target, request, &asked, progress).await?;
                if is_declared && answered.is_some() {
                    let what = "encodes the names of one page and not of another";
                    return Err(invalid(what.to_owned()));
                }
                if let Some(reading) = conclude_undeclared(&asked, answered.as_deref()) {
                    self.names(request).found(reading);
                    if reading != Reading::RawPlus || !name.contains('%') {
                        return Ok(());
                    }
                }
            }
        }
        Err(invalid("does not tell whether the names that it lists are encoded".to_owned()))
    }

    /// Finds out what `+` is in these names: at most two small questions for each, and once per client as a rule.
    pub(super) async fn ask_for_plus(
        &self,
        target: &Target,
        request: &ListRequest,
        doubts: &[String],
        progress: &Progress,
    ) -> Result<(), Fault> {
        let told = names::conclude_by_prefix(doubts, &request.prefix).map_err(invalid)?;
        if let Some(plus) = told {
            self.names(request).learn(plus);
            return Ok(());
        }
        let first = async |name: &str, plus: Plus| {
            let asked = names::decode(name, plus).map_err(invalid)?;
            let (answered, is_declared) = self.first(target, request, &asked, progress).await?;
            // Names that are not encoded tell nothing of how they would be.
            let is_encoded = is_declared || self.names(request).hides_encoding();
            Ok::<_, Fault>((asked, answered.filter(|_| is_encoded)))
        };
        for name in doubts {
            let (plus, as_plus) = first(name, Plus::Plus).await?;
            let (blank, as_blank) = first(name, Plus::Blank).await?;
            let found = names::conclude((&plus, as_plus.as_deref()), (&blank, as_blank.as_deref()));
            if let Some(found) = found {
                self.names(request).learn(found);
                break;
            }
        }
        Ok(())
    }

    /// The first name that begins with this, as it stands in the answer, and whether that says that it is encoded.
    async fn first(
        &self,
        target: &Target,
        request: &ListRequest,
        asked: &str,
        progress: &Progress,
    ) -> Result<(Option<String>, bool), Fault> {
        let question = ListRequest {
            prefix: asked.to_owned(),
            versions: request.versions,
            max_keys: Some(1),
            ..ListRequest::default()
        };
        let page = self.page(target, &question, progress).await?;
        let name = page.objects.into_iter().next().map(|object| object.key);
        Ok((name, page.is_encoded))
    }
}
