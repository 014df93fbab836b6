"""Walk the whole site as five people over a database in which everything that is not for everyone holds a sentence of
its own, and look which sentences reach whom.

An app that adds something that is not for everyone adds a module to `plants` with `plant(book)`; an app that adds a
page adds nothing: the crawler knows every address of the site.
"""
