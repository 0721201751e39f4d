"""Every rule of the dashboard-linter: those that are checked, and those that are not, with the reason."""

from linting import logs, panels, targets, templates, wholes

RULES = (
    templates.datasource,
    templates.job,
    templates.instance,
    templates.label_promql,
    templates.on_time_change_reload,
    templates.unused,
    panels.datasource,
    panels.title_description,
    panels.units,
    panels.no_targets,
    logs.logql,
    logs.logql_auto,
    targets.promql,
    targets.rate_interval,
    targets.job,
    targets.instance,
    targets.counter_agg,
    targets.histogram,
    wholes.uneditable,
    wholes.required_fields,
    wholes.element_reference,
)

# Upstream has them as experiments or unmerged drafts; its rule set does not run them by itself.
LEFT_OUT = {
    "target-required-matchers-rule": "asks for the matchers of a configuration: ours is job, which has a rule already",
    "template-required-variables-rule": "asks for the variables of a configuration: the same",
    "template-variable-matchers-rule": "an older form of it",
    "target-foo-rule": "asks that each legend starts with the instance, which is a random id here",
    "panel-refresh-interval-rule": "asks for a refresh of 5 minutes; an alert may fire after 2",
    "panel-time-interval-rule": "asks for the last hour; a run may be longer",
    "panel-time-refresh-rule": "both of them in one",
    "validate-base": "asks for Grafana's CUE schema, which needs its Go code",
    "validate-dist": "the same, with the schemas of the panels",
}
