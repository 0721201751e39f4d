"""Forwarding: requests that are kept go on to the next, with their marks, until they are taken or refused for good.

==============  ==================================================================================
``outcome``     what became of one try: taken, again later, refused
``endpoint``    where requests go, and how
``services``    names of OTLP by signal: paths, methods, answers
``http``        OTLP/HTTP: ``OtlpHttp``
``grpcs``       OTLP/gRPC: ``OtlpGrpc``
``files``       OTLP JSON lines, where there is no next: ``JsonLines``
``status``       what an error says
``backoff``     how long to wait before the next try
``counts``      what was forwarded, and what waits
``forwarder``   the threads that send
==============  ==================================================================================
"""

from otel_loopwatch.gateway.forward.forwarder import Forwarder
from otel_loopwatch.gateway.forward.outcome import Again, Downstream, Outcome, Refused, Taken

__all__ = ["Again", "Downstream", "Forwarder", "Outcome", "Refused", "Taken"]
