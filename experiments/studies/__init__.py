"""Studies: a question in the docstring, a figure, a conclusion."""
