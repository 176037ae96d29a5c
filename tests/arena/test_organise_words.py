"""What the organiser's page refuses before any command hears it."""

import json
from types import SimpleNamespace
from typing import Any, cast

import pytest

from arena.errors import UsageError
from arena.web import organise


@pytest.mark.parametrize(
    ("wish", "why"),
    [
        ({"do": "invite", "name": 5}, "name: send a text"),
        ({"do": "pause", "season": []}, "season: send a text"),
        ({"do": "ban", "name": "bob", "reason": 7}, "reason: send a text"),
        ({"do": "pause", "season": "autumn", "undo": "no"}, "undo: send true or false"),
    ],
)
def test_a_value_of_a_wrong_kind_is_refused_by_its_name(wish: dict[str, Any], why: str) -> None:
    site = cast(Any, SimpleNamespace(organiser="token", store=None))
    request = cast(Any, SimpleNamespace(headers={"authorization": "Bearer token"}))
    with pytest.raises(UsageError, match=f"^{why}$"):
        organise.act(site, request, json.dumps(wish).encode())
