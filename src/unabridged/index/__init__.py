"""The index: what a lookup scans, as arrays of numbers. No texts, no files, no ranking.

It is handed entries (one for each exchange: counted terms and quantised vectors) and gives
shortlists. Where its arrays lie, in memory or mapped from a file, is its caller's business.
"""
