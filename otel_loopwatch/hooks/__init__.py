"""Coding agents watched and stopped through their own hooks, a process per event.

===============  =====================================================================================
``event``        one event as the tool writes it, read
``tools``        the tools: which of their events matter, and what to paste into their settings
``spans``        a finished call as a span: OTLP/JSON
``transcript``   when a session began, for the span of the whole
``gateway``      the gateway as a hook asks it: one request, one connection
``answer``       what is said to the tool: nothing, or that the call may not be
``bounded``      work that may not take longer
===============  =====================================================================================

The process starts before and after every tool call: nothing here imports OpenTelemetry, the engine, or more of the
standard library than it must. Dataclasses, ``urllib`` and ``http.client`` take longer to import than all of this.
"""
