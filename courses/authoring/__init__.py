"""From files to pages: reading, checking and rendering the curriculum. Pure functions; no Django here."""
