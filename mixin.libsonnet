// The pack for those who use monitoring mixins: the same dashboards and rules as the files beside it.
local groups = std.parseYaml(importstr 'alerts/loopwatch.yaml').groups;
local alerting(group) = std.length(std.filter(function(rule) 'alert' in rule, group.rules)) > 0;
{
  grafanaDashboards+:: {
    'loopwatch-overview.json': import 'dashboards/loopwatch-overview.json',
    'loopwatch-tool.json': import 'dashboards/loopwatch-tool.json',
    'loopwatch-health.json': import 'dashboards/loopwatch-health.json',
    'loopwatch-traces.json': import 'dashboards/loopwatch-traces.json',
  },
  prometheusAlerts+:: { groups+: std.filter(alerting, groups) },
  prometheusRules+:: { groups+: std.filter(function(group) !alerting(group), groups) },
}
