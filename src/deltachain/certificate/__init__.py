"""Certificates (docs/certificate.md): how they are built and saved; `deltachain_checker_v1` checks them."""
