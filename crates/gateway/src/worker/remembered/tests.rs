use proptest::prelude::*;

use super::*;

const APPLICATION: ApplicationId = ApplicationId::from_raw(1);

fn token(number: u8) -> Remembered {
    let id = TokenId::from_raw(i64::from(number) + 1);
    let claims = TokenClaims {
        id,
        subject: TokenSubject::Application(APPLICATION, Environment::Production),
        scopes: Rc::default(),
        resources: Rc::default(),
        expires_us: 0,
        key: SigningKeyId::from_raw(1),
    };
    let standing = Standing::of_application(id, APPLICATION, Environment::Production, &[]);
    Remembered::new(claims, standing)
}

#[derive(Debug, Clone, Copy)]
enum Step {
    Insert(u8),
    Find(u8),
    Forget(u8),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (0..12_u8).prop_map(Step::Insert),
        (0..12_u8).prop_map(Step::Find),
        (0..12_u8).prop_map(Step::Forget),
    ]
}

proptest! {
    #[test]
    fn it_holds_the_most_recently_used_tokens(steps in prop::collection::vec(step(), 0..200)) {
        const MAX: usize = 5;
        let mut memory = Memory::default();
        // From least to most recently used.
        let mut model: Vec<u8> = Vec::new();
        for step in steps {
            match step {
                Step::Insert(number) => {
                    memory.insert([number; 32], token(number), MAX);
                    model.retain(|it| *it != number);
                    if model.len() == MAX {
                        model.remove(0);
                    }
                    model.push(number);
                }
                Step::Find(number) => {
                    let found = memory.find(&[number; 32]);
                    let is_known = model.contains(&number);
                    let expected = is_known.then(|| i64::from(number) + 1);
                    prop_assert_eq!(found.map(|it| it.claims.id.raw()), expected);
                    if is_known {
                        model.retain(|it| *it != number);
                        model.push(number);
                    }
                }
                Step::Forget(number) => {
                    memory.forget(&[number; 32]);
                    model.retain(|it| *it != number);
                }
            }
            prop_assert!(memory.slots.len() <= MAX);
            prop_assert_eq!(memory.places.len(), model.len());
        }
    }
}
