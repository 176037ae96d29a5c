"""Measurements that need a checkout: two commits against each other, memory, other projects' libraries.

What a user measures on a machine is `arena bench`. Nothing here is imported by the packages or by tests.
"""
