"""Files as they have to be written: whole or not at all, durable, for their owner only, one at a time.

Everything that is kept goes through here, so that one test can fail, tear or stop every step of it.
"""
