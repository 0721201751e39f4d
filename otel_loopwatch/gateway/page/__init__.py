"""The page to look at: static files, served with a policy that lets them ask nobody but the gateway.

================  =====================================================================
``main.js``       puts the page together
``gateway.js``    the API, with the token
``stream.js``     server-sent events as they arrive
``live.js``       stays in touch, also after the gateway was away
``fleet.js``      all runs, which of them are wanted, and in which order
``list.js``       the list: only what can be seen is in the document
``details.js``    one run
``timeline.js``   its calls as beads, its loops as brackets
``loops.js``      signals joined to loops
``dialogs.js``    halt, resume, token
``filters.js``    the controls above the list
``hash.js``       what they say, in the URL
``news.js``       new loops for those who hear the page
================  =====================================================================

Colours, beads and brackets are those of the report: `otel_loopwatch.look`.
"""

from otel_loopwatch.gateway.page.files import FILES, POLICY, routes

__all__ = ["FILES", "POLICY", "routes"]
