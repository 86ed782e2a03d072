/*
 * The names of all scenarios, for their declarations and for the table of main. Knows what none
 * of them does.
 */
#ifndef LIST_H
#define LIST_H

#define ALL_SCENARIOS(NAME)                                                                    \
  /* answers.c */                                                                              \
  NAME(models) NAME(chat) NAME(response) NAME(response_fields_absent) NAME(nul_bytes)          \
  NAME(usage) NAME(usage_beyond_64_bits) NAME(versions) NAME(crossed) NAME(stream_underneath)  \
  /* streams.c */                                                                              \
  NAME(stream) NAME(response_stream) NAME(stream_incremental) NAME(stream_stopped)             \
  NAME(stream_cut) NAME(stream_error) NAME(stream_nul_bytes) NAME(nested_call)                 \
  /* errors.c */                                                                               \
  NAME(wrong_key) NAME(no_key) NAME(unknown_model) NAME(refused) NAME(recovers)                \
  NAME(not_retried) NAME(bad_json) NAME(stream_only) NAME(envelopes) NAME(key_forms)           \
  NAME(timeout_first_byte) NAME(bad_text) NAME(run_twice) NAME(report_chat)                    \
  NAME(report_models) NAME(report_stream) NAME(report_headers)                                 \
  /* cancel.c */                                                                               \
  NAME(cancel_before) NAME(cancel_blocked) NAME(cancel_stream) NAME(cancel_in_callback)        \
  NAME(cancel_done)                                                                            \
  /* life.c */                                                                                 \
  NAME(threads) NAME(shutdown_then_call) NAME(shutdown_blocked) NAME(forked)                   \
  NAME(forked_in_stream) NAME(free_order)                                                      \
  /* null.c */                                                                                 \
  NAME(null_arguments)

#endif
