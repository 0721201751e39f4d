"""The observability pack: dashboards and alerts, made from the catalogue of telemetry names for one set-up."""
