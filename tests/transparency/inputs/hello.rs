// SPDX-License-Identifier: MIT
use std::collections::BTreeMap;
use std::thread;

fn main() {
    let handles: Vec<_> = (0..4u64)
        .map(|i| thread::spawn(move || (0..1000u64).map(|n| n * i).sum::<u64>()))
        .collect();
    let mut sums = BTreeMap::new();
    for (i, handle) in handles.into_iter().enumerate() {
        sums.insert(format!("thread {}", i), handle.join().unwrap());
    }
    println!("{:?}", sums);
}
