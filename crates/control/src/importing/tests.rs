use std::io::{Cursor, Write as _};

use rustix::process::getpriority_process;
use tollgate_model::user::Role;

use super::*;
use crate::harness::House;

const WSDL: &str = include_str!("../../../soap/tests/cases/doctype.wsdl");

/// Memory of an import, of which four are parsed at a time.
const IMPORT_BYTES: usize = 64 << 20;

/// Returns the reservation if the import need not wait any longer.
async fn poll(
    waiting: &mut (impl Future<Output = Result<Reservation, Problem>> + Unpin),
) -> Option<Reservation> {
    // `timeout` polls the future once, even if the time is over.
    let reserved = timeout(Duration::ZERO, waiting).await.ok()?;
    Some(reserved.unwrap())
}

/// Reserves memory for an import that has not waited yet.
async fn reserve(importing: &Importing, bytes: usize) -> Result<Reservation, Problem> {
    importing.admission().reserve(bytes).await
}

#[tokio::test]
async fn imports_wait_in_order_beyond_256_mb_and_leave_with_their_clients() {
    let importing = Importing::default();
    let mut held = Vec::new();
    for _ in 0..4 {
        held.push(reserve(&importing, IMPORT_BYTES).await.unwrap());
    }
    let mut large = Box::pin(reserve(&importing, 2 * IMPORT_BYTES));
    let mut gone = Box::pin(reserve(&importing, BYTES_MAX));
    let mut small = Box::pin(reserve(&importing, 1));
    assert!(poll(&mut large).await.is_none());
    assert!(poll(&mut gone).await.is_none());
    assert!(poll(&mut small).await.is_none());
    // What is free is not enough for the first, and no other overtakes it.
    held.pop();
    assert!(poll(&mut small).await.is_none());
    held.pop();
    let large = poll(&mut large).await.unwrap();
    held.clear();
    assert!(poll(&mut small).await.is_none());
    drop(gone);
    assert!(poll(&mut small).await.is_some());
    drop(large);
    // More than the maximum is reserved as the maximum, so that it does not wait forever.
    let all = reserve(&importing, usize::MAX).await.unwrap();
    assert_eq!(all.bytes(), BYTES_MAX);
}

#[tokio::test]
async fn a_full_queue_and_a_long_wait_are_503() {
    let importing = Importing::with_wait(Duration::from_millis(1));
    let _all = reserve(&importing, BYTES_MAX).await.unwrap();
    let error = reserve(&importing, 1).await.unwrap_err();
    assert_eq!(
        (error.status().as_u16(), error.code()),
        (503, "documents.full")
    );
    let importing = Importing::default();
    let _all = reserve(&importing, BYTES_MAX).await.unwrap();
    let mut waiting: Vec<_> = (0..WAITING_MAX)
        .map(|_| Box::pin(reserve(&importing, 1)))
        .collect();
    for waiting in &mut waiting {
        assert!(poll(waiting).await.is_none());
    }
    let error = reserve(&importing, 1).await.unwrap_err();
    assert_eq!(
        (error.status().as_u16(), error.code()),
        (503, "documents.full")
    );
}

#[tokio::test]
async fn an_import_waits_for_all_its_reservations_together() {
    const HELD: Duration = Duration::from_millis(50);
    let importing = Importing::default();
    let all = reserve(&importing, BYTES_MAX).await.unwrap();
    let mut admission = importing.admission();
    let free = async {
        tokio::time::sleep(HELD).await;
        drop(all);
    };
    let (reserved, ()) = tokio::join!(admission.reserve(BYTES_MAX), free);
    assert!(admission.wait_left <= WAIT_MAX - HELD);
    let mut other = importing.admission().without_wait();
    let error = other.reserve(1).await.unwrap_err();
    assert_eq!(error.code(), "documents.full");
    // A part of a reservation can be freed.
    let _part = reserved.unwrap().shrink(BYTES_MAX - UNIT_BYTES);
    other.reserve(UNIT_BYTES).await.unwrap();
}

#[tokio::test]
async fn a_reservation_lasts_until_its_work_has_ended() {
    let importing = Importing::default();
    let (started, has_started) = oneshot::channel();
    let (ends, end) = mpsc::sync_channel::<()>(0);
    let reservation = reserve(&importing, BYTES_MAX).await.unwrap();
    let admission = importing.admission();
    let work = admission.run(reservation, move || {
        started.send(()).unwrap();
        end.recv()
    });
    // The client disconnects while the document is parsed.
    tokio::select! {
        _ = work => panic!("the work has not ended"),
        started = has_started => started.unwrap(),
    }
    let mut next = Box::pin(reserve(&importing, 1));
    assert!(poll(&mut next).await.is_none());
    drop(ends);
    next.await.unwrap();
}

#[tokio::test]
async fn every_kind_of_import_waits_for_memory() {
    let house = House::new().await;
    let ann = house.person("ann", &[Role::Publisher]).await;
    let openapi = r#"{"openapi":"3.1.0","info":{"title":"T","version":"1"},"paths":{}}"#;
    let (soap, zip) = ("/api/v1/apis/import/wsdl", archive(WSDL));
    for (path, media_type, body) in [
        ("/api/v1/apis/import", "application/json", openapi.into()),
        (soap, "text/xml", WSDL.into()),
        (soap, "application/zip", zip),
    ] {
        let importing = &house.control.importing;
        let all = reserve(importing, BYTES_MAX).await.unwrap();
        let call = house.call("POST", &format!("{path}?dry_run=true"));
        let mut call = Box::pin(call.body(media_type, body).by(&ann).into_future());
        while importing.waiting.available_permits() == WAITING_MAX {
            // `timeout` polls the call, and the server runs meanwhile.
            let answer = timeout(Duration::from_millis(1), &mut call).await;
            assert!(answer.is_err(), "{media_type}: {:?}", answer.unwrap().body);
        }
        drop(all);
        call.await.expect(200);
    }
}

#[tokio::test]
async fn work_has_a_lower_priority_than_requests() {
    let importing = Importing::default();
    let reservation = reserve(&importing, 1).await.unwrap();
    let admission = importing.admission();
    let niceness = admission.run(reservation, || getpriority_process(None).unwrap());
    assert!(niceness.await.unwrap().0 >= NICENESS);
}

/// Returns an archive with a WSDL.
fn archive(wsdl: &str) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    let options = options.compression_method(zip::CompressionMethod::Deflated);
    zip.start_file("m.wsdl", options).unwrap();
    zip.write_all(wsdl.as_bytes()).unwrap();
    zip.finish().unwrap().into_inner()
}
