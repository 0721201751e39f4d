"""OTLP in, over HTTP and gRPC: kept before it is acknowledged, or refused with the reason and by the rules of OTLP.

==============  =============================================================================
``access``      who may come in: this machine, or whoever has TLS and a token
``tokens``      where tokens are read from
``limits``      how much is taken in at a time, and how slowly
``refusals``    why something is refused, and how either protocol says it
``counts``      how often
``encodings``   bodies in protobuf and in JSON, by their media types
``packing``     gzip, never unpacked beyond the limit
``parts``         how many parts a request may have
``intake``      a body becomes a request in the store
``asgi``        OTLP/HTTP as routes of Starlette
``guard``       what every HTTP request passes before any route
``patience``    connections that say nothing, or say it too slowly
``http``        the HTTP server, on uvicorn
``grpcs``       OTLP/gRPC
==============  =============================================================================
"""
