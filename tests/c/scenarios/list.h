/*
 * The names of all scenarios, for their declarations and for the table of main.
 */
#ifndef LIST_H
#define LIST_H

#define ALL_SCENARIOS(NAME)                                                                    \
  /* answers.c */                                                                              \
  NAME(models) NAME(chat) NAME(response) NAME(response_fields_absent) NAME(nul_bytes)          \
  NAME(usage) NAME(usage_beyond_64_bits) NAME(versions) NAME(plain_and_streamed_answers_swapped) NAME(plain_call_streams_internally)  \
  NAME(gathered_message_sent_back)                                                                              \
  /* streams.c */                                                                              \
  NAME(stream) NAME(response_stream) NAME(stream_incremental) NAME(stream_stopped)             \
  NAME(stream_cut) NAME(stream_error) NAME(stream_flat_error) NAME(stream_nul_bytes)           \
  NAME(nested_call)                                                                            \
  /* errors.c */                                                                               \
  NAME(wrong_key) NAME(no_key) NAME(unknown_model) NAME(refused) NAME(recovers)                \
  NAME(not_retried) NAME(bad_json) NAME(stream_only) NAME(envelopes) NAME(key_forms)           \
  NAME(timeout_first_byte) NAME(bad_text) NAME(run_twice) NAME(report_chat)                    \
  NAME(report_models) NAME(report_stream) NAME(report_headers) NAME(arguments_refused)         \
  /* cancel.c */                                                                               \
  NAME(cancel_before) NAME(cancel_blocked) NAME(cancel_stream) NAME(cancel_in_callback)        \
  NAME(cancel_done) NAME(cancel_storm_of_tags) NAME(cancel_storm_of_calls)                     \
  /* life.c */                                                                                 \
  NAME(threads) NAME(shutdown_then_call) NAME(shutdown_blocked) NAME(forked)                   \
  NAME(forked_in_stream) NAME(free_order) NAME(broken_pipe) NAME(io_threads)                                    \
  /* null.c */                                                                                 \
  NAME(null_arguments) NAME(handles_of_another_type)                                           \
  /* build.c */                                                                                \
  NAME(built_chat) NAME(built_response) NAME(built_tools) NAME(built_escapes)                  \
  NAME(built_refused) NAME(finish_and_tokens)                                                  \
  /* fields.c */                                                                               \
  NAME(fields) NAME(fields_stay) NAME(fields_of_chunks) NAME(values) NAME(tool_calls)          \
  NAME(tool_call_pieces) NAME(headers) NAME(usage_of_events) NAME(usage_by_model)              \
  NAME(usage_saturates) NAME(usage_taken) NAME(ends)                                           \
  /* texts.c, accessors.c */                                                                   \
  NAME(texts) NAME(accessors)                                                                  \
  /* options.c */                                                                              \
  NAME(limits) NAME(limits_refused) NAME(through_proxy) NAME(without_proxy)                    \
  NAME(certificates_refused) NAME(request_timeouts) NAME(request_retries) NAME(retry_after)    \
  NAME(request_headers) NAME(request_stream_only) NAME(request_gather) NAME(few_connections)   \
  NAME(pool_timeout) NAME(connect_errors) NAME(lost_connections) NAME(retry_jitter)            \
  NAME(retries_refused) NAME(refused_changes_nothing) NAME(options_as_json)                    \
  NAME(request_options)                                                                        \
  /* log.c */                                                                                  \
  NAME(log_levels) NAME(log_key) NAME(log_queue) NAME(log_queue_full)                          \
  /* records.c */                                                                              \
  NAME(a_callback_runs_before_each_attempt)                                                    \
  NAME(records_of_the_vectors)                                                                 \
  NAME(a_call_that_fails_to_start_is_recorded) NAME(a_record_names_who_ended_the_call)                               \
  NAME(on_call_runs_on_a_separate_thread) NAME(a_client_has_one_on_call_callback_at_a_time)     \
  NAME(the_last_call_of_a_dropped_client_is_recorded) NAME(dropped_call_records_are_counted)    \
  NAME(a_queue_follows_the_calls_of_clients) NAME(a_forked_child_gets_no_records_of_its_parent)              \
  /* started.c */                                                                              \
  NAME(started) NAME(started_models) NAME(started_refused) NAME(started_timeout)               \
  NAME(started_cancelled) NAME(started_cancelled_inside) NAME(started_stopped)                 \
  NAME(started_freed_inside) NAME(started_freed) NAME(start_fails)                             \
  NAME(started_without_client) NAME(started_shutdown) NAME(shutdown_inside)                    \
  NAME(shutdown_with_hanging_callback) NAME(started_calls_inside) NAME(started_serial)                \
  NAME(started_parallel) NAME(independent)                                                     \
  /* queue.c */                                                                                \
  NAME(queue) NAME(queue_failures) NAME(queue_events_stay) NAME(queue_take) NAME(queue_read_all) \
  NAME(queue_timeout) NAME(queue_wakeup) NAME(queue_close) NAME(queue_freed)                   \
  NAME(queue_shutdown) NAME(queue_fd_poll) NAME(queue_fd_select) NAME(queue_fd_epoll)          \
  NAME(queue_fd_edges) NAME(queue_fd_late)                                                     \
  NAME(queue_backpressure) NAME(queue_backpressure_two_events) NAME(queue_is_fair) NAME(queue_forked)     \
  NAME(queue_operations) NAME(queue_tags) NAME(queue_flags) NAME(queue_boolean_arguments)               \
  /* crowd.c */                                                                                \
  NAME(queue_many_threads) NAME(queue_hundred_streams) NAME(queue_adaptive) NAME(queue_adaptive_requests)     \
  /* exits.c */                                                                                \
  NAME(exit_streaming) NAME(exit_waiting)                                                      \
  /* flow.c */                                                                                 \
  NAME(queue_paused) NAME(queue_pause_holds) NAME(queue_pause_in_the_middle)                   \
  NAME(queue_pause_ends)                                                                       \
  /* close.c */                                                                                \
  NAME(call_waits) NAME(call_waits_cancelled) NAME(waits_inside_callbacks_refused) NAME(client_closes)           \
  NAME(client_closes_with_hanging_callback)                                                           \
  /* orders.c */                                                                               \
  NAME(queue_freed_under_threads) NAME(queue_owns_calls) NAME(freed_in_any_order)              \
  /* inside.c */                                                                               \
  NAME(inside_callbacks) NAME(freed_in_finalizer_of_failure)                                   \
  /* fuzz.c */                                                                                 \
  NAME(fuzz)                                                                                   \
  /* replay.c */                                                                               \
  NAME(replay)                                                                                 \
  UNIX_SCENARIOS(NAME)

#ifdef _WIN32
#define UNIX_SCENARIOS(NAME)
#else
#define UNIX_SCENARIOS(NAME)                                                                   \
  /* stolen.c */                                                                               \
  NAME(queue_fd_closed) NAME(queue_fd_stolen)                                                  \
  /* faults.c */                                                                               \
  NAME(signals) NAME(signals_pending) NAME(no_threads) NAME(no_threads_for_names)              \
  /* interrupt.c */                                                                            \
  NAME(interrupted) NAME(interrupted_with_restart) NAME(wakeup_in_handler)                     \
  NAME(cancel_after_signal) NAME(wakeup_before_wait) NAME(interrupted_call_keeps_its_mode)                     \
  /* pthread_cancel.c */                                                                       \
  NAME(cancelled_threads) NAME(cancelled_thread_in_the_middle)
#endif

#endif
