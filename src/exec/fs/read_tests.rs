//! Files that change while they are read.

use super::*;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Barrier;
use std::time::{Duration, Instant};

/// A file of its own for each test, deleted at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        Self(std::env::temp_dir().join(format!("ya-syn-{name}-{}", std::process::id())))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// No byte of it is 0.
fn content(size: usize) -> Vec<u8> {
    (0..size).map(|n| (n % 255) as u8 + 1).collect()
}

fn read_now(path: &Path, known: Known) -> Vec<u8> {
    read(path, known, &|| true).unwrap()
}

#[test]
fn a_file_that_is_truncated_while_it_is_read_gives_a_prefix_of_what_was_in_it() {
    let scratch = Scratch::new("truncated");
    for (size, rounds) in [(2_000_000, 1000), (900, 500), (60_000, 500)] {
        let content = content(size);
        let barrier = Barrier::new(2);
        let mut wrong = 0;
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for round in 0..rounds {
                    std::fs::write(&scratch.0, &content).unwrap();
                    let file = File::options().write(true).open(&scratch.0).unwrap();
                    barrier.wait();
                    // Somewhere within a page, at varying times.
                    let (start, pause) =
                        (Instant::now(), Duration::from_micros(round as u64 % 250 * 4));
                    while start.elapsed() < pause {
                        std::hint::spin_loop();
                    }
                    file.set_len((size - size / 20 - round) as u64).unwrap();
                    barrier.wait();
                }
            });
            for round in 0..rounds {
                barrier.wait();
                let known = Known { size: size as u64, special: None };
                let data = read_now(&scratch.0, known);
                barrier.wait();
                let is_right = content.starts_with(&data) && data.len() >= size - size / 20 - round;
                wrong += usize::from(!is_right);
            }
        });
        assert_eq!(wrong, 0, "of {rounds} files of {size} bytes");
    }
}

#[test]
fn a_file_that_was_truncated_or_has_grown_since_it_was_looked_at_is_read_as_it_is() {
    let scratch = Scratch::new("changed");
    let content = content(300_000);
    for size in [1, 5000, 70_000, 200_000] {
        std::fs::write(&scratch.0, &content[..size]).unwrap();
        for looked_at in [1, size / 2, size - 1, size, size + 1, 2 * size, 300_000] {
            let known = Known { size: looked_at as u64, special: None };
            assert!(read_now(&scratch.0, known) == content[..size], "{size} after {looked_at}");
        }
    }
}

#[test]
fn a_file_that_grows_while_it_is_read_gives_a_prefix_of_what_it_becomes() {
    let scratch = Scratch::new("growing");
    let content = content(1_000_000);
    std::fs::write(&scratch.0, &content[..100_000]).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut file = File::options().append(true).open(&scratch.0).unwrap();
            content[100_000..].chunks(10_000).for_each(|part| file.write_all(part).unwrap());
        });
        loop {
            let known = look(&scratch.0).unwrap();
            let data = read_now(&scratch.0, known);
            assert!(content.starts_with(&data) && data.len() as u64 >= known.size);
            if data.len() == content.len() {
                break;
            }
        }
    });
}

#[test]
fn zeros_that_are_in_a_file_stay() {
    let scratch = Scratch::new("zeros");
    for size in [1, 4096, 100_000] {
        std::fs::write(&scratch.0, vec![0; size]).unwrap();
        assert_eq!(read_now(&scratch.0, look(&scratch.0).unwrap()), vec![0; size]);
    }
}
