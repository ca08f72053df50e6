BEGIN TRANSACTION;
CREATE TABLE jobs (
    place INTEGER PRIMARY KEY AUTOINCREMENT,  -- order of arrival
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    draft TEXT,                               -- the draft it was launched from, if any
    request TEXT NOT NULL,                    -- what to run, as JSON
    status TEXT NOT NULL,
    message TEXT NOT NULL DEFAULT '',
    created REAL NOT NULL,                    -- seconds since 1970, as all times here
    started REAL,
    ended REAL,
    owner_pid INTEGER,                        -- the process that watches over the job
    owner_since REAL,                         -- its start time: a pid alone may be used again
    pid INTEGER,                              -- the process that trains
    owner TEXT                                -- who launched it: a digest of a browser's token
);
INSERT INTO "jobs" VALUES(1,'d9f56e1670bd','run',NULL,'{"draft": {"base": {"name": "", "dataset": "digits", "partition": {"kind": "iid"}, "clients": {"count": 4, "epsilon": 1.0, "epsilon_scope": "mechanism", "low": -1.0, "high": 1.0}, "model": "logistic_regression", "local": {"optimizer": "sgd", "epochs": 2, "batch_size": 10, "learning_rate": 0.5}, "target": "weights", "mechanism": {"name": "piecewise"}, "selection": {"kind": "all"}, "aggregator": {"name": "mean"}, "system": null, "rounds": 3, "seed": 0, "form": "corrected", "attack": null}, "variants": [{"label": "run", "set": {}}], "seeds": 1}, "reference": false}','completed','',1.79541369460899734493e+09,1.79541371707090640068e+09,1.79541371859223842623e+09,17423,946179.0,NULL,NULL);
INSERT INTO "jobs" VALUES(2,'b17235fdc5ce','run',NULL,'{"draft": {"base": {"name": "", "dataset": "digits", "partition": {"kind": "iid"}, "clients": {"count": 4, "epsilon": 1.0, "epsilon_scope": "mechanism", "low": -1.0, "high": 1.0}, "model": "logistic_regression", "local": {"optimizer": "sgd", "epochs": 2, "batch_size": 10, "learning_rate": 0.5}, "target": "weights", "mechanism": {"name": "piecewise"}, "selection": {"kind": "all"}, "aggregator": {"name": "mean"}, "system": null, "rounds": 60, "seed": 5, "form": "corrected", "attack": null}, "variants": [{"label": "run", "set": {}}], "seeds": 1}, "reference": false}','running','',1.79541386968580746652e+09,1.79541387827710533136e+09,NULL,20465,963687.0,20506,NULL);
CREATE INDEX by_status ON jobs (status, place);
CREATE INDEX by_draft ON jobs (draft, place);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('jobs',2);
COMMIT;
PRAGMA user_version = 2;
