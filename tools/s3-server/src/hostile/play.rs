//! Answers a request to a hostile bucket: what the question is turned into, what is carried out, what is made of the answer.

use std::time::Duration;

use hyper::http::request::Parts;
use tokio::time::sleep;

use super::case::{Case, Entry};
use super::deletion;
use super::dice::Dice;
use super::document;
use super::effects::{Effects, Item, item_of};
use super::encoding;
use super::envelope::{Envelope, error, gzip};
use super::listing::{self, Question};
use super::mutation::{Kind, Mutation};
use crate::http::answer::{Answer, Outcome};
use crate::http::state::State;
use crate::operations::{self, Context};
use crate::options::Settings;
use crate::request::deletion::{DeleteEntry, MultiDelete};
use crate::request::input::Input;
use crate::request::route::{Operation, Target};
use crate::store::{ListingQuery, Position, VersionsQuery};
use crate::xml::read::{Element, parse};

/// Answers the request, and notes it.
pub(crate) async fn play(
    state: &State,
    settings: &Settings,
    case: &Case,
    head: &Parts,
    target: Target,
    input: Input,
) -> Outcome {
    let items = items_of(&input);
    let operation = target.operation;
    let place = case.note(Entry {
        method: head.method.to_string(),
        uri: head.uri.to_string(),
        operation: Some(format!("{operation:?}")),
        items: items.clone(),
        ..Entry::default()
    });
    let context = Context {
        store: &state.store,
        stats: &state.stats,
        settings,
        bucket: &target.bucket,
        fault: None,
    };
    let Some(kind) = kind_of(operation) else {
        let answer = run(&context, operation, input);
        case.done(place, |entry| entry.status = answer.status());
        return Outcome::Answer(answer);
    };
    let identity = format!("{operation:?} {} {items:?}", target.query.canonical());
    let drawn = case.draw(kind, &identity);
    let envelope = Envelope::of(&drawn, kind);
    let mut coin = Dice::new(case.seed, &format!("coin {identity}"), 0);
    let answer = Job { case, context: &context, drawn: &drawn, envelope: &envelope, place };
    case.done(place, |entry| {
        entry.mutations = drawn.iter().map(|(mutation, _)| *mutation).collect()
    });
    let is_late_first = coin.percent(50);
    if let (Envelope::Late(ms), true) = (&envelope, is_late_first) {
        sleep(Duration::from_millis(*ms)).await;
    }
    let answer = match input {
        Input::DeleteObjects(request) => answer.delete_many(request, &mut coin),
        Input::DeleteObject { .. } => answer.delete_one(input, &mut coin),
        _ => answer.list(kind, input),
    };
    if let (Envelope::Late(ms), false) = (&envelope, is_late_first) {
        sleep(Duration::from_millis(*ms)).await;
    }
    let outcome = wrap(answer, &envelope);
    if let Outcome::Answer(answer) = &outcome {
        case.done(place, |entry| entry.status = answer.status());
    }
    outcome
}

fn items_of(input: &Input) -> Vec<Item> {
    match input {
        Input::DeleteObjects(request) => {
            request.objects.iter().map(|entry| (entry.key.clone(), entry.version.clone())).collect()
        }
        Input::DeleteObject { key, version } => {
            vec![(key.clone(), version.as_ref().map(ToString::to_string))]
        }
        _ => Vec::new(),
    }
}

fn kind_of(operation: Operation) -> Option<Kind> {
    match operation {
        Operation::ListObjectsV2 => Some(Kind::Objects),
        Operation::ListObjectVersions => Some(Kind::Versions),
        Operation::DeleteObjects => Some(Kind::DeleteMany),
        Operation::DeleteObject => Some(Kind::DeleteOne),
        _ => None,
    }
}

fn run(context: &Context, operation: Operation, input: Input) -> Answer {
    operations::run(context, operation, input).unwrap_or_else(|error| Answer::error(&error, false))
}

/// One answer in the making.
struct Job<'a> {
    case: &'a Case,
    context: &'a Context<'a>,
    drawn: &'a [(Mutation, Dice)],
    envelope: &'a Envelope,
    place: usize,
}

impl Job<'_> {
    fn has(&self, mutation: Mutation) -> bool {
        self.dice_of(mutation).is_some()
    }

    fn dice_of(&self, mutation: Mutation) -> Option<Dice> {
        let found = self.drawn.iter().find(|(drawn, _)| *drawn == mutation)?;
        Some(found.1.clone())
    }

    /// Whether the answer is not what the operation says.
    fn is_other(&self) -> bool {
        matches!(self.envelope, Envelope::Other { .. } | Envelope::Closed | Envelope::Silence)
    }

    fn write(&self, root: &Element) -> Answer {
        let style: Vec<_> = self.drawn.iter().map(|(mutation, _)| *mutation).collect();
        let mut dice = Dice::new(self.case.seed, "style", 0);
        Answer::xml(200, document::write(root, &style, &mut dice))
    }

    fn list(&self, kind: Kind, input: Input) -> Answer {
        let (token, follows) = match &input {
            Input::ListObjects { query, echo } => {
                (echo.continuation_token.clone(), self.objects_from(query))
            }
            Input::ListVersions { query, .. } => {
                (query.marker.as_ref().map(|marker| marker.key.clone()), self.versions_from(query))
            }
            _ => (None, Vec::new()),
        };
        let operation = match kind {
            Kind::Versions if self.has(Mutation::PlainListing) => Operation::ListObjectsV2,
            Kind::Versions => Operation::ListObjectVersions,
            _ => Operation::ListObjectsV2,
        };
        let prefix = input.listed_prefix().unwrap_or_default().to_owned();
        let answer = run(self.context, operation, self.another_question(input));
        let Some(mut root) =
            std::str::from_utf8(answer.body()).ok().and_then(|_| parse(answer.body()).ok())
        else {
            return answer;
        };
        if answer.status() != 200 {
            return answer;
        }
        encoding::decode(&mut root);
        let told: Vec<Item> =
            root.children.iter().filter(|e| listing::is_entry(e)).map(item_of).collect();
        let mut effects = Effects::default();
        if kind == Kind::Versions && self.has(Mutation::PlainListing) && told.is_empty() {
            // Nothing is there that could lack a version.
            effects.hidden.extend(follows.iter().cloned());
        }
        if self.has(Mutation::IgnoreToken) && token.is_some() {
            // The pages behind the first come again as well.
            effects.doubled += self.case.initial.len();
            effects.unordered = true;
        }
        let follows: Vec<Item> = follows.into_iter().filter(|item| !told.contains(item)).collect();
        let question = Question {
            versions: kind == Kind::Versions,
            prefix: &prefix,
            token: token.as_deref(),
            decoys: &self.case.decoys,
            follows: &follows,
        };
        for (mutation, dice) in self.drawn {
            listing::mutate(&mut root, *mutation, &question, &mut dice.clone(), &mut effects);
        }
        let (how, mut dice) = self.encoding();
        let raw = listing::marker_of_last(&root).filter(|_| self.has(Mutation::RawMarker));
        encoding::encode(&mut root, how, &mut dice);
        raw.iter().for_each(|marker| root.set("NextKeyMarker", marker));
        if !self.is_other() {
            self.case.excuse(effects);
        }
        self.write(&root)
    }

    fn encoding(&self) -> (Option<Mutation>, Dice) {
        const ENCODINGS: [Mutation; 8] = [
            Mutation::PercentBlank,
            Mutation::LowerHex,
            Mutation::EncodeAll,
            Mutation::RawNames,
            Mutation::HideEncoding,
            Mutation::EncodingCase,
            Mutation::BadEscape,
            Mutation::RawPlus,
        ];
        let found = self.drawn.iter().find(|(mutation, _)| ENCODINGS.contains(mutation));
        found
            .map_or((None, Dice::new(0, "", 0)), |(mutation, dice)| (Some(*mutation), dice.clone()))
    }

    /// The question that the store answers in the place of the one asked.
    fn another_question(&self, input: Input) -> Input {
        let max_keys = |asked: usize| {
            if self.has(Mutation::IgnoreMaxKeys) {
                1000
            } else if let Some(mut dice) = self.dice_of(Mutation::FewKeys) {
                asked.min(1 + dice.below(2))
            } else {
                asked
            }
        };
        let prefix =
            |asked: String| if self.has(Mutation::IgnorePrefix) { String::new() } else { asked };
        let delimiter = |asked: Option<String>| {
            if self.has(Mutation::IgnoreDelimiter) {
                None
            } else if self.has(Mutation::UnaskedDelimiter) {
                Some("/".to_owned())
            } else {
                asked
            }
        };
        match input {
            Input::ListObjects { query, echo } => {
                let ignored = if echo.continuation_token.is_some() {
                    self.has(Mutation::IgnoreToken)
                } else {
                    self.has(Mutation::IgnoreStart)
                };
                let query = ListingQuery {
                    prefix: prefix(query.prefix),
                    delimiter: delimiter(query.delimiter),
                    max_keys: max_keys(query.max_keys),
                    start: if ignored { Position::Start } else { query.start },
                };
                Input::ListObjects { query, echo }
            }
            Input::ListVersions { query, echo } => {
                let is_token = query.marker.as_ref().is_some_and(|marker| marker.version.is_some());
                let ignored =
                    self.has(if is_token { Mutation::IgnoreToken } else { Mutation::IgnoreStart });
                if self.has(Mutation::PlainListing) {
                    let start = query
                        .marker
                        .map_or(Position::Start, |marker| Position::AfterKey(marker.key));
                    let query = ListingQuery {
                        prefix: prefix(query.prefix),
                        delimiter: delimiter(query.delimiter),
                        max_keys: max_keys(query.max_keys),
                        start,
                    };
                    return Input::ListObjects { query, echo };
                }
                let query = VersionsQuery {
                    prefix: prefix(query.prefix),
                    delimiter: delimiter(query.delimiter),
                    max_keys: max_keys(query.max_keys),
                    marker: query.marker.filter(|_| !ignored),
                };
                Input::ListVersions { query, echo }
            }
            other => other,
        }
    }

    /// All that the question is about; nothing for one about folders.
    fn objects_from(&self, query: &ListingQuery) -> Vec<Item> {
        let Ok(bucket) = self.context.store.bucket(self.context.bucket) else { return Vec::new() };
        let query = ListingQuery { max_keys: usize::MAX, delimiter: None, ..query.clone() };
        let page = bucket.read().list_objects(&query);
        page.objects.iter().map(|(key, _)| (key.to_string(), None)).collect()
    }

    fn versions_from(&self, query: &VersionsQuery) -> Vec<Item> {
        let Ok(bucket) = self.context.store.bucket(self.context.bucket) else { return Vec::new() };
        let query = VersionsQuery { max_keys: usize::MAX, delimiter: None, ..query.clone() };
        let page = bucket.read().list_versions(&query);
        page.versions
            .iter()
            .map(|(key, v, _)| (key.to_string(), Some(v.id().to_string())))
            .collect()
    }

    fn delete_many(&self, request: MultiDelete, coin: &mut Dice) -> Answer {
        if let Some(dice) = self.dice_of(Mutation::PoisonKeys).filter(|_| !self.is_other())
            && let Some(code) = deletion::poison(&request.objects, dice)
        {
            return Answer::xml(400, error(code));
        }
        let quiet = request.quiet;
        let confirms = self.envelope.confirms(Kind::DeleteMany);
        let never =
            self.has(Mutation::NoMultiDelete) || (self.is_other() && !confirms && coin.percent(50));
        let (performed, refused): (Vec<DeleteEntry>, Vec<(DeleteEntry, &str)>) =
            if never { (Vec::new(), Vec::new()) } else { self.refuse(request.objects) };
        self.case.done(self.place, |entry| entry.performed = performed.len());
        let request = MultiDelete { objects: performed, quiet: false };
        let answer = run(self.context, Operation::DeleteObjects, Input::DeleteObjects(request));
        let Ok(mut root) = parse(answer.body()) else { return answer };
        for (entry, code) in refused {
            root.children.push(deletion::refusal(&entry.key, entry.version.as_deref(), code));
        }
        for (mutation, dice) in self.drawn {
            deletion::mutate(&mut root, *mutation, quiet, &self.case.decoys, &mut dice.clone());
        }
        if quiet && !self.has(Mutation::IgnoreQuiet) {
            deletion::make_quiet(&mut root);
        }
        self.write(&root)
    }

    /// Which keys are deleted, and which get an error.
    fn refuse<'c>(
        &self,
        objects: Vec<DeleteEntry>,
    ) -> (Vec<DeleteEntry>, Vec<(DeleteEntry, &'c str)>) {
        const NEED_ERRORS: [Mutation; 6] = [
            Mutation::RefuseKeys,
            Mutation::DropError,
            Mutation::EmptyCode,
            Mutation::DropCode,
            Mutation::EmptyErrorKey,
            Mutation::DropErrorKey,
        ];
        let found = self.drawn.iter().find(|(mutation, _)| NEED_ERRORS.contains(mutation));
        let Some((_, dice)) = found.filter(|_| !self.is_other()) else {
            return (objects, Vec::new());
        };
        let salt = dice.clone().below(usize::MAX) as u64;
        let (mut performed, mut refused) = (Vec::new(), Vec::new());
        for entry in objects {
            // By the key: what a store refuses out of habit it refuses every time.
            let mut dice = Dice::new(salt, &entry.key, 0);
            if dice.percent(30) {
                refused.push((entry, dice.pick(&deletion::CODES)));
            } else {
                performed.push(entry);
            }
        }
        (performed, refused)
    }

    fn delete_one(&self, input: Input, coin: &mut Dice) -> Answer {
        if !self.envelope.confirms(Kind::DeleteOne) && coin.percent(50) {
            return Answer::empty(204);
        }
        self.case.done(self.place, |entry| entry.performed = 1);
        let answer = run(self.context, Operation::DeleteObject, input);
        match self.dice_of(Mutation::MarkerCase) {
            Some(mut dice) => answer
                .with_header("x-amz-delete-marker", dice.pick(&["True", "TRUE", "1", "false"])),
            None => answer,
        }
    }
}

fn wrap(answer: Answer, envelope: &Envelope) -> Outcome {
    let length = answer.body().len();
    let part = |thousandths: &usize| 1.max(length * thousandths / 1000);
    Outcome::Answer(match envelope {
        Envelope::Closed => return Outcome::Close,
        Envelope::Silence => return Outcome::Never,
        Envelope::Whole | Envelope::Late(_) => answer,
        Envelope::Truncated(at) => answer.truncated(part(at)),
        Envelope::Cut(at) if length > 0 => answer.cut(part(at)),
        Envelope::Cut(_) => answer,
        Envelope::Gzip { said } => {
            let packed = gzip(answer.body());
            let answer = if length == 0 { answer } else { answer.with_body(packed.into()) };
            if *said { answer.with_header("content-encoding", "gzip") } else { answer }
        }
        Envelope::Other { status, headers, body } => {
            let mut answer = Answer::xml(*status, body.clone());
            for (name, value) in headers {
                answer = answer.with_header(name, value);
            }
            answer
        }
    })
}
