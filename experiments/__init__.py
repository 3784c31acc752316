"""Runs and questions: doors for `mlflow run`, and studies. Not part of the installed package."""
