//! One test suite for every database: each function takes a fresh, empty store, and its name is the
//! statement it tests. `suite!` makes them tests of one database, as in `sqlite/tests.rs`.

pub(crate) mod access;
pub(crate) mod apis;
pub(crate) mod cache_purges;
pub(crate) mod catalogue;
pub(crate) mod clients;
pub(crate) mod consumers;
pub(crate) mod credentials;
pub(crate) mod deprecation;
pub(crate) mod feed;
mod fixture;
pub(crate) mod plans;
pub(crate) mod revisions;
pub(crate) mod subscriptions;
pub(crate) mod suspended;
pub(crate) mod tokens;
pub(crate) mod transactions;
pub(crate) mod versions;

pub(crate) use fixture::{api, facts, plan, thousand, user, version_of};

/// Makes the whole suite tests: `$fresh` is an async function that returns a value with a `store`.
macro_rules! suite {
    ($fresh:path: $($room:ident { $($sentence:ident)* })*) => { $(
        mod $room {
            $(
                #[tokio::test]
                async fn $sentence() {
                    let fresh = $fresh().await;
                    crate::conformance::$room::$sentence(&fresh.store).await;
                }
            )*
        }
    )* };
    ($fresh:path) => { crate::conformance::suite! { $fresh:
        access {
            a_user_reads_back_lists_by_page_changes_and_is_deleted
            a_user_name_is_taken_once
            a_user_is_found_by_the_typed_name_then_by_the_normalized_one
            the_last_enabled_administrator_remains
            a_user_who_owns_something_stays
            a_password_changes_and_is_read_by_one_function_only
            a_session_leads_to_its_user_until_it_ends
            sessions_end_by_user_and_by_age
            an_access_token_leads_to_its_user_until_it_is_deleted
            tokens_are_deleted_with_their_user_and_all_expire
            settings_are_put_kept_and_deleted
        }
        plans {
            a_plan_reads_back_lists_by_page_and_is_noted
            a_plan_name_is_taken_once
            a_plan_that_limits_name_keeps_its_name
            a_plan_changes_only_with_its_latest_etag
            a_plan_in_use_is_not_deleted
        }
        catalogue {
            the_catalogue_is_sorted_and_read_in_parts
            the_catalogue_is_searched_by_words_and_kind
            entries_plans_and_names_are_read_for_several_ids
            subscriptions_of_the_user_are_returned_per_version
            ten_thousand_versions_are_searched_at_once
        }
        apis {
            an_api_comes_with_its_version_draft_and_document
            an_api_name_is_taken_once
            contexts_do_not_overlap
            apis_list_by_page
            apis_are_listed_by_owner_and_by_the_states_of_their_versions
            a_deleted_api_keeps_its_owner
            a_new_context_is_noted_for_every_version
            an_api_in_use_is_not_deleted
            a_deleted_api_takes_everything_with_it
        }
        versions {
            a_version_copies_plans_and_document
            a_contract_is_copied_and_sent_with_its_versions
            a_draft_changes_only_with_its_latest_etag
            one_version_is_the_default_and_all_are_noted_when_it_changes
            plans_are_offered_in_order
            the_catalogue_shows_the_requested_states
            operations_keep_their_id_and_name_over_revisions
            a_transition_leaves_history_and_needs_the_state_it_was_based_on
            a_published_version_offers_a_plan
            demoting_ends_every_subscription_and_undeploys
            a_failed_transition_leaves_nothing
        }
        revisions {
            revisions_count_from_one_and_do_not_change
            a_deployed_revision_is_noted_and_rolls_back
            a_revision_has_the_document_of_its_draft
            a_restored_revision_replaces_draft_and_document
            a_deleted_revision_takes_its_document_and_contract_with_it
            numbers_are_not_used_again
            the_oldest_undeployed_revision_makes_room_for_the_next
            a_deployment_leaves_history
            both_sides_of_a_comparison_are_read_together
            a_changed_document_is_a_change
        }
        deprecation {
            a_deprecation_reads_back_everywhere_and_ends_with_the_state
            versions_are_sent_again_when_their_successor_changes
            a_version_is_deleted_in_two_states_and_keeps_its_name
        }
        consumers {
            an_application_reads_back_lists_changes_and_is_noted
            an_application_name_is_taken_once_per_owner
            a_deleted_application_ends_its_subscriptions
        }
        clients {
            a_client_reads_back_lists_changes_and_is_noted
            a_rotated_secret_and_the_previous_one_are_kept
            a_basic_user_reads_back_lists_changes_and_is_noted
            the_name_of_a_basic_user_is_used_once
        }
        credentials {
            a_key_reads_back_lists_changes_and_is_noted
            a_rotated_key_ends_with_its_grace_period_or_before
            a_revoked_credential_is_gone_and_keeps_its_time
            live_credentials_of_an_application_are_counted
            uses_of_credentials_are_stored_but_not_noted
            credentials_for_trying_are_swept_once_they_end
        }
        suspended {
            suspended_credentials_are_gone_until_they_are_resumed
            a_new_credential_of_a_suspended_owner_waits_until_it_is_resumed
            owners_that_an_earlier_release_suspended_are_marked
        }
        tokens {
            a_token_reads_back_and_is_noted
            a_revoked_token_is_in_the_feed_until_it_expires
            expired_tokens_are_neither_in_the_feed_nor_kept
            an_assertion_is_kept_once_for_each_client_until_it_expires
            a_signing_key_reads_back_changes_and_is_noted
            a_private_half_is_read_by_one_function_only
        }
        subscriptions {
            a_subscription_reads_back_and_is_noted
            granted_scopes_are_in_the_feed_and_end_with_their_subscription
            one_subscription_is_live_per_application_and_version
            an_application_that_unsubscribes_while_blocked_stays_blocked
            an_application_that_unsubscribes_while_active_starts_anew
            it_needs_a_published_version_and_an_offered_plan
            status_and_plan_change_while_it_lives
            lists_filter_and_page
            lists_show_subscriptions_of_a_consumer_or_a_publisher
        }
        cache_purges {
            purges_are_sent_in_order_and_a_whole_has_the_last_of_each_version
            numbers_are_not_used_again_and_purges_end_with_their_version
            purges_are_kept_as_long_as_their_changes_and_the_last_for_longer
        }
        feed {
            no_changes_give_no_facts
            facts_applied_step_by_step_equal_the_whole
            a_whole_read_in_parts_is_complete
            a_noun_that_changed_often_has_one_fact
            a_reader_ahead_or_far_behind_reads_the_whole
        }
        transactions {
            a_dropped_transaction_is_rolled_back
            statements_after_a_failed_one_are_not_committed
            concurrent_writers_queue
            a_cancelled_caller_blocks_no_other_writes
        }
    } };
}
pub(crate) use suite;
