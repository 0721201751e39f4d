"""The dashboards and alerts against real servers: a scripted stretch of time, and what holds it."""
