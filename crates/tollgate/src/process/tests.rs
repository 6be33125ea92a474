use std::net::TcpListener;

use super::*;
use crate::settings::{Written, gather};

#[test]
fn a_used_port_ends_the_start_before_a_data_directory_is_created() {
    let taken = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut settings = gather(&Written::default()).unwrap().1;
    settings.process.data = folder.path().join("data");
    settings.control.listen = Listen("127.0.0.1:0".parse().ok());
    settings.gateway.listen = Listen(taken.local_addr().ok());
    let refused = take_data_and_ports(&settings).unwrap_err().to_string();
    assert!(
        refused.starts_with("gateway.listen: cannot listen"),
        "{refused}"
    );
    assert!(!settings.process.data.exists());
    drop(taken);
    let _owner = take_data_and_ports(&settings).unwrap();
    assert!(settings.process.data.exists());
    let _again = TcpListener::bind(settings.gateway.listen.0.unwrap()).unwrap();
    let refused = take_data_and_ports(&settings).unwrap_err().to_string();
    assert!(refused.contains("is in use by process"), "{refused}");
}

#[test]
fn a_plane_without_a_listener_ends_the_start() {
    let mut settings = gather(&Written::default()).unwrap().1;
    settings.control.listen = Listen(None);
    let refused = take_data_and_ports(&settings).unwrap_err().to_string();
    assert!(
        refused.contains("control.https_listen are both empty"),
        "{refused}"
    );
}

#[test]
fn the_warning_about_too_few_descriptors_names_all_numbers() {
    let needed = 2 * 20_000 + 1_088 + 128;
    assert_eq!(too_few_files(needed, 20_000), None);
    let warning = too_few_files(needed - 1, 20_000).unwrap();
    for number in ["41215", "20000", "41216", "1088"] {
        assert!(warning.contains(number), "{warning}");
    }
    assert!(
        warning.ends_with("set less than 20000") && warning.lines().count() == 1,
        "{warning}"
    );
    assert_eq!(too_few_files(needed - 1, 19_999), None);
    assert!(
        too_few_files(64, 20_000)
            .unwrap()
            .ends_with("set less than 1")
    );
}
