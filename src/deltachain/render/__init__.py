"""How results are shown: numbers rounded outward, aligned tables, JSON documents, progress."""
