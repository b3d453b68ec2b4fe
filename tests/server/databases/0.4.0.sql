BEGIN TRANSACTION;
CREATE TABLE chat (
	table_id VARCHAR(16) NOT NULL, 
	number INTEGER NOT NULL, 
	seat INTEGER NOT NULL, 
	name VARCHAR(40) NOT NULL, 
	text TEXT NOT NULL, 
	at FLOAT NOT NULL, 
	PRIMARY KEY (table_id, number), 
	FOREIGN KEY(table_id) REFERENCES tables (id) ON DELETE CASCADE
);
INSERT INTO "chat" VALUES('evm65y26nq',1,0,'Anna','Hello',1.79496821575147676467e+09);
CREATE TABLE commands (
	table_id VARCHAR(16) NOT NULL, 
	version INTEGER NOT NULL, 
	seat INTEGER NOT NULL, 
	"by" VARCHAR(8) NOT NULL, 
	at FLOAT NOT NULL, 
	choice TEXT NOT NULL, 
	"key" VARCHAR(64), 
	PRIMARY KEY (table_id, version), 
	FOREIGN KEY(table_id) REFERENCES tables (id) ON DELETE CASCADE
);
INSERT INTO "commands" VALUES('evm65y26nq',1,0,'person',1.79496821579003643988e+09,'{"kind": "keep", "tickets": [31, 33, 44, 51]}',NULL);
INSERT INTO "commands" VALUES('evm65y26nq',2,1,'person',1.79496821582423520089e+09,'{"kind": "keep", "tickets": [14, 18, 22]}',NULL);
INSERT INTO "commands" VALUES('evm65y26nq',3,2,'bot',1.79496821594583368304e+09,'{"kind": "keep", "tickets": [10, 20, 52]}',NULL);
INSERT INTO "commands" VALUES('evm65y26nq',4,0,'person',1.79496821597588181499e+09,'{"kind": "take", "colour": "orange", "place": null}',NULL);
INSERT INTO "commands" VALUES('evm65y26nq',5,0,'person',1.79496821601206040389e+09,'{"kind": "take", "colour": "blue", "place": null}',NULL);
INSERT INTO "commands" VALUES('evm65y26nq',6,1,'person',1.79496821604291868206e+09,'{"kind": "claim", "route": 1, "cards": {"locomotive": 1}}',NULL);
INSERT INTO "commands" VALUES('evm65y26nq',7,2,'bot',1.79496821606885862353e+09,'{"kind": "take", "colour": "black"}',NULL);
INSERT INTO "commands" VALUES('evm65y26nq',8,2,'bot',1.79496821607804036137e+09,'{"kind": "take", "colour": "red"}',NULL);
INSERT INTO "commands" VALUES('evm65y26nq',9,0,'person',1.79496821611031651504e+09,'{"kind": "claim", "route": 133, "cards": {"locomotive": 1}}',NULL);
INSERT INTO "commands" VALUES('evm65y26nq',10,1,'person',1.79496821613158035282e+09,'{"kind": "claim", "route": 71, "cards": {"yellow": 1}}',NULL);
INSERT INTO "commands" VALUES('evm65y26nq',11,2,'bot',1.79496821617312145237e+09,'{"kind": "take", "colour": "green"}',NULL);
INSERT INTO "commands" VALUES('evm65y26nq',12,2,'bot',1.79496821618502187725e+09,'{"kind": "take", "colour": "orange"}',NULL);
INSERT INTO "commands" VALUES('evm65y26nq',13,0,'person',1.7949682162182953358e+09,'{"kind": "claim", "route": 5, "cards": {"orange": 1, "black": 2}}',NULL);
INSERT INTO "commands" VALUES('evm65y26nq',14,1,'person',1.7949682162418298721e+09,'{"kind": "claim", "route": 116, "cards": {"purple": 1}}',NULL);
INSERT INTO "commands" VALUES('evm65y26nq',15,2,'bot',1.79496821627760195735e+09,'{"kind": "claim", "route": 100, "cards": {"orange": 2, "black": 2, "red": 2}}',NULL);
INSERT INTO "commands" VALUES('evm65y26nq',16,0,'person',1.79496821631320977209e+09,'{"kind": "claim", "route": 139, "cards": {"blue": 1}}',NULL);
INSERT INTO "commands" VALUES('evm65y26nq',17,1,'person',1.79496821633800840382e+09,'{"kind": "blind"}',NULL);
INSERT INTO "commands" VALUES('evm65y26nq',18,1,'person',1.79496821635777044291e+09,'{"kind": "blind"}',NULL);
INSERT INTO "commands" VALUES('evm65y26nq',19,2,'bot',1.79496821638074684148e+09,'{"kind": "claim", "route": 75, "cards": {"green": 2, "locomotive": 1}}',NULL);
CREATE TABLE keys (
	hash VARCHAR(64) NOT NULL, 
	table_id VARCHAR(16) NOT NULL, 
	seat INTEGER, 
	until FLOAT, 
	PRIMARY KEY (hash), 
	FOREIGN KEY(table_id) REFERENCES tables (id) ON DELETE CASCADE
);
INSERT INTO "keys" VALUES('19a4978dbaeb81a778f7ac28ff02a63dfe2c5f29ec2af2be6e23c9cab6857f3c','evm65y26nq',0,NULL);
INSERT INTO "keys" VALUES('2d4b26447c789c8abd77009e53b4a28ef76c2a996ee0289f4761e054c5ad3698','evm65y26nq',1,NULL);
INSERT INTO "keys" VALUES('d9e89a01584dc184eaba8c4eee0fcde98c597b46e12b93c77ce8e23809ae78f2','evm65y26nq',NULL,NULL);
INSERT INTO "keys" VALUES('fa75f5b320413064e8492708a15cbaf85b90b8ea66ce24c5143f789e385b2185','aq9dw7nkha',0,NULL);
INSERT INTO "keys" VALUES('b5e11de90ce16651716ffa10c751f895800222c77b1b2a2ae10547f572d83206','aq9dw7nkha',NULL,NULL);
CREATE TABLE northrail_schema (
	version INTEGER NOT NULL, 
	PRIMARY KEY (version)
);
INSERT INTO "northrail_schema" VALUES(1);
CREATE TABLE sealed (
	table_id VARCHAR(16) NOT NULL, 
	seat INTEGER NOT NULL, 
	tickets TEXT NOT NULL, 
	PRIMARY KEY (table_id, seat), 
	FOREIGN KEY(table_id) REFERENCES tables (id) ON DELETE CASCADE
);
CREATE TABLE seats (
	table_id VARCHAR(16) NOT NULL, 
	seat INTEGER NOT NULL, 
	who VARCHAR(8) NOT NULL, 
	name VARCHAR(40) NOT NULL, 
	level VARCHAR(40), 
	stand_in VARCHAR(40), 
	resigned BOOLEAN NOT NULL, 
	reserved BOOLEAN NOT NULL, 
	here_until FLOAT, 
	PRIMARY KEY (table_id, seat), 
	FOREIGN KEY(table_id) REFERENCES tables (id) ON DELETE CASCADE
);
INSERT INTO "seats" VALUES('evm65y26nq',0,'person','Anna',NULL,NULL,0,0,NULL);
INSERT INTO "seats" VALUES('evm65y26nq',1,'person','Bo',NULL,NULL,0,0,NULL);
INSERT INTO "seats" VALUES('evm65y26nq',2,'bot','Reindeer','easy',NULL,0,0,NULL);
INSERT INTO "seats" VALUES('aq9dw7nkha',0,'person','Anna',NULL,NULL,0,0,NULL);
INSERT INTO "seats" VALUES('aq9dw7nkha',1,'open','',NULL,NULL,0,0,NULL);
CREATE TABLE tables (
	id VARCHAR(16) NOT NULL, 
	board VARCHAR(80) NOT NULL, 
	digest VARCHAR(12) NOT NULL, 
	seed BIGINT NOT NULL, 
	secret VARCHAR(64) NOT NULL, 
	first INTEGER, 
	start TEXT, 
	clock INTEGER, 
	faster BOOLEAN NOT NULL, 
	made FLOAT NOT NULL, 
	began FLOAT, 
	clock_from FLOAT NOT NULL, 
	closed BOOLEAN NOT NULL, 
	rematch VARCHAR(16), 
	status VARCHAR(8) NOT NULL, 
	version INTEGER NOT NULL, 
	turn INTEGER, 
	winners TEXT, 
	touched FLOAT NOT NULL, 
	stamp INTEGER NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "tables" VALUES('evm65y26nq','northern-lights','9aea3599a469',884197622519999522,'ea6785c6756fbe062ada7bd0c388a24d',0,NULL,900,1,1.79496821566880297663e+09,1.79496821569860863683e+09,0.0,0,NULL,'running',19,0,NULL,1.79496821638074684148e+09,22);
INSERT INTO "tables" VALUES('aq9dw7nkha','nordic-countries','dc27bd65dd59',3697128576210225324,'960a78bf0719a27c8d5789f68201829b',NULL,NULL,NULL,0,1.79496821641778230667e+09,NULL,0.0,0,NULL,'waiting',0,NULL,NULL,1.79496821641778230667e+09,1);
CREATE INDEX ix_tables_status ON tables (status);
CREATE INDEX ix_tables_touched ON tables (touched);
CREATE INDEX ix_keys_table_id ON keys (table_id);
COMMIT;
