"""`report`: everything about a model's privacy as one HTML page that reads nothing else."""
