//! Tests of what becomes of a batch that is refused as a whole.

use super::*;

#[test]
fn a_refused_batch_tries_the_next_way_and_only_one_that_works_is_kept() {
    for (status, code) in
        [(501, ""), (404, ""), (307, ""), (411, ""), (412, ""), (415, ""), (405, "")]
    {
        let mut play = Play::new(None);
        let call = play.call("a b");
        for way in [Way::Multi(Checksum), Way::Multi(Md5)] {
            let request = play.sent("a b", way);
            play.answer(request, fault(status, code));
        }
        for key in ["a", "b"] {
            let request = play.sent(key, Way::Single);
            play.confirm(request);
        }
        assert_eq!(play.end(call).unwrap(), "2+0", "{status}");
        play.call("c d");
        play.sent("c", Way::Single);
    }
}

#[test]
fn a_batch_that_every_way_refuses_says_nothing_of_the_store() {
    let mut play = Play::new(None);
    let call = play.call("a");
    for way in [Way::Multi(Checksum), Way::Multi(Md5), Way::Single] {
        let request = play.sent("a", way);
        play.answer(request, fault(412, "PreconditionFailed"));
    }
    assert_eq!(play.end(call).unwrap(), "0+0 a:PreconditionFailed");
    play.call("b c");
    play.sent("b c", Way::Multi(Checksum));
}

#[test]
fn a_key_that_a_store_does_not_take_fails_alone() {
    for (status, code) in [(400, "KeyTooLongError"), (400, "MalformedXML"), (404, "NoSuchKey")] {
        let mut play = Play::new(None);
        play.call("first");
        let request = play.sent("first", Way::Multi(Checksum));
        play.confirm(request);
        let call = play.call("a b c");
        let request = play.sent("a b c", Way::Multi(Checksum));
        play.answer(request, fault(status, code));
        for key in ["a", "b", "c"] {
            let request = play.sent(key, Way::Single);
            if key == "b" {
                play.answer(request, fault(400, "InvalidKeyName"));
            } else {
                play.confirm(request);
            }
        }
        assert_eq!(play.end(call).unwrap(), "2+0 b:InvalidKeyName", "{code}");
        play.call("d e");
        play.sent("d e", Way::Multi(Checksum));
    }
}

#[test]
fn what_is_denied_is_not_asked_for_key_by_key() {
    let mut play = Play::new(None);
    let call = play.call("a b");
    let request = play.sent("a b", Way::Multi(Checksum));
    play.answer(request, fault(403, "AccessDenied"));
    assert_eq!(play.end(call).unwrap(), "0+0 a:AccessDenied b:AccessDenied");
}

#[test]
fn the_way_of_a_batch_is_that_of_the_moment_when_it_was_cut() {
    let ways = Arc::new(Ways::new(None));
    let (mut one, mut two) = (Play::of(Arc::clone(&ways), 1000), Play::of(ways, 1000));
    let (first, second) = (one.call("a b"), two.call("c d"));
    let late = two.sent("c d", Way::Multi(Checksum));
    for way in [Way::Multi(Checksum), Way::Multi(Md5)] {
        let request = one.sent("a b", way);
        one.answer(request, fault(501, "NotImplemented"));
    }
    for key in ["a", "b"] {
        let request = one.sent(key, Way::Single);
        one.confirm(request);
    }
    assert_eq!(one.end(first).unwrap(), "2+0");
    two.answer(late, fault(501, "NotImplemented"));
    for key in ["c", "d"] {
        let request = two.sent(key, Way::Single);
        two.confirm(request);
    }
    assert_eq!(two.end(second).unwrap(), "2+0");
}

#[test]
fn a_way_that_was_told_is_kept_and_the_error_names_the_option() {
    let mut play = Play::new(Some(Way::Multi(Checksum)));
    let call = play.call("a");
    let request = play.sent("a", Way::Multi(Checksum));
    play.answer(request, fault(501, "NotImplemented"));
    assert_eq!(play.end(call).unwrap(), "0+0 a:NotImplemented");
    assert!(play.settled[&call].failed[0].message.contains("deleteMode: 'md5'"));
}

#[test]
fn a_body_that_is_too_large_is_halved() {
    let mut play = Play::new(None);
    let keys: Vec<String> = (0..8).map(|i| format!("key-{i}")).collect();
    let call = play.call(&keys.join(" "));
    let mut sizes = Vec::new();
    while play.end(call).is_none() {
        let request = play.request();
        sizes.push(request.items.len());
        if request.items.len() > 2 {
            play.answer(request, fault(413, ""));
        } else {
            play.confirm(request);
        }
    }
    assert_eq!(sizes, [8, 4, 2, 2, 2, 2]);
    assert_eq!(play.end(call).unwrap(), "8+0");
}

#[test]
fn one_key_that_is_too_large_for_a_body_goes_without_one_or_the_error_names_the_option() {
    let mut play = Play::new(None);
    let call = play.call("a");
    let request = play.sent("a", Way::Multi(Checksum));
    play.answer(request, fault(413, ""));
    let request = play.sent("a", Way::Single);
    play.answer(request, fault(413, ""));
    assert!(play.settled[&call].failed[0].message.contains("batchSize"));
    let mut told = Play::new(Some(Way::Multi(Checksum)));
    let call = told.call("a");
    let request = told.sent("a", Way::Multi(Checksum));
    told.answer(request, fault(413, ""));
    assert!(told.settled[&call].failed[0].message.contains("batchSize"));
}

#[test]
fn bodies_stay_below_a_megabyte_and_shrink_where_connections_break() {
    let mut play = Play::new(None);
    let key = |i: usize| format!("{i:04}{}", "&".repeat(1000));
    let call = play.call(&(0..1000).map(key).collect::<Vec<_>>().join(" "));
    let request = play.request();
    assert!((150..250).contains(&request.items.len()), "{}", request.items.len());
    let count = request.items.len();
    let cut = || Err(Fault::passing("ConnectionError", "reset".to_owned()));
    play.answer(request, cut());
    // The waiting keys are sent first, because those of the broken connection wait for a moment.
    let mut largest = 0;
    while play.end(call).is_none() {
        let request = play.request();
        largest = largest.max(request.items.len());
        if request.ticket.tries == 1 && request.items.len() == count {
            play.answer(request, cut());
        } else {
            assert!(request.ticket.tries < 2 || request.items.len() <= count / 2);
            play.confirm(request);
        }
    }
    assert_eq!((largest, play.end(call).unwrap().as_str()), (count, "1000+0"));
}
