"""OTLP as it travels between processes: protobuf messages and their JSON.

==============  =============================================================================
``decode``      spans and log records of a request, as the dialects see them
``mattering``   which traces of a request need be read at all
``jsons``       OTLP/JSON to messages and back
``fields``      how each field of a message is written in JSON
``values``      attributes and their values, read and written
``identified``  spans without valid ids, taken out of a request
``lists``       lists within messages
``mark``        what is to be written onto spans, written
``loops``       a signal as a log record
``runtime``     whether protobuf is as fast as it must be
==============  =============================================================================

The messages are those of ``opentelemetry-proto``, which comes with the SDK's exporters.
"""
