"""The gateway: between the SDKs of any language and their backend.

================  ==================================================================================
``signal``        the three signals of OTLP
``receive``       OTLP over gRPC and HTTP in, answers by the rules of the protocol
``intake``        what was received is kept before it is acknowledged, or refused
``spool``         kept on disk, or in memory
``judging``       kept requests through the stream's watch; what is to be written on their spans
``forward``       requests on to the next, with marks, again and again while that is away
``board``         runs, loops and decisions now: what the API, the page and the commands show
``api``           the board over HTTP: JSON, long poll, server-sent events
``page``          the page to look at
``audit``         every decision of a person, for ever
``service``       all of it together, from start to drain
================  ==================================================================================
"""
