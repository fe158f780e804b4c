"""`reforce`: the schema is linked, several drafts are held to a stated format and vote, and where the vote is not clear
the columns are looked into and the drafts are written anew.

After ReFoRCE: A Text-to-SQL Agent with Self-Refinement, Format Restriction, and Column Exploration (sections on the
compression of database information, candidates, voting and column exploration). Read strategy.py first.
"""

from agents.strategies.reforce.strategy import STRATEGY

__all__ = ["STRATEGY"]
