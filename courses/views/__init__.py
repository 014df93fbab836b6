"""Pages under the root: home, course, lessons, questions, calculators."""
