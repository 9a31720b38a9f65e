"""An app with tools of its own."""
