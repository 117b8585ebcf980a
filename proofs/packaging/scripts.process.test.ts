import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { parseEnv } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { readPageParts } from '../documents/walk.ts'

let folder: string

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-scripts-'))
  fs.mkdirSync(path.join(folder, 'bin'))
})
afterEach(() => fs.rmSync(folder, { recursive: true }))

/** The program stands in for one that this machine has not. Each call is a line of `calls`. */
function standIn(name: string, script = '') {
  const lines = ['#!/bin/sh', `echo ${name} "$@" >> ${path.join(folder, 'calls')}`, script]
  fs.writeFileSync(path.join(folder, 'bin', name), lines.join('\n'), { mode: 0o755 })
}

function run(script: string, words: string[], variables: Record<string, string> = {}) {
  const { status, stdout } = spawnSync(script, words, {
    encoding: 'utf8',
    env: {
      NODE_ENV: 'production',
      PATH: `${path.join(folder, 'bin')}:${process.env.PATH}`,
      TO: folder,
      ...variables,
    },
  })
  return { status, stdout }
}

const calls = () =>
  fs
    .readFileSync(path.join(folder, 'calls'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.replace('runuser -u postgres -- ', ''))

const dumps = () => fs.readdirSync(path.join(folder, 'backups')).toSorted()

const backUp = (variables?: Record<string, string>) =>
  run('ops/backup.sh', [path.join(folder, 'backups')], variables)

/** The files are of a night long ago. */
function keepOld(...names: string[]) {
  fs.mkdirSync(path.join(folder, 'backups'), { recursive: true })
  for (const name of names) {
    const file = path.join(folder, 'backups', name)
    fs.writeFileSync(file, 'all of it')
    fs.utimesSync(file, new Date(0), new Date(0))
  }
}
const older = ['2020-01-01-030405.dump', '2020-01-01-030405.sql']
const newest = ['2020-01-02-030405.dump', '2020-01-02-030405.sql']
const left = '2020-01-02-030506.dump.part'

test('a backup is said to be made when its dump could be read, and old ones go but the newest', () => {
  standIn('runuser')
  standIn('rampart', `ls ${path.join(folder, 'backups')} > ${path.join(folder, 'seen')}`)
  keepOld(...older, ...newest, left, 'mine.dump')
  const { status, stdout } = backUp()
  expect(status).toBe(0)
  expect(calls()).toEqual([
    'pg_dumpall --roles-only --no-role-passwords',
    'pg_dump --format=custom rampart',
    'pg_restore --file=/dev/null',
    'rampart backed-up',
  ])
  const today = new Date().getFullYear()
  expect(dumps()).toEqual([
    ...newest,
    expect.stringMatching(`^${today}-.*\\.dump$`),
    expect.stringMatching(`^${today}-.*\\.sql$`),
    'mine.dump',
  ])
  expect(fs.readFileSync(path.join(folder, 'seen'), 'utf8').trim().split('\n')).toEqual(dumps())
  expect(stdout).toBe(`${path.join(folder, 'backups', dumps()[2] ?? '')}\n`)
})

test('old backups go too where their folder is a link to another disk', () => {
  standIn('runuser')
  standIn('rampart')
  keepOld(...older, ...newest, left)
  fs.renameSync(path.join(folder, 'backups'), path.join(folder, 'disk'))
  fs.symlinkSync('disk', path.join(folder, 'backups'))
  expect(backUp().status).toBe(0)
  expect(dumps().slice(0, 2)).toEqual(newest)
  expect(dumps()).toHaveLength(4)
})

test.each(['pg_dumpall', 'pg_dump', 'pg_restore'])(
  'a backup whose %s fails leaves no file, and keeps the newest of other nights alone',
  (failing) => {
    standIn('runuser', `echo part; [ "$4" != ${failing} ]`)
    standIn('rampart')
    keepOld(...older, ...newest, left)
    expect(backUp().status).not.toBe(0)
    expect(calls().at(-1)).toMatch(`${failing} `)
    expect(dumps()).toEqual(newest)
    expect(fs.readFileSync(path.join(folder, 'backups', newest[0] ?? ''), 'utf8')).toBe('all of it')
  },
)

test('a backup that is stopped leaves no file', () => {
  standIn('runuser', 'echo part; [ "$4" != pg_dump ] || kill "$PPID"')
  standIn('rampart')
  expect(backUp().status).not.toBe(0)
  expect(calls().at(-1)).toMatch('pg_dump ')
  expect(dumps()).toEqual([])
})

test('a backup in containers runs PostgreSQL’s programs there, without their password in a list of processes', () => {
  standIn('docker', 'echo "$*" | grep --quiet POSTGRES_PASSWORD')
  standIn('rampart')
  expect(backUp({ AS_POSTGRES: 'ops/compose-postgres.sh' }).status).toBe(0)
  const [first] = calls()
  expect(first).toMatch(
    /^docker compose -f compose\.yaml exec -T postgres sh -c .* sh pg_dumpall --roles-only --no-role-passwords$/,
  )
  expect(first).toContain('PGPASSWORD="$POSTGRES_PASSWORD"')
})

test.each([
  ['the container that runs', 'echo 0123456789ab', 'exec'],
  ['one of its own while Rampart is stopped, or starts again and again', '', 'run --rm'],
])('a command of Rampart runs in %s', (_, running, how) => {
  // A container between two starts is named without `--status running`.
  standIn('docker', `case "$*" in *--status\\ running*) ${running || ':'} ;; *ps*) echo 0123456789ab ;; esac`)
  fs.symlinkSync(path.resolve('ops/compose-rampart.sh'), path.join(folder, 'bin', 'rampart'))
  expect(run('rampart', ['restored', 'the disk broke']).status).toBe(0)
  expect(calls()).toEqual([
    'docker compose -f compose.yaml ps --status running --quiet rampart',
    `docker compose -f compose.yaml ${how} rampart node bin/command.mjs bin/rampart/rampart.ts restored the disk broke`,
  ])
})

/** The commands are those of a page, in the folder of the test instead of the machine's. */
function commandsOf(page: string, word: string): string {
  const blocks = readPageParts(page).flatMap((part) => (part.kind === 'block' ? [part.commands] : []))
  const commands = blocks.find((block) => block.includes(word)) ?? ''
  return commands
    .replaceAll('/etc/rampart', folder)
    .replaceAll(
      '/var/backups/rampart/2026-11-29-030000',
      path.join(folder, 'backups', newest[0]?.slice(0, -5) ?? ''),
    )
}

describe('the commands that restore a dump', () => {
  const restore = () => run('sh', ['-c', commandsOf('docs/backup.md', 'pg_restore')])

  function prepare(failing: string) {
    const read = `[ "$4" != psql ] || cat >> ${path.join(folder, 'calls')}`
    standIn('runuser', `${read}; case "$*" in *'${failing}'*) exit 1 ;; esac`)
    standIn('rampart')
    keepOld(...newest)
    fs.writeFileSync(path.join(folder, 'backups', newest[1] ?? ''), 'CREATE ROLE rampart_app;\n')
    const settings = [
      'DATABASE_URL=postgresql://rampart_app:new@localhost/rampart',
      'DATABASE_MIGRATE_URL=postgresql://rampart_owner:newer@localhost/rampart',
    ]
    fs.writeFileSync(path.join(folder, 'rampart.env'), `${settings.join('\n')}\n`)
  }

  test('read it whole, put the database aside, and give the roles the passwords of the settings', () => {
    prepare('nothing')
    expect(restore().status).toBe(0)
    expect(calls()).toEqual([
      'pg_restore --file=/dev/null',
      'psql --quiet --set=ON_ERROR_STOP=1',
      expect.stringMatching(
        /^SELECT 'ALTER DATABASE rampart RENAME TO rampart_\d{14}' FROM pg_database WHERE datname = 'rampart' \\gexec$/,
      ),
      'psql --quiet',
      'CREATE ROLE rampart_app;',
      'psql --quiet --set=ON_ERROR_STOP=1',
      "ALTER ROLE rampart_app PASSWORD 'new';",
      "ALTER ROLE rampart_owner PASSWORD 'newer';",
      expect.stringMatching('^createdb '),
      expect.stringMatching('^psql --quiet --command=REVOKE '),
      'pg_restore --exit-on-error --dbname=rampart',
      'vacuumdb --quiet --analyze-only rampart',
      'rampart restored the disk of db1 broke',
    ])
  })

  test('change nothing where it cannot be read', () => {
    prepare('pg_restore --file')
    expect(restore().status).not.toBe(0)
    expect(calls()).toEqual(['pg_restore --file=/dev/null'])
  })
})

test('the settings are readable to Rampart’s group and nobody else, also for a root whose files are its own', () => {
  standIn('install', `exec ${path.resolve('proofs/documents/bin/install')} "$@"`)
  const settings = path.join(folder, 'rampart.env')
  expect(run('sh', ['-c', `umask 077; ${commandsOf('docs/install.md', 'rampart.env')}`]).status).toBe(0)
  expect(calls()).toEqual([`install -m 640 -g rampart /dev/null ${settings}`])
  expect((fs.statSync(settings).mode & 0o777).toString(8)).toBe('640')
  expect(fs.readFileSync(settings, 'utf8')).toMatch(/^RAMPART_KEYS=k1:/m)
})

test('the second installation of a machine shares no folder, no unit and no backup with the first', () => {
  const commands = commandsOf('docs/configure.md', 'staging.service')
    .replaceAll('/etc/systemd/system', folder)
    .replaceAll('/usr/local/bin', path.join(folder, 'bin'))
  expect(run('sh', ['-ec', commands]).status).toBe(0)
  const unit = fs.readFileSync(path.join(folder, 'staging.service'), 'utf8')
  expect(unit).not.toContain('rampart')
  expect(unit).toContain('WorkingDirectory=/opt/staging\n')
  expect(unit).toContain('EnvironmentFile=/etc/staging/staging.env\n')
  for (const name of ['runuser', 'staging']) standIn(name)
  expect(run('staging-backup', [path.join(folder, 'backups')]).status).toBe(0)
  expect(calls().slice(1)).toEqual([
    'pg_dump --format=custom staging',
    'pg_restore --file=/dev/null',
    'staging backed-up',
  ])
})

describe('the check of a container', () => {
  const proxy = {
    NODE_USE_ENV_PROXY: '1',
    HTTP_PROXY: 'http://127.0.0.1:9',
    http_proxy: 'http://127.0.0.1:9',
  }
  const check = async (answer: http.RequestListener, variables: Record<string, string>) => {
    const server = http.createServer(answer).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = z.object({ port: z.number() }).parse(server.address())
    const child = spawn(process.execPath, ['ops/healthcheck.mjs'], {
      env: { NODE_ENV: 'production', PORT: String(port), ...variables },
    })
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
    server.close()
    return { code, said }
  }

  test.each([{}, proxy, { ...proxy, NO_PROXY: 'example.com' }])(
    'asks Rampart itself, also where a proxy is set: %o',
    async (variables) => {
      const ready = await check(
        ({ url }, answer) => answer.writeHead(url === '/readyz' ? 200 : 404).end(),
        variables,
      )
      expect(ready).toEqual({ code: 0, said: '' })
      const away = await check((_request, answer) => answer.writeHead(503).end('not yet'), variables)
      expect(away).toEqual({ code: 1, said: '503 not yet\n' })
    },
  )

  test('says that nobody answers, or not in time', async () => {
    const broken = await check((request) => request.socket.destroy(), proxy)
    expect(broken).toEqual({ code: 1, said: expect.stringMatching(/^Port \d+ does not answer: \S.*\n$/) })
    const silent = await check(() => undefined, proxy)
    expect(silent).toEqual({
      code: 1,
      said: expect.stringMatching(/^Port \d+ does not answer: .*timeout\n$/),
    })
  })
})

test('the key of sessions can be rotated twice on one day', () => {
  standIn(
    'date',
    `exec /usr/bin/date --date="2026-11-29 12:00 $(wc -l < ${path.join(folder, 'calls')}) seconds" "$@"`,
  )
  for (const name of ['systemctl', 'curl', 'rampart']) standIn(name)
  const settings = path.join(folder, 'rampart.env')
  fs.writeFileSync(settings, 'RAMPART_KEYS=k1:first\n')
  for (let times = 0; times < 2; times++)
    expect(run('sh', ['-c', commandsOf('docs/rotate.md', 'RAMPART_KEYS')]).status).toBe(0)
  const ids = fs.readFileSync(settings, 'utf8').match(/\bk\d+(?=:)/g)
  expect(ids).toHaveLength(3)
  expect(new Set(ids).size).toBe(3)
})

test.each(
  ['', '"', "'"].flatMap((quote) => [
    ['RAMPART_KEYS', quote, /^k\d+:[^"',]+,k1:first$/] as const,
    ['NEXTAUTH_SECRET', quote, /^[^"',]+,k1:first$/] as const,
  ]),
)('a new one of %s is put before the old one, within its quotes: %s', (name, quote, rotated) => {
  for (const program of ['systemctl', 'curl', 'rampart']) standIn(program)
  const settings = path.join(folder, 'rampart.env')
  fs.writeFileSync(settings, `${name}=${quote}k1:first${quote}\n`)
  expect(run('sh', ['-c', commandsOf('docs/rotate.md', `^${name}`)]).status).toBe(0)
  expect(parseEnv(fs.readFileSync(settings, 'utf8'))[name]).toMatch(rotated)
})
