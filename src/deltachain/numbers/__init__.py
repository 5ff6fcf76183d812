"""Every number's one home: exact fields, and what is known of numbers that are in none of them."""
