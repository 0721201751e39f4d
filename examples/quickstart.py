"""An application with a console exporter and Loopwatch. The agent is scripted; a real one needs no other lines.

Run it and look for `loopwatch.` in what is printed.
"""

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor

from otel_loopwatch import LoopwatchSpanProcessor
from otel_loopwatch.scenarios import SUPPORT
from otel_loopwatch.scripted import play

provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(ConsoleSpanExporter()))
provider.add_span_processor(LoopwatchSpanProcessor())

print(play(provider.get_tracer("quickstart"), SUPPORT))
provider.shutdown()
