"""What holds for every chain within limits: forms that know that the entries of a row move together."""
