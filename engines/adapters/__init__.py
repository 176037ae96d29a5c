"""The games in the interfaces of libraries for learning; each module needs its library, this package none.

vector      many games at once, in Gymnasium's vector conventions; needs NumPy only
pettingzoo  one game of several agents (extra `rl`)
openspiel   Python games for OpenSpiel (extra `openspiel`)
"""
