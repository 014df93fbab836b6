"""What every process says of itself while it works: log lines, spans, tallies. Imports nothing of ours."""
