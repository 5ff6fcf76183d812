"""Certificates (docs/certificate.md): how they are built and saved, and the plain records that the checker reads.

Importing this package imports nothing else, so that the checker's base stays small.
"""
