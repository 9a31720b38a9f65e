# What a run of the checks needs, for a script of bash that sources this at the top of the repository, as root on Debian:
# installs what is missing, uses PostgreSQL, MariaDB and Redis where they answer on their usual ports of 127.0.0.1,
# starts its own where they do not, and names all of it in the variables that the tests read.
export DEBIAN_FRONTEND=noninteractive PIP_DISABLE_PIP_VERSION_CHECK=1

work=$(mktemp -d)
chmod 755 "$work"
started=()
tidy() {
  for pid in ${started[@]+"${started[@]}"}; do
    kill "$pid" 2>/dev/null && wait "$pid" 2>/dev/null || true
  done
  rm -rf "$work"
}
trap tidy EXIT

answers() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

await() {
  for _ in $(seq 100); do
    answers "$1" && return
    sleep 0.3
  done
  echo "Nothing answers on port $1 after 30 seconds:" >&2
  tail -n 20 "$work"/*.log >&2
  return 1
}

updated=
install() {
  [ -n "$updated" ] || apt-get update -qq
  updated=yes
  apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

start_postgres() {
  compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || install postgresql
  local bin
  bin=$(dirname "$(compgen -G '/usr/lib/postgresql/*/bin/initdb' | sort -V | tail -n 1)")
  mkdir "$work/postgres"
  chown postgres "$work/postgres"
  runuser -u postgres -- "$bin/initdb" -D "$work/postgres/data" -U root -A trust -E UTF8 >"$work/postgres.log"
  runuser -u postgres -- "$bin/postgres" -D "$work/postgres/data" -p 5432 -k "$work/postgres" \
    -c listen_addresses=127.0.0.1 >>"$work/postgres.log" 2>&1 &
  started+=($!)
  await 5432
  "$bin/createdb" -h 127.0.0.1 -p 5432 -U root test
}

start_mariadb() {
  command -v mariadb-install-db >/dev/null || install mariadb-server
  mkdir "$work/mariadb"
  chown mysql "$work/mariadb"
  mariadb-install-db --no-defaults --user=mysql --datadir="$work/mariadb" \
    --auth-root-authentication-method=normal >"$work/mariadb.log"
  mariadbd --no-defaults --user=mysql --datadir="$work/mariadb" --port=3306 --bind-address=127.0.0.1 \
    --socket="$work/mariadb/socket" >>"$work/mariadb.log" 2>&1 &
  started+=($!)
  await 3306
}

start_redis() {
  command -v redis-server >/dev/null || install redis-server
  redis-server --port 6379 --bind 127.0.0.1 --save '' --dir "$work" >"$work/redis.log" &
  started+=($!)
  await 6379
}

python3 -c 'import ensurepip, venv' 2>/dev/null || install python3 python3-venv
command -v make >/dev/null || install make
command -v node >/dev/null || install nodejs
command -v npm >/dev/null || install npm
command -v chromium >/dev/null || install chromium
command -v memcached >/dev/null || install memcached
answers 5432 || start_postgres
answers 3306 || start_mariadb
answers 6379 || start_redis

TEST_DATABASE_URLS="postgres://root@127.0.0.1:5432/test mysql://root@127.0.0.1:3306/test"
TEST_REDIS_URL=redis://127.0.0.1:6379/9
TEST_MEMCACHED=$(command -v memcached)
TEST_CHROMIUM=$(command -v chromium)
TEST_NODE=$(command -v node)
TEST_CLIENTS=yes
export TEST_DATABASE_URLS TEST_REDIS_URL TEST_MEMCACHED TEST_CHROMIUM TEST_NODE TEST_CLIENTS
schemas=$PWD/../shared/spec
if [ -d "$schemas" ]; then
  export MCP_SCHEMAS=$schemas
fi
