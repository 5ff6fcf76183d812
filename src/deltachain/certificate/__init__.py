"""Certificates (docs/certificate.md): how they are built and saved; `deltachain.checker` checks them."""
