"""What plays behind the wall of `arena.jail`, and how it is asked: frames, bot SDK, checks of answers.

asking       the worker's side: `BotProcess.ask`; every answer is checked here
frames       what a bot is asked; requests and replies, byte for byte
loop         the bot's side: what the fork server loads, and the loop that answers
loaded       a loaded bot: how it is called and how its answers are read
foreign      the worker's side of a bot that is not Python: questions and answers as lines of JSON
manifest     what such a bot's folder says
game_zygote  a fork server for a game: `GameZygote.spawn` makes the processes, `examine` tries the walls
compiled     Numba in these processes
words        tracebacks that show the bot's lines and nothing of the host
"""

from .asking import BotProcess, Reply
from .game_zygote import GameZygote

__all__ = ["BotProcess", "GameZygote", "Reply"]
