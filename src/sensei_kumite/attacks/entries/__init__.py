"""Files of entries for dynamic attacks: reading them one by one, and what each entry says of its judge."""
