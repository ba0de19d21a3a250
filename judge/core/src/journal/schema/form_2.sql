-- A journal of form 2, as the judge of that time wrote it: a run, one with a file of its own (`--dir`), and an interrupted one.
BEGIN TRANSACTION;
CREATE TABLE run (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    started TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    -- 'open' while it runs, and after it was killed; 'interrupted', 'stopped' (--fail-fast), 'complete'.
    state TEXT NOT NULL DEFAULT 'open',
    elapsed_us INTEGER NOT NULL DEFAULT 0,
    command TEXT NOT NULL,
    -- What a run must agree in to be continued, and what a result must agree in to be used again.
    signature BLOB NOT NULL,
    conditions BLOB NOT NULL,
    problem TEXT NOT NULL,
    checker TEXT NOT NULL,
    checker_version INTEGER NOT NULL,
    rule TEXT NOT NULL,
    direction TEXT NOT NULL,
    cpu_limit_us INTEGER NOT NULL,
    wall_limit_us INTEGER NOT NULL,
    memory_limit INTEGER NOT NULL,
    output_limit INTEGER NOT NULL,
    process_limit INTEGER NOT NULL,
    environment TEXT NOT NULL,
    case_count INTEGER NOT NULL,
    jobs INTEGER NOT NULL,
    tier TEXT NOT NULL,
    host TEXT NOT NULL,
    kernel TEXT NOT NULL,
    cpu_model TEXT NOT NULL,
    git_commit TEXT,
    git_dirty INTEGER,
    judge TEXT NOT NULL
);
INSERT INTO run VALUES(1,'2026-11-22T07:48:47.460Z','complete',5000,'judge run -p columns',X'6f93b6e94d571d630be6cc7e25eea6545f917943a3edd73110d4fc1f65218384',X'771b14e7dc67dc10cd3a6d725b3a467dd36d39661d05f4d5bad111a74fe4e29e','number','true {input} #af1349b9f5',0,'sum','max',1250000,500500,67108864,1000000,8,'''THREADS=1 2''',2,2,'root','box','6.1','cpu','0123456789abcdef',1,'0.1.0');
INSERT INTO run VALUES(2,'2026-11-22T07:48:47.484Z','complete',5000,'judge run -p columns',X'fd69f35ca1a681c1aaba72a330b74e652ce36a21705240f88033ded7c59c7866',X'b653f3ace2bd2d106ffc28f0f5d5f761e6535c40c73f13c7d7e65c673976af7b','number','true {input} #af1349b9f5',0,'sum','max',1250000,500500,67108864,1000000,8,'''THREADS=1 2''',2,2,'root','box','6.1','cpu','0123456789abcdef',1,'0.1.0');
INSERT INTO run VALUES(3,'2026-11-22T07:48:47.508Z','interrupted',5000,'judge run -p columns',X'707c13368660217c97f70dfa4e1a7c6f761e8fe824ef15a7341da4deae66ee52',X'771b14e7dc67dc10cd3a6d725b3a467dd36d39661d05f4d5bad111a74fe4e29e','number','true {input} #af1349b9f5',0,'sum','max',1250000,500500,67108864,1000000,8,'''THREADS=1 2''',2,2,'root','box','6.1','cpu','0123456789abcdef',1,'0.1.0');
CREATE TABLE entrant (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    place INTEGER NOT NULL,
    name TEXT NOT NULL,
    command TEXT NOT NULL,
    hash BLOB NOT NULL,
    done INTEGER,
    accepted INTEGER,
    total TEXT,
    -- Hash of the cases it was run on: totals over other cases say nothing about progress.
    case_set BLOB,
    UNIQUE (run, place)
);
INSERT INTO entrant VALUES(1,1,0,'bot','./bot',X'5bf2eb54831e49986400110d2d43077cbc03ea56e308991e662a9df09cdc54ae',2,1,'5',X'65326dcffc99f67ea7d94717b68f73e158e51cccd355a9d16bef18d39fc05bec');
INSERT INTO entrant VALUES(2,2,0,'bot','./bot',X'5bf2eb54831e49986400110d2d43077cbc03ea56e308991e662a9df09cdc54ae',2,1,'6',X'65326dcffc99f67ea7d94717b68f73e158e51cccd355a9d16bef18d39fc05bec');
INSERT INTO entrant VALUES(3,3,0,'bot','./bot',X'5bf2eb54831e49986400110d2d43077cbc03ea56e308991e662a9df09cdc54ae',1,1,NULL,X'1a0d12016999e47689dae5744d2b8c1903faf7ca2886a658150083100ef2c8ee');
CREATE TABLE game_case (
    id INTEGER PRIMARY KEY,
    problem TEXT NOT NULL,
    checker TEXT NOT NULL,
    checker_version INTEGER NOT NULL,
    name TEXT NOT NULL,
    input BLOB NOT NULL,
    seed TEXT,
    file TEXT,
    UNIQUE (problem, checker, checker_version, name, input)
);
INSERT INTO game_case VALUES(1,'number','true {input} #af1349b9f5',0,'seed-1',X'e5bcad59f8b90870a2c5c47d69e2b41a20db41eee48c7217d370f4108b791657','1',NULL);
INSERT INTO game_case VALUES(2,'number','true {input} #af1349b9f5',0,'seed-2',X'c09bb7e3d9b17a501e84f12a4fea8145885936725f2405b18e84d7e792e41935','2',NULL);
CREATE TABLE answer (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    run INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    packed_bytes INTEGER NOT NULL
);
INSERT INTO answer VALUES(1,X'8bf5b0c67643535d018a149e8d42e8203cf0c4d6f6d987a3c7bc5a106348532f',1,14,14);
INSERT INTO answer VALUES(2,X'7542b8410727c74097213fb90838426f932a89741b7e0c83212f9691a3247d89',2,11,11);
INSERT INTO answer VALUES(3,X'1d6c7b1bcccebfa0134eaa36b61ef88ed17ee8045a520472fbe6abf313a63076',2,14,14);
INSERT INTO answer VALUES(4,X'08e0c9adfbf2464d8d7492defaa4d130545b1d120c6777e73e062e6f931ac68f',3,14,14);
CREATE TABLE answer_body (
    answer INTEGER PRIMARY KEY REFERENCES answer ON DELETE CASCADE,
    packed BLOB NOT NULL
);
INSERT INTO answer_body VALUES(1,X'616e7377657220536f6d65283529');
INSERT INTO answer_body VALUES(2,X'616e73776572204e6f6e65');
INSERT INTO answer_body VALUES(3,X'616e7377657220536f6d65283629');
INSERT INTO answer_body VALUES(4,X'616e7377657220536f6d65283729');
CREATE TABLE result (
    entrant INTEGER NOT NULL REFERENCES entrant ON DELETE CASCADE,
    place INTEGER NOT NULL,
    game_case INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    verdict TEXT NOT NULL,
    score TEXT,
    rank BLOB,
    cpu_us INTEGER,
    wall_us INTEGER,
    memory INTEGER,
    noisy INTEGER NOT NULL,
    note TEXT NOT NULL,
    stderr TEXT NOT NULL,
    answer INTEGER,
    PRIMARY KEY (entrant, place)
) WITHOUT ROWID;
INSERT INTO result VALUES(1,0,1,0,'accepted','5',X'010000000105',1234,5678,1099511627776,1,'','',1);
INSERT INTO result VALUES(1,1,2,0,'wrong-answer',NULL,NULL,NULL,NULL,NULL,0,'line 1, column 2: no','',2);
INSERT INTO result VALUES(2,0,1,0,'accepted','6',X'010000000106',1234,5678,1099511627776,1,'','',3);
INSERT INTO result VALUES(2,1,2,0,'wrong-answer',NULL,NULL,NULL,NULL,NULL,0,'line 1, column 2: no','',2);
INSERT INTO result VALUES(3,0,1,0,'accepted','7',X'010000000107',1234,5678,1099511627776,1,'','',4);
CREATE TABLE imported_best (
    problem TEXT NOT NULL,
    checker TEXT NOT NULL,
    checker_version INTEGER NOT NULL,
    name TEXT NOT NULL,
    input BLOB NOT NULL,
    score TEXT NOT NULL,
    solver TEXT NOT NULL,
    solver_hash BLOB NOT NULL,
    host TEXT NOT NULL,
    run INTEGER NOT NULL,
    date TEXT NOT NULL,
    PRIMARY KEY (problem, checker, checker_version, name, input)
) WITHOUT ROWID;
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('run',3);
CREATE INDEX run_by_signature ON run (signature);
CREATE INDEX run_by_conditions ON run (conditions);
CREATE INDEX run_by_problem ON run (problem);
CREATE INDEX entrant_by_name ON entrant (name, run);
CREATE INDEX result_by_rank ON result (game_case, rank) WHERE rank IS NOT NULL;
COMMIT;
PRAGMA user_version = 2;
