"""Certificates (docs/certificate.md): how they are built and saved; `deltachain_checker` checks them."""
