"""The command line: `arena NOUN VERB`. Results on stdout, progress and warnings on stderr.

Exit codes: 0 done, 1 a failed run or check, 2 a wrong call, 5 the host cannot separate bots, 130 interrupted.
One module per command group; a command parses, calls one library function and prints. Heavy imports stand
inside commands.
"""
