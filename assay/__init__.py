"""assay: find out whether an LLM judge deserves trust, and promote the one that does.

Pass is the positive class everywhere: TPR is the judge's pass rate on work that
people passed, TNR its fail rate on work that people failed. A false pass is a
judge too lenient, a false fail one too strict.

Importing this package loads nothing heavy: mlflow, openai, scikit-learn,
matplotlib and hydra are imported by the rooms that use them, when they use them.
"""

__version__ = "0.1.0"

__all__ = ["__version__"]
