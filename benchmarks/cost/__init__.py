"""What watching costs: one file per question, and one that prints, judges and writes the answers.

All figures are CPU time on one core, from one run: subjects take turns, and the medians over the turns count. What
counts is a ratio to something else that was measured in the same turns; the microseconds are those of one machine.
"""
