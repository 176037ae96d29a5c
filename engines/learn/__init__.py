"""What learners use, compiled: positions as numbers, and many games that run beside each other.

encoding    a view as a row of numbers (each game's columns are in its room `encoding`)
writing     how encodings write cards, seats and amounts
lanes       games that run on by themselves until a learner is to act, and begin anew

Not here: the environments of the libraries for learning (`engines.adapters`).
"""
