"""Jolly Zoliky: the worked examples of whole turns, as data: a position, then `legal set; action; legal set`.

A legal set is written as on the rules page, `D{5c 9d} + run Ah 2h 3h`; `-` leaves it out. The numbers are
those of the examples of the rules.
"""

from typing import Any

TABLE_11, TABLE_12 = ("4h 5h JK(6h)",), ("7h 7d JK",)
PILE: dict[str, Any] = {"hand": "5h Kc", "table": ("6h 7h 8h",), "opened": (0,), "draw": True}
JOLLY: dict[str, Any] = {"hand": "Ah 2h 3h Qs Ks As 9d Td Jd 5s 5d 5c", "draw": True, "pile": "2d"}
OPENS: dict[str, Any] = {"opened": (0,), "opened_now": True}
TURNS: dict[str, tuple[dict[str, Any], str]] = {
    "4 exactly 36": (
        {"hand": "Ah 2h 3h Qs Ks As 5c 9d"},
        "D{all} + run Ah 2h 3h, run Qs Ks As; run Qs Ks As; run Ah 2h 3h; run Ah 2h 3h; D{5c 9d}",
    ),
    "5 only 35": ({"hand": "4h 5h 6h 5s 5c 5d 5h 9c"}, "D{all}"),
    "6 no pure run": ({"hand": "Qh Kh JK Ks Kc Kd 2s 9c"}, "D{all}"),
    "7 look-ahead": (
        {"hand": "7c 8c 9c Ks Kd JK 4d"},
        "D{all} + run 7c 8c 9c, set Ks Kd JK; run 7c 8c 9c; set Ks Kd JK; set Ks Kd JK; D{4d}",
    ),
    "8 round the corner": ({"hand": "Kh Ah 2h 5s 5s 5d 9c", "opened": (0,)}, "D{all}"),
    "9 joker neighbours": (
        {"hand": "JK 7h 9c", "table": TABLE_11, "opened": (0,)},
        "D{JK 7h 9c} + lay 7h hi, lay JK 3h lo; lay 7h hi; D{JK 9c} + lay JK 3h lo, lay JK 8h hi",
    ),
    "10 ace ends": (
        {"hand": "Ah Ac 2c 9d", "table": ("2h 3h 4h", "Jc Qc Kc"), "opened": (0,)},
        "D{all} + lay Ah lo, lay Ac hi; lay Ac hi; D{Ah 2c 9d} + lay Ah lo",
    ),
    "11 swap from a run": (
        {"hand": "6h 9c 9d Kc", "table": TABLE_11, "opened": (0,)},
        "D{all} + swap 6h run; swap 6h run; lay JK 3h lo, lay JK 7h hi, set 9d 9c JK; set 9d 9c JK; D{Kc}",
    ),
    "11 not open": ({"hand": "6h 9c 9d Kc", "table": TABLE_11}, "D{all}"),
    "12 swap from a set": (
        {"hand": "7s 7c 2d 2h Kc", "table": TABLE_12, "opened": (0,)},
        "D{all} + lay 7s set, lay 7c set; lay 7c set; D{7s 2d 2h Kc} + swap 7s set; swap 7s set; "
        "set 2h 2d JK; set 2h 2d JK; D{Kc}",
    ),
    "12 no place for the joker": (
        {"hand": "7s 7c 2d", "table": TABLE_12, "opened": (0,)},
        "D{all} + lay 7s set, lay 7c set; lay 7c set; D{7s 2d}",
    ),
    "12 two jokers": (
        {"hand": "7c 2d 2h Kc", "table": ("7h 7d JK JK",), "opened": (0,)},
        "D{all} + swap 7c set; swap 7c set; set 2h 2d JK",
    ),
    "13 pile card": (
        PILE | {"pile": "9h"},
        "draw discard, draw stock; draw discard; lay 5h lo, lay 9h hi; lay 5h lo; lay 9h hi; lay 9h hi; "
        "D{Kc}",
    ),
    "13 round 2": (PILE | {"pile": "9h", "rounds": 2}, "draw stock"),
    "13 no place": (PILE | {"pile": "2d"}, "draw stock"),
    "13 by way of the 5": (
        PILE | {"pile": "4h"},
        "draw discard, draw stock; draw discard; lay 5h lo; lay 5h lo; lay 4h lo; lay 4h lo; D{Kc}",
    ),
    "13 nothing to discard": (
        PILE | {"hand": "5h", "pile": "4h"},
        "draw stock",
    ),
    "14 pile card before the opening": (
        {"hand": "Ah 2h Qs Ks As 5c 9d 4c 7c 9s 8d Jd", "draw": True, "pile": "3h", "jolly": "8s"},
        "draw discard, draw stock; draw discard; run Ah 2h 3h, run Qs Ks As",
    ),
    "15 Jolly Hand": (
        JOLLY | {"jolly": "4h", "players": 3, "others": ("2c 3c 6c", "2c 3c 6c 7c")},
        "draw jolly, draw stock; draw jolly; run 2h 3h 4h, run 9d Td Jd, run Qs Ks As, set 5s 5d 5c; "
        "set 5s 5d 5c; -; run 9d Td Jd; -; run 2h 3h 4h; run Qs Ks As; run Qs Ks As; D{Ah}",
    ),
    "15 another Jolly card": (JOLLY | {"jolly": "7c"}, "draw stock"),
    "15 round 2": (JOLLY | {"jolly": "4h", "rounds": 2}, "draw stock"),
    "15 eleven cards": (JOLLY | {"hand": "2h 3h Qs Ks As 9d Td Jd 5s 5d 5c", "jolly": "4h"}, "draw stock"),
    "16 last card": (
        {"hand": "6s 9h", "table": ("6h 7h 8h", "6h 6d 6c"), "opened": (0, 1), "players": 3}
        | {"others": ("2s 3s 4s", "JK JK")},
        "D{6s 9h} + lay 6s set, lay 9h hi; lay 6s set; D{9h}",
    ),
    "21 a pure run is kept": (
        {"hand": "7s 8s 9s Kh Kd Kc JK 2c 3c"},
        "-; run 7s 8s 9s; -; set Kh Kd Kc; D{JK 2c 3c} + lay JK K set; lay JK K set; D{2c 3c}",
    ),
    "21 36 points are reached": (
        {"hand": "7s 8s 9s Kh Kd Kc JK 2c 3c", "opening": "reached"},
        "-; run 7s 8s 9s; -; set Kh Kd Kc; D{JK 2c 3c} + lay JK Ts hi, lay JK 6s lo, lay JK K set",
    ),
    "22 the younger run takes the joker": (
        OPENS | {"hand": "JK 2c 3c", "table": ("7s 8s 9s", "JK(7s) 8s 9s", "Kh Kd Kc JK"), "fresh": 3},
        "D{JK 2c 3c} + lay JK Ts hi; lay JK Ts hi; D{2c 3c}",
    ),
    "23 a second pure run frees the first": (
        OPENS | {"hand": "JK 9c Tc Jc 2d", "table": ("7s 8s 9s", "Kh Kd Kc JK"), "fresh": 2, "owed": "JK"},
        "run JK 9c Tc, run 9c Tc Jc, run JK Tc Jc, run 9c JK Jc, run 9c Tc JK, run Tc Jc JK; "
        "run 9c Tc Jc; lay JK Ts hi, lay JK 6s lo, lay JK Qc hi, lay JK 8c lo; lay JK Qc hi; D{2d}",
    ),
    "24 a later turn": (
        {"hand": "JK 2c 3c", "table": ("7s 8s 9s",), "opened": (0,)},
        "D{JK 2c 3c} + lay JK Ts hi, lay JK 6s lo",
    ),
    "19 natural": (
        {"hand": "6h 6h JK 2d", "table": ("3h 4h JK(5h)", "3h 4h 5h"), "opened": (0,)},
        "-; lay 6h hi; -",
    ),
}
