"""What a fleet costs: spans per second and core, latency, memory; see ``__main__``.

============  ==========================================================================
``material``  the spans of agents at work, some of them stuck, among web requests
``mixes``     requests and messages to be judged: agents among more or less other traffic
``served``    a gateway, or plain forwarding, in a process of its own
``load``      sends requests, takes what is forwarded, and looks at the clock
``gateway``   spans per second of CPU, and what is added to the time of delivery
``worker``    the same of a worker at a real broker
``broker``    that broker
``memory``    of live runs
``process``   what other processes have used
``report``    the table
============  ==========================================================================
"""
