"""What a diff says in words: reasons, rules, summaries and two texts side by side."""
