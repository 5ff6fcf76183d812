"""The distances bd, ld and sd, which bound δ from above."""
