"""Databases for tests: a new SQLite file, or a new database in a PostgreSQL cluster that exists during the run."""

import os
import shutil
import socket
import subprocess
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# Print the login, then wait for the end of standard input, which comes when the tests end.
SAY_WHERE = 'echo "READY $PGUSER $PGPASSWORD $PGHOST $PGPORT $PGVERSION $PG_CLUSTER_CONF_ROOT"; cat > /dev/null'


def has_postgresql() -> bool:
    """Return whether Debian's tools for temporary clusters are installed."""
    return shutil.which("pg_virtualenv") is not None


class Cluster:
    """A temporary PostgreSQL cluster."""

    def __init__(self, where: str) -> None:
        _, self.user, self.password, self.host, self.port, self.version, self.settings = where.split()

    def url(self, name: str) -> str:
        """Return the address of one of its databases."""
        return f"postgresql://{self.user}:{self.password}@{self.host}:{self.port}/{name}"

    def run(self, statement: str) -> None:
        """Run an SQL statement."""
        command = ["psql", "--quiet", "--host", self.host, "--port", self.port, "--username", self.user]
        environment = os.environ | {"PGPASSWORD": self.password}
        subprocess.run([*command, "--command", statement, "postgres"], env=environment, check=True, cwd="/")

    def restart(self) -> None:
        """Stop it at once, as in a crash, and start it again."""
        environment = os.environ | {"PG_CLUSTER_CONF_ROOT": self.settings}

        def control(*words: str) -> bool:
            command = ["pg_ctlcluster", *words[1:], self.version, "regress", words[0]]
            return subprocess.run(command, env=environment, check=False, cwd="/", capture_output=True).returncode == 0

        control("stop", "--mode", "immediate")
        for _ in range(20):  # on a busy machine pg_ctlcluster gives up while recovery is under way
            if control("start") or control("status"):
                return
            time.sleep(1.0)
        raise RuntimeError("PostgreSQL did not start again")

    @contextmanager
    def database(self) -> Iterator[str]:
        """Create a new database, and delete it at the end."""
        name = f"northrail_{uuid.uuid4().hex}"
        self.run(f"CREATE DATABASE {name}")
        try:
            yield self.url(name)
        finally:
            self.run(f"DROP DATABASE {name} WITH (FORCE)")


def free_port() -> int:
    """Return a free port."""
    with socket.create_server(("localhost", 0)) as server:
        port: int = server.getsockname()[1]
        return port


@contextmanager
def cluster() -> Iterator[Cluster]:
    """Start a new cluster; it is removed at the end, even if the tests are killed."""
    # By default pg_virtualenv takes the first free port from 5432 on, so two that start at once would collide.
    with subprocess.Popen(
        ["pg_virtualenv", "-t", "sh", "-c", SAY_WHERE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd="/",
        env=os.environ | {"PGPORT": str(free_port())},
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        said = []
        for line in process.stdout:
            said.append(line)
            if line.startswith("READY "):
                break
        else:
            raise RuntimeError(f"PostgreSQL did not start: {''.join(said)}")
        try:
            yield Cluster(line)
        finally:  # in this order: pg_virtualenv speaks while it removes the cluster
            process.stdin.close()
            process.stdout.read()


def sqlite_file(folder: Path) -> str:
    """Return the path of a new SQLite file."""
    return str(folder / "tables.db")
