"""The attack suite as a program: `python -m tests.attacks` runs every attack here, `--table` prints the
page's table.
"""

import argparse
import sys
from pathlib import Path

from arena.jail import HostError, Level

from . import suite


def main() -> int:
    """Run the suite; the exit code is 1 if an attack got something or ended with another verdict, 5 if there
    is no such wall.
    """
    parser = argparse.ArgumentParser(prog="python -m tests.attacks", description=__doc__)
    parser.add_argument("--level", default=Level.STRICT, choices=[*Level], help="the wall to attack")
    parser.add_argument(
        "--table", action="store_true", help="print which layer alone stops which attack, as Markdown"
    )
    chosen = parser.parse_args()
    try:
        if chosen.table:
            print(suite.table(Path(__file__).parent / "breakouts"))
            print()
            print(suite.channel_table())
            return 0
        tried = failed = 0
        for outcome, wrong in suite.run_all(chosen.level):
            tried, failed = tried + 1, failed + bool(wrong)
            name = f"{outcome.attack.path.parent.name}/{outcome.attack.name}"
            print(
                f"{'FAILED ' if wrong else 'stopped'} {name}: "
                f"{'; '.join(wrong) or outcome.verdict or 'plays on'}"
            )
        print(f"{tried - failed} of {tried} attacks stopped at level {chosen.level}")
        return int(failed > 0)
    except HostError as error:
        print(error, file=sys.stderr)
        return 5


if __name__ == "__main__":
    sys.exit(main())
