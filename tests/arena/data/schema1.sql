BEGIN TRANSACTION;
CREATE TABLE arena_schema (
	version INTEGER NOT NULL, 
	PRIMARY KEY (version)
);
INSERT INTO "arena_schema" VALUES(1);
CREATE TABLE bot (
	id INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	version INTEGER NOT NULL, 
	kind VARCHAR NOT NULL, 
	games JSON NOT NULL, 
	title VARCHAR NOT NULL, 
	hash VARCHAR NOT NULL, 
	source BLOB NOT NULL, 
	created DATETIME NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (name, version, hash)
);
INSERT INTO "bot" VALUES(1,'random',1,'house','["flip7", "julepe", "taroky", "tzogous37", "zoliky"]','Picks a kind of action at random, then an action of that kind; passes and cut...','347ff63a329bc15fa58310d417a78a1548b3abb628350306e59ee126b3f996d3',X'504B03041400000008000000210088D86F3161020000CD0400000900000072616E646F6D2E707965534D6BDC3010BDFB570CEEA1362CA6D0D242CA4253283D947E40735B1647B1C76B75B51AA391B3D994FEF7CEC88EB34974902D693EDE7B3393E7F92FDBEC190CECAD6F813A304DB4E4C14408C6B7745841EC51CEFEE1456C622FCFEAF01106C38CE22FCECD18190667AC7727F5BF3281F6A72ACFF32CEB021DA01B7D13891C833D0C1422B830D68D697ACCB2AF97DFBFFC86356CF2CED9E143BE82FCCFE87040FD8B2952FABBA71D8DFC3619DC93B372BDCDB2ECD312AA38983BB6F7B87EFFAECC5AEC124EAEA92B22DE452E2F329025A0AE7A5C48E32D86D31941033B73C0155861A46EAF193A1B38C291427B014C401EE1BA23D75E8315FA0C020595B71C9C13EDACCA126987225F482268DE80710C1E361AB4E2C1D958949B375BE828A444607DFAB2926A9C880B9F292E987F4A564556C137C481B53410CD8D43059D88AE1282C7CB140C1A62D90F14C49CC4623F25ECB5AAD0626359884F95D24C2A5B5D5B6F635D178CAE5B01A389BA633B2BA84B9FAA94562AF743247974172D67CF5B8BC7331F497239B7D62C7882AC4C0ED44AC981CD8917C174D9EE3C93C8ADA91E23BE40B2545C5357AA571D243057533E9EEE694887B25C02DD9CEAD4106BF8FB6FB954A1E6C690DA244F873BE3AA28DDC752BEA740E61815631419CCE82619266C9B29D076059B6D59996140DF16D35D79CE76C10DEBF5D2FD1700AF1E846BA4C7A6A1DB7BD2F93DD2E85A68031DFDD4CCB1B77E07E8181576D3DB61B2F7248DF904B1124CB4C5AEC8658875B474ACF367D466700FB633D39736677D3EDB6C74DB4A9F2FB6B3CE8968F0BBAAE9C93658244567A7B3C2CCD19E5B3F895E66FF01504B010214031400000008000000210088D86F3161020000CD04000009000000000000000000000080010000000072616E646F6D2E7079504B0506000000000100010037000000880200000000','2026-11-21 20:15:21.065858');
INSERT INTO "bot" VALUES(2,'banker',1,'house','["flip7"]','Flip 7: hits until its row is worth 25 points, then stays.','2c58eaa795e58f88ab3a4dc2a062273e42f8363b36ea4bc638671fedb2c379ba',X'504B03041400000008000000210016B90D625D010000730200000900000062616E6B65722E70797D91416B02311085EFF915AF818282952288605941C4DA4BDB83F42482E9EEAC06349124EE564AFF7B27D9ADB597E6B04C6667DEFB3223A57CDCEB234663EC74F03899A0F78891B335B4476D5DD86130C4D16A137C0F6147063EA8B3EF4B2985289D3D209C8FDA6CA10F472EC7D49C85584C9FE74B6458C9920D46722DE62FAF6F8B274E0D864288824AA83C742A4DF538B674713761613716E0C3DA4B364192DF34AD9B1602D6F4F07E0A30549143AD99506149B93505663B65727AC05657845CB9C223D8480DCB1FE7A10DC2C999441F9D7489C8D02F28D75E5B832C838C15B22189C7AB92185C2E6732F6A77A1ED0E5BFA3D80019E7222F8A0DED2AC59E54586392A19D8262546343A31C2F3FBDAD7AA00F7E28ED3D41F266FE41F5AAA22BD40B4A4CA76CFB6E5E451445691D52F0D78AB553F6264329D3F03E2FE05FBCBD2BED4670D54EE1C4F0B7D893E934F9EE3A6AB5A6E901BF2EABFBB5F806504B010214031400000008000000210016B90D625D0100007302000009000000000000000000000080010000000062616E6B65722E7079504B0506000000000100010037000000840100000000','2026-11-21 20:15:21.080490');
INSERT INTO "bot" VALUES(3,'raises',0,'guest','["flip7"]','Bot raises.','576abbc3dd621463ece43e5be70961554b965062f4a121ed7643ac13c7f373f8',X'504B030414000000080000002100BBDDA52B580000005B000000090000007261697365732E707953525272CA2F51284ACC2C4E2DD6535252E2E27277F4750D56B05588564ACBC92C30578AE5E2E24A494D53484C2ED128CB4C2DD7B4E2520002B01685B0C49CD254D7A2A2FC220DA5FCD21285FC3485CC94D4C462254D2E00504B0102140314000000080000002100BBDDA52B580000005B0000000900000000000000000000008001000000007261697365732E7079504B05060000000001000100370000007F0000000000','2026-11-21 20:15:21.089426');
CREATE TABLE entrant (
	run_id INTEGER NOT NULL, 
	place INTEGER NOT NULL, 
	bot_id INTEGER NOT NULL, 
	PRIMARY KEY (run_id, place), 
	FOREIGN KEY(run_id) REFERENCES league_run (id), 
	FOREIGN KEY(bot_id) REFERENCES bot (id)
);
INSERT INTO "entrant" VALUES(1,0,1);
INSERT INTO "entrant" VALUES(1,1,2);
INSERT INTO "entrant" VALUES(1,2,3);
INSERT INTO "entrant" VALUES(2,0,1);
INSERT INTO "entrant" VALUES(2,1,2);
INSERT INTO "entrant" VALUES(2,2,3);
CREATE TABLE forfeit (
	id INTEGER NOT NULL, 
	run_id INTEGER NOT NULL, 
	game INTEGER NOT NULL, 
	seat INTEGER NOT NULL, 
	entrant INTEGER NOT NULL, 
	decision INTEGER NOT NULL, 
	kind VARCHAR NOT NULL, 
	text VARCHAR NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(run_id) REFERENCES league_run (id)
);
INSERT INTO "forfeit" VALUES(1,1,0,1,2,0,'exception','raised ValueError: out of ideas (raises.py, line 7)
Traceback (most recent call last):
  File "raises.py", line 7, in act
    raise ValueError("out of ideas")
ValueError: out of ideas
');
INSERT INTO "forfeit" VALUES(2,1,1,1,2,0,'exception','raised ValueError: out of ideas (raises.py, line 7)
Traceback (most recent call last):
  File "raises.py", line 7, in act
    raise ValueError("out of ideas")
ValueError: out of ideas
');
INSERT INTO "forfeit" VALUES(3,1,1000,2,2,1,'exception','raised ValueError: out of ideas (raises.py, line 7)
Traceback (most recent call last):
  File "raises.py", line 7, in act
    raise ValueError("out of ideas")
ValueError: out of ideas
');
INSERT INTO "forfeit" VALUES(4,1,1001,2,2,1,'exception','raised ValueError: out of ideas (raises.py, line 7)
Traceback (most recent call last):
  File "raises.py", line 7, in act
    raise ValueError("out of ideas")
ValueError: out of ideas
');
INSERT INTO "forfeit" VALUES(5,1,2000,0,2,2,'exception','raised ValueError: out of ideas (raises.py, line 7)
Traceback (most recent call last):
  File "raises.py", line 7, in act
    raise ValueError("out of ideas")
ValueError: out of ideas
');
INSERT INTO "forfeit" VALUES(6,1,2001,0,2,2,'exception','raised ValueError: out of ideas (raises.py, line 7)
Traceback (most recent call last):
  File "raises.py", line 7, in act
    raise ValueError("out of ideas")
ValueError: out of ideas
');
INSERT INTO "forfeit" VALUES(7,2,0,1,2,0,'exception','raised ValueError: out of ideas (raises.py, line 7)
Traceback (most recent call last):
  File "raises.py", line 7, in act
    raise ValueError("out of ideas")
ValueError: out of ideas
');
INSERT INTO "forfeit" VALUES(8,2,1,2,2,1,'exception','raised ValueError: out of ideas (raises.py, line 7)
Traceback (most recent call last):
  File "raises.py", line 7, in act
    raise ValueError("out of ideas")
ValueError: out of ideas
');
INSERT INTO "forfeit" VALUES(9,2,1000,2,2,1,'exception','raised ValueError: out of ideas (raises.py, line 7)
Traceback (most recent call last):
  File "raises.py", line 7, in act
    raise ValueError("out of ideas")
ValueError: out of ideas
');
INSERT INTO "forfeit" VALUES(10,2,1001,0,2,2,'exception','raised ValueError: out of ideas (raises.py, line 7)
Traceback (most recent call last):
  File "raises.py", line 7, in act
    raise ValueError("out of ideas")
ValueError: out of ideas
');
CREATE TABLE game (
	run_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	"match" INTEGER NOT NULL, 
	block INTEGER NOT NULL, 
	entrants JSON NOT NULL, 
	places JSON NOT NULL, 
	scores JSON NOT NULL, 
	moves BLOB NOT NULL, 
	PRIMARY KEY (run_id, number), 
	FOREIGN KEY(run_id) REFERENCES league_run (id)
);
INSERT INTO "game" VALUES(1,0,0,0,'[0, 2, 1]','[0, 2, 1]','[12, 0, 32]',X'789C63606060606440058C483400004C0004');
INSERT INTO "game" VALUES(1,1,0,1,'[0, 2, 1]','[0, 2, 1]','[19, 24, 61]',X'789C6360606060648000188D2E020000700005');
INSERT INTO "game" VALUES(1,1000,1,0,'[1, 0, 2]','[1, 0, 2]','[57, 26, 0]',X'789C6364C0061851588C68320000AE0006');
INSERT INTO "game" VALUES(1,1001,1,1,'[1, 0, 2]','[1, 0, 2]','[28, 49, 16]',X'789C636040058C4088603330000000420004');
INSERT INTO "game" VALUES(1,2000,2,0,'[2, 1, 0]','[2, 1, 0]','[0, 30, 22]',X'789C6360800046280600001C0003');
INSERT INTO "game" VALUES(1,2001,2,1,'[2, 1, 0]','[2, 1, 0]','[73, 24, 9]',X'789C63606064C00400002A0002');
INSERT INTO "game" VALUES(2,0,0,0,'[0, 2, 1]','[0, 2, 1]','[6, 78, 28]',X'789C6360606060644000181B0000340003');
INSERT INTO "game" VALUES(2,1,0,1,'[0, 1, 2]','[0, 1, 2]','[26, 57, 74]',X'789C63608001462044068C482408000000820005');
INSERT INTO "game" VALUES(2,1000,1,0,'[1, 0, 2]','[1, 0, 2]','[32, 29, 0]',X'789C6364400046AC6C460600006E0005');
INSERT INTO "game" VALUES(2,1001,1,1,'[2, 0, 1]','[2, 0, 1]','[0, 42, 0]',X'789C6360400046066C80910100003E0003');
CREATE TABLE league_run (
	id INTEGER NOT NULL, 
	name VARCHAR NOT NULL, 
	number INTEGER NOT NULL, 
	game VARCHAR NOT NULL, 
	definition JSON NOT NULL, 
	fingerprint VARCHAR NOT NULL, 
	secret VARCHAR NOT NULL, 
	secret_hash VARCHAR NOT NULL, 
	matches INTEGER NOT NULL, 
	started DATETIME NOT NULL, 
	finished DATETIME, 
	PRIMARY KEY (id), 
	UNIQUE (name, number)
);
INSERT INTO "league_run" VALUES(1,'quick',1,'flip7','{"name": "quick", "game": "flip7", "players": 3, "options": {"goal": 30, "max_rounds": 50, "first_dealer": 0, "targeting": "self", "flip_three": "now", "second_chance": "auto", "deck": "keep", "tie": "share"}, "entrants": [{"name": "random", "version": 1, "kind": "house", "hash": "347ff63a329bc15fa58310d417a78a1548b3abb628350306e59ee126b3f996d3"}, {"name": "banker", "version": 1, "kind": "house", "hash": "2c58eaa795e58f88ab3a4dc2a062273e42f8363b36ea4bc638671fedb2c379ba"}, {"name": "raises", "version": 0, "kind": "guest", "hash": "576abbc3dd621463ece43e5be70961554b965062f4a121ed7643ac13c7f373f8"}], "deals": 2, "seed": null, "level": "strict", "limits": {}}','6a6a24db5ce3ed7c1ffec8c3f63b6aee1547f0704addf9f12782b42890716071','08ada2d508cc50e70cca6ec37d6858a0','eb6e9c74be3f1c3389b9ce07eaa7a9826dc46af429e7b44d45b17f505f11d7c2',3,'2026-11-21 20:15:21.105113','2026-11-21 20:16:13.213967');
INSERT INTO "league_run" VALUES(2,'stopped',1,'flip7','{"name": "stopped", "game": "flip7", "players": 3, "options": {"goal": 30, "max_rounds": 50, "first_dealer": 0, "targeting": "self", "flip_three": "now", "second_chance": "auto", "deck": "keep", "tie": "share"}, "entrants": [{"name": "random", "version": 1, "kind": "house", "hash": "347ff63a329bc15fa58310d417a78a1548b3abb628350306e59ee126b3f996d3"}, {"name": "banker", "version": 1, "kind": "house", "hash": "2c58eaa795e58f88ab3a4dc2a062273e42f8363b36ea4bc638671fedb2c379ba"}, {"name": "raises", "version": 0, "kind": "guest", "hash": "576abbc3dd621463ece43e5be70961554b965062f4a121ed7643ac13c7f373f8"}], "deals": 2, "seed": null, "level": "strict", "limits": {}}','48568d940e3848e5b495d5731ab171760295a806825b427ff39cd0aad42c2bd6','d83072f3c53f0b05301688434e82dc58','4bbd41bf99871d98288b68493f3a812353d424273560512dc3e384b4ae7c6a11',3,'2026-11-21 20:16:33.505780',NULL);
CREATE TABLE "match" (
	run_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	line_up JSON NOT NULL, 
	turn INTEGER NOT NULL, 
	cpu_s JSON NOT NULL, 
	decisions JSON NOT NULL, 
	wall_s FLOAT NOT NULL, 
	host JSON NOT NULL, 
	finished DATETIME NOT NULL, 
	PRIMARY KEY (run_id, number), 
	FOREIGN KEY(run_id) REFERENCES league_run (id)
);
INSERT INTO "match" VALUES(1,0,'[0, 1, 2]',0,'[0.000705, 0.001618, 0.001805]','[5, 12, 2]',1.077645,'{"level": "strict", "landlock_abi": 7, "kernel": "6.18.44-fc-v669", "machine": "x86_64", "python": "3.11.7", "root": true}','2026-11-21 20:16:11.481732');
INSERT INTO "match" VALUES(1,1,'[0, 1, 2]',1,'[0.000825, 0.001441, 0.001962]','[9, 15, 2]',0.076719,'{"level": "strict", "landlock_abi": 7, "kernel": "6.18.44-fc-v669", "machine": "x86_64", "python": "3.11.7", "root": true}','2026-11-21 20:16:11.617627');
INSERT INTO "match" VALUES(1,2,'[0, 1, 2]',2,'[0.000605, 0.001093, 0.0016]','[3, 6, 2]',0.080447,'{"level": "strict", "landlock_abi": 7, "kernel": "6.18.44-fc-v669", "machine": "x86_64", "python": "3.11.7", "root": true}','2026-11-21 20:16:11.740795');
INSERT INTO "match" VALUES(2,0,'[0, 1, 2]',0,'[0.000602, 0.00136, 0.001905]','[5, 10, 2]',0.373559,'{"level": "strict", "landlock_abi": 7, "kernel": "6.18.44-fc-v669", "machine": "x86_64", "python": "3.11.7", "root": true}','2026-11-21 20:18:23.112913');
INSERT INTO "match" VALUES(2,1,'[0, 1, 2]',1,'[0.000754, 0.001361, 0.001805]','[9, 15, 2]',0.043852,'{"level": "strict", "landlock_abi": 7, "kernel": "6.18.44-fc-v669", "machine": "x86_64", "python": "3.11.7", "root": true}','2026-11-21 20:18:23.180887');
CREATE TABLE standing (
	id INTEGER NOT NULL, 
	run_id INTEGER NOT NULL, 
	at DATETIME NOT NULL, 
	"table" JSON NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(run_id) REFERENCES league_run (id)
);
INSERT INTO "standing" VALUES(1,1,'2026-11-21 20:16:13.224399','[{"rank": 1, "bot": "banker", "version": 1, "guest": false, "rank_low": 1, "rank_high": 3, "elo": 1844.2, "elo_low": 808.1, "elo_high": 2880.3, "score": 38.667, "score_low": 25.96, "score_high": 51.373, "trimmed": 38.667, "trimmed_low": 25.96, "trimmed_high": 51.373, "games": 6, "forfeits": 0, "cpu_us": 125.8, "perfect": 0, "provisional": true}, {"rank": 2, "bot": "random", "version": 1, "guest": false, "rank_low": 1, "rank_high": 3, "elo": 1599.8, "elo_low": 563.7, "elo_high": 2635.9, "score": 22.833, "score_low": -13.168, "score_high": 58.834, "trimmed": 22.833, "trimmed_low": -13.168, "trimmed_high": 58.834, "games": 6, "forfeits": 0, "cpu_us": 125.6, "perfect": 0, "provisional": true}, {"rank": 3, "bot": "raises", "version": 0, "guest": true, "rank_low": 1, "rank_high": 3, "elo": 1056.0, "elo_low": -3992.8, "elo_high": 6104.8, "score": 7.333, "score_low": -85.846, "score_high": 100.512, "trimmed": 7.333, "trimmed_low": -85.846, "trimmed_high": 100.512, "games": 6, "forfeits": 6, "cpu_us": 894.5, "perfect": -1, "provisional": true}]');
CREATE INDEX ix_bot_name ON bot (name);
CREATE INDEX ix_league_run_game ON league_run (game);
CREATE INDEX ix_league_run_fingerprint ON league_run (fingerprint);
CREATE INDEX ix_game_match ON game ("match");
CREATE INDEX ix_forfeit_run_id ON forfeit (run_id);
CREATE INDEX ix_standing_run_id ON standing (run_id);
COMMIT;
