"""What you run: submissions, the queue between the site and the grader, and live status."""
