"""Find the smallest part of a delegate that diverges, and write a program that shows it alone."""
