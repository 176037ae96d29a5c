"""Playouts on a GPU: the kernels compile, and in Numba's simulator, and on a GPU if there is one, they play the
rows and the new deals that compiled code plays on the processor.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import engines
from engines import core
from tests.engines.short import SHORT
from tests.python import python

ROOT = Path(__file__).parents[2]
WITHOUT = "needs the extra cuda: pip install '.[cuda]'"
SIMULATED = """
import sys
import numpy as np
import engines
from engines import cuda
game = engines.load(sys.argv[1])
states = np.frombuffer(bytearray(sys.stdin.buffer.read()), game.state)
scores, dealt = cuda.play_new(sys.argv[1], 2, 2**64 - 1, **eval(sys.argv[2]))
fresh = game.new(2, 2**64 - 1, **eval(sys.argv[2]))
assert dealt == game.playout(fresh, 2**64 - 1) and (scores == game.scores(fresh)).all()
decisions = cuda.playout(states, seed=2**64 - 5)
sys.stdout.buffer.write(decisions.to_bytes(8, "little") + states.tobytes())
"""


@pytest.fixture
def cuda() -> ModuleType:
    """`engines.cuda`, not imported before a test needs it: it takes a while."""
    return pytest.importorskip("engines.cuda", reason=WITHOUT, exc_type=ImportError)


CONSTANT_MEMORY = 64 * 1024
"""Bytes of it that a GPU has."""


def assembled(ptx: str) -> str:
    """What NVIDIA's assembler says of a kernel: its registers and spills."""
    places = [Path(place) / "nvidia/cu13/bin" for place in sys.path]
    ptxas = shutil.which("ptxas", path=os.pathsep.join(map(str, [*places, os.environ.get("PATH", "")])))
    if ptxas is None:
        pytest.skip("no ptxas, to assemble the kernel: pip install nvidia-cuda-nvcc")
    command = [ptxas, "-v", "-arch=sm_80", "-o", os.devnull, "-"]
    done = subprocess.run(command, input=ptx, capture_output=True, text=True, timeout=900, check=False)
    if "Unsupported .version" in done.stderr:
        pytest.skip("ptxas is older than the compiler: pip install nvidia-cuda-nvcc")
    assert done.returncode == 0, done.stderr
    return done.stderr


SLOW = [pytest.param(name, marks=pytest.mark.soak) for name in ("flip7", "tzogous37", "zoliky")]


@pytest.mark.parametrize("name", ["julepe", "taroky", *SLOW])
def test_the_kernel_of_a_game_compiles_without_a_gpu_calls_nothing_outside_and_spills_no_registers(
    cuda: ModuleType, name: str
) -> None:
    ptx = cuda.compile_to_ptx(name)
    assert ".visible .entry" in ptx and ".extern .func" not in ptx
    tables = re.findall(r"\.const .*\b(\w+)\[(\d+)\]", ptx)
    assert tables and len(dict(tables)) == len(tables)
    assert sum(int(size) for _, size in tables) <= CONSTANT_MEMORY
    said = assembled(ptx)
    spills = re.findall(r"(\d+) bytes spill stores, (\d+) bytes spill loads", said)
    assert spills and set(spills) == {("0", "0")}, said
    assert re.search(r"Used \d+ registers", said)


@pytest.mark.parametrize("name", ["julepe", "flip7", "zoliky"])
def test_in_the_simulator_rows_end_as_on_the_processor(cuda: ModuleType, name: str) -> None:
    game = engines.load(name)
    states = game.new(3, seed=11, **SHORT[name])
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1"}
    words, given = ["-W", "ignore", "-c", SIMULATED, name, repr(SHORT[name])], states.tobytes()
    done = python(*words, cwd=ROOT, env=environment, input=given, text=False, check=True)
    decisions = game.playout(states, seed=2**64 - 5)
    assert int.from_bytes(done.stdout[:8], "little") == decisions
    simulated = np.frombuffer(done.stdout[8:], game.state)
    for row, other in zip(simulated, states, strict=True):
        assert row.tobytes() == other.tobytes()


@pytest.mark.parametrize("name", engines.names())
def test_on_a_gpu_rows_end_as_on_the_processor(cuda: ModuleType, name: str) -> None:
    if not cuda.cuda.is_available():
        pytest.skip("needs an NVIDIA GPU")
    game = engines.load(name)
    states = game.new(1000, seed=11, **SHORT[name])
    there = core.copy_states(states)
    assert cuda.playout(there, seed=3) == game.playout(states, seed=3)
    assert there.tobytes() == states.tobytes()
    scores, decisions = cuda.play_new(name, 1000, 11, **SHORT[name])
    states = game.new(1000, 11, **SHORT[name])
    assert decisions == game.playout(states, 11)
    np.testing.assert_array_equal(scores, game.scores(states))


def test_without_a_gpu_one_line_says_so_and_nothing_is_played(cuda: ModuleType) -> None:
    if cuda.cuda.is_available():
        pytest.skip("there is a GPU")
    states = engines.load("taroky").new(2)
    before = states.tobytes()
    with pytest.raises(engines.GameError, match=r"^engines\.cuda: no NVIDIA GPU .* Game\.playout .*$"):
        cuda.playout(states)
    assert states.tobytes() == before


def test_the_benchmark_measures_nothing_without_a_gpu_and_says_why() -> None:
    done = python("-m", "benchmarks.gpu", "flip7", "--rows", "64", cwd=ROOT)
    if done.returncode == 0:
        pytest.skip("there is a GPU")
    assert done.returncode == 2 and "| flip7 |" not in done.stdout
    told = r"engines\.cuda: (the extra is missing: .*|no NVIDIA GPU .*)"
    assert re.fullmatch(told, done.stderr.splitlines()[-1])


def test_batches_that_no_playout_takes_are_refused_as_on_the_processor(cuda: ModuleType) -> None:
    states = engines.load("taroky").new(4)
    with pytest.raises(engines.GameError, match="one game's records"):
        cuda.playout(np.zeros(3))
    with pytest.raises(engines.GameError, match="writable"):
        cuda.playout(states[::2])
    with pytest.raises(engines.OptionError, match="seed = -1"):
        cuda.playout(states, seed=-1)
    with pytest.raises(engines.OptionError, match="n = 0"):
        cuda.play_new("taroky", 0)
    with pytest.raises(engines.OptionError, match="players"):
        cuda.play_new("taroky", 2, players=3)


def test_without_the_extra_one_line_says_what_to_install() -> None:
    code = "import sys; sys.modules['_numba_cuda_redirector'] = None; import engines.cuda"
    told = "ImportError: engines.cuda: the extra is missing: in the checkout, pip install -e '.[cuda]'"
    assert python("-c", code, cwd=ROOT).stderr.splitlines()[-1] == told
