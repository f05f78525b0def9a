//! Ends of tasks.

use crate::common::{content, listener, options, over};
use armilla_stream::{Checksum, FlowConsumer, FlowProducer, FlowSpec, StreamError};
use futures_io::{AsyncRead, AsyncWrite};
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

/// The smallest executor.
fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let (mut future, mut cx) = (pin!(future), Context::from_waker(&waker));
    loop {
        match future.as_mut().poll(&mut cx) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}

#[test]
fn tasks_send_and_receive_in_both_framings() {
    let listener = listener();
    let octets = Arc::new(content(1_500_000));
    for spec in [FlowSpec::sized(octets.len() as u64), FlowSpec::unsized_()] {
        for transport in ["tcp", "unix"] {
            let sending = Arc::clone(&octets);
            let (done, sent) = std::sync::mpsc::channel();
            let work = move |producer: Result<FlowProducer, StreamError>| {
                let mut producer = producer.unwrap().into_async().unwrap();
                let summary = block_on(async {
                    let mut at = 0;
                    while at < sending.len() {
                        let write = |cx: &mut Context<'_>| {
                            Pin::new(&mut producer).poll_write(cx, &sending[at..])
                        };
                        at += poll_fn(write).await.unwrap();
                    }
                    producer.finish().await
                });
                done.send(summary).unwrap();
            };
            let request = over(transport).with_checksum(Checksum::Crc32);
            let (agreement, _) = listener.agree(&request, spec.clone(), work).unwrap();
            let consumer: FlowConsumer = agreement.collect(&options()).unwrap();
            let mut consumer = consumer.into_async().unwrap();
            let found = block_on(async {
                let (mut found, mut buffer) = (Vec::new(), vec![0; 100_000]);
                loop {
                    let read =
                        |cx: &mut Context<'_>| Pin::new(&mut consumer).poll_read(cx, &mut buffer);
                    match poll_fn(read).await.unwrap() {
                        0 => return found,
                        count => found.extend_from_slice(&buffer[..count]),
                    }
                }
            });
            assert!(found == *octets, "{transport}");
            assert_eq!(sent.recv().unwrap().unwrap().octets, octets.len() as u64);
        }
    }
}

#[test]
fn a_task_cannot_wait_for_shared_memory() {
    let listener = listener();
    let work = |_: Result<FlowProducer, StreamError>| {};
    let (agreement, _) = listener.agree(&over("shm"), FlowSpec::sized(1), work).unwrap();
    let consumer: FlowConsumer = agreement.collect(&options()).unwrap();
    let error = consumer.into_async().unwrap_err().to_string();
    assert!(error.contains("shared memory"), "{error}");
}

/// A producer for a task, and its consumer.
fn pair(spec: FlowSpec) -> (armilla_stream::AsyncFlowProducer, FlowConsumer) {
    let listener = listener();
    let (hand, handed) = std::sync::mpsc::channel();
    let work = move |producer: Result<FlowProducer, StreamError>| {
        hand.send(producer.unwrap().into_async().unwrap()).unwrap();
    };
    let (agreement, _) = listener.agree(&over("unix"), spec, work).unwrap();
    let consumer = agreement.collect(&options()).unwrap();
    (handed.recv().unwrap(), consumer)
}

/// Writes until the transport takes no more; how many octets it has taken.
fn fill(producer: &mut armilla_stream::AsyncFlowProducer) -> u64 {
    let mut cx = Context::from_waker(Waker::noop());
    let mut taken = 0;
    while let Poll::Ready(count) = Pin::new(&mut *producer).poll_write(&mut cx, &[7; 70_000]) {
        taken += count.unwrap() as u64;
    }
    taken
}

#[test]
fn what_a_task_gives_up_to_write_is_not_part_of_the_flow() {
    let (mut producer, mut consumer) = pair(FlowSpec::unsized_());
    // The last write would wait; nobody repeats it.
    let taken = fill(&mut producer);
    assert_eq!(producer.control().transferred(), taken);
    let read = thread::spawn(move || {
        let mut octets = Vec::new();
        std::io::Read::read_to_end(&mut consumer, &mut octets).unwrap();
        octets
    });
    assert_eq!(block_on(producer.finish()).unwrap().octets, taken);
    let octets = read.join().unwrap();
    assert!(octets.len() as u64 == taken && octets.iter().all(|octet| *octet == 7));
}

#[test]
fn an_end_that_a_task_drops_cuts_the_flow() {
    for spec in [FlowSpec::unsized_(), FlowSpec::sized(1 << 30)] {
        let (mut producer, consumer) = pair(spec.clone());
        fill(&mut producer);
        drop(consumer.into_async().unwrap());
        let write = |cx: &mut Context<'_>| Pin::new(&mut producer).poll_write(cx, &[7; 100]);
        let error = block_on(poll_fn(write)).unwrap_err();
        assert!(matches!(StreamError::of(&error), Some(StreamError::Cut { .. })), "{error}");

        let (mut producer, mut consumer) = pair(spec);
        fill(&mut producer);
        drop(producer);
        let error = std::io::Read::read_to_end(&mut consumer, &mut Vec::new()).unwrap_err();
        assert!(matches!(StreamError::of(&error), Some(StreamError::Cut { .. })), "{error}");
    }
}
