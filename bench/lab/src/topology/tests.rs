use super::*;

/// Returns the cores of the parts if each machine has four.
fn shared(text: &str) -> Result<[Vec<u32>; 3], String> {
    let described: Described = toml::from_str(text).unwrap();
    let all = vec![0, 1, 2, 3];
    let shared = described.share_out(|_| &all);
    shared.map_err(|error| error.to_string())
}

#[test]
fn a_gateway_has_a_core_of_its_own() {
    let here = Described::here();
    let shared_here = |all: Vec<u32>| here.share_out(|_| &all).map_err(|e| e.to_string());
    assert_eq!(
        shared_here(vec![4, 5, 6]),
        Ok([vec![4], vec![5, 6], vec![5, 6]])
    );
    assert_eq!(
        shared_here(vec![4]).unwrap_err(),
        "the gateway on 127.0.0.1 needs a core of its own, and the other parts another one: \
         available are 4"
    );
    let (three, four) = (vec![1, 2, 3], vec![0, 1, 2, 3]);
    for (gateway, back_end, load, expected) in [
        (
            "",
            "reach = ['b']",
            "reach = ['c']",
            [vec![0], four.clone(), four.clone()],
        ),
        ("", "", "reach = ['c']", [vec![0], three, four]),
        (
            "cores = [2, 3]",
            "",
            "",
            [vec![2, 3], vec![0, 1], vec![0, 1]],
        ),
        (
            "",
            "cores = [0, 1]",
            "",
            [vec![2], vec![0, 1], vec![0, 1, 3]],
        ),
    ] {
        let text = described(gateway, back_end, load);
        assert_eq!(shared(&text), Ok(expected), "{text}");
    }
}

#[test]
fn missing_or_occupied_cores_are_rejected() {
    let which = "10.0.0.3: cores must be distinct and among 0, 1, 2, 3";
    let taken = "the gateway on 10.0.0.1 needs a core of its own, and the other parts another \
                 one: available are 0, 1, 2, 3";
    for (gateway, load, why) in [
        ("", "cores = []", which),
        ("", "cores = [4]", which),
        ("", "cores = [1, 1]", which),
        ("cores = [0, 1]", "cores = [1, 2]", taken),
        ("cores = [0, 1, 2, 3]", "", taken),
        ("", "cores = [0, 1, 2, 3]", taken),
    ] {
        let text = described(gateway, "", load);
        assert_eq!(shared(&text).unwrap_err(), why, "{text}");
    }
}

fn described(gateway: &str, back_end: &str, load: &str) -> String {
    let part = |address, more: &str| format!("address = '10.0.0.{address}'\n{more}\n");
    format!(
        "[gateway]\n{}[back_end]\n{}[load]\n{}",
        part(1, gateway),
        part(2, back_end),
        part(3, load)
    )
}
