"""What deltachain answered before its rows were redesigned, and whether it still answers as well."""
