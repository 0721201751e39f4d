"""Draws a Grafana dashboard from live data as one HTML page, or as a picture of it, without Grafana.

Stages, in one direction: dashboard JSON (`model`, `layout`) → queries (`window`, `variables`, `data`, `traceql`) →
frames (`frames`, `transformations`) → how each field looks (`styles`, `units`, `colours`) → panels (`panels/`) →
`page` → `picture`. It is as near to Grafana as is needed to judge a dashboard: places, units, thresholds, legends.
"""
