"""Pages under /practise/: the way in, numbers, review, mock interviews, progress."""
