"""The gateway: between the SDKs of any language and their backend.

================  ==================================================================================
``signal``        the three signals of OTLP
``receive``       OTLP over gRPC and HTTP in, answers by the rules of the protocol
``intake``        what was received is kept before it is acknowledged, or refused
``spool``         kept on disk, or in memory
``judging``       kept requests through the stream's watch, by ``judge``, a thread of its own
``reaction``      what follows from a judged step: decisions, marks, counts
``marking``       what is to be written onto spans, as bytes
``clocks``        times that clients tell
``resent``        requests that come again
``state``         what is known of live runs, from one process to the next
``forward``       requests on to the next, with marks, again and again while that is away
``board``         runs, loops and decisions now: what the API, the page and the commands show
``api``           the board over HTTP: JSON, long poll, server-sent events
``page``          the page to look at
``audit``         every decision of a person, for ever
``service``       all of it together, from start to drain
================  ==================================================================================
"""
