"""A fleet's spans from Kafka, judged by any number of workers in one consumer group.

================  ==================================================================================
``messages``      a message's bytes as an OTLP request
``judge``         the stream's watch, and what is to be written on the spans it judges
``marking``       what that is
``partition``     one partition as it is judged: messages in, judged steps out
``coverage``      from where a partition must be read again
``reach``         how far back that may be
``snapshots``     a trace as it is kept on the state topic
``records``       records of topics, and where in the log they came from
``telling``       what follows from a message, as records
``decisions``     what is decided about runs
``topics``        the topics, made where they are missing
``recovery``      what earlier owners of a partition left on the topics
``owned``         a partition of ours: a message in, records out
``outbox``        records on their way to the brokers
``clients``       Kafka's clients and their properties
``service``       the consumer group: assignment, checkpoints, drain
``follow``        decisions, as agents follow them
================  ==================================================================================

The log is the order: a message is a batch, and the same messages give the same signals, however often a worker died
on the way. What a worker knows can be lost at any moment. It is built again from three things that Kafka keeps:

- The *committed offset* is the first message of the oldest live trace, so whatever is live is read again whole.
- A trace that lives longer than that may reach back is a *snapshot* on a compacted topic, with the offset up to which
  it goes; the trace's messages before that are skipped.
- The *last record told* says, in a header, from which message it came: nothing is told again up to there. Outputs go
  to the partition with the number of the input's, in its order, and an offset is committed only when they are stored.
"""
