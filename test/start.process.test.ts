import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'
import { freePort } from '../bin/postgres.ts'
import { createEmptyDatabase } from './postgres.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-start-'))
afterAll(() => fs.rmSync(folder, { recursive: true }))

const lowest = '/proc/sys/net/ipv4/ip_unprivileged_port_start'

const AddressSchema = z.object({ port: z.number() })

interface Ended {
  readonly code: number | null
  readonly lines: string[]
}

/** The function runs `npm start`'s own program with these settings until it ends. The program must not come up. */
function start(
  variables: Record<string, string>,
  { flags = [], words = [], uid }: { flags?: string[]; words?: string[]; uid?: number } = {},
): Promise<Ended> {
  const child = spawn(process.execPath, [...flags, 'bin/start.mjs', ...words], {
    ...(uid === undefined ? {} : { uid, gid: uid }),
    env: {
      NODE_ENV: 'production',
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      RAMPART_DATA_DIR: path.join(folder, 'data'),
      ...variables,
    },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk
    })
  return new Promise((resolve) =>
    child.on('exit', (code) => {
      const lines = output.trim().split('\n')
      // The first line names the version. It is missing only where the settings cannot be read.
      resolve({
        code,
        lines: lines.filter((line, i) => !(i === 0 && /^Rampart \d\S* .*, port \d+, roles /.test(line))),
      })
    }),
  )
}

test('a wrong setting ends with one line that names it, and exit code 1', async () => {
  expect(await start({ PORT: 'eighty' })).toEqual({
    code: 1,
    lines: ['PORT must be a port number. Example: PORT=3000'],
  })
})

/** These starts share an embedded database. Anybody may write into its folder. */
const shared = path.join(folder, 'shared')

test('a taken port ends with one line that says which and what to do, and leaves the mode of a folder that was there', async () => {
  fs.mkdirSync(shared)
  fs.chmodSync(shared, 0o1777)
  const server = net.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = AddressSchema.parse(server.address())
  const { code, lines } = await start({ PORT: String(port), RAMPART_DATA_DIR: shared })
  const last = net.createServer().listen(65_535, '127.0.0.1')
  await once(last, 'listening')
  const atTheEnd = await start({ PORT: '65535', RAMPART_DATA_DIR: shared })
  last.close()
  server.close()
  expect(code).toBe(1)
  expect(lines).toEqual([
    expect.stringMatching(
      new RegExp(
        `^Port ${port} is taken \\(PORT\\)\\. Stop the program that uses it, or choose another: PORT=\\d+ npm start$`,
      ),
    ),
  ])
  expect(lines[0]).not.toContain(`=${port} `)
  expect(atTheEnd.lines[0]).toMatch(/choose another: PORT=1\d{3} npm start$/)
  expect((fs.statSync(shared).mode & 0o7777).toString(8)).toBe('1777')
})

test('two ports that are the same end with one line', async () => {
  expect(await start({ PORT: '4010' })).toEqual({
    code: 1,
    lines: [
      'PORT and SANDBOX_PORT are both 4010: the dashboard and the sandbox need a port each. Example: PORT=3000 SANDBOX_PORT=4010',
    ],
  })
})

test('an address that this machine does not have ends with one line that names LISTEN', async () => {
  const ports = { PORT: String(await freePort()), SANDBOX_PORT: String(await freePort()) }
  expect(await start({ ...ports, LISTEN: '192.0.2.7' })).toEqual({
    code: 1,
    lines: [expect.stringMatching(/^LISTEN=192\.0\.2\.7 is no address of this machine \(EADDRNOTAVAIL\)/)],
  })
})

/** Another user can start programs of this folder: everybody may enter each folder above it. */
function isOpenToOthers(folder: string): boolean {
  const above = path.dirname(folder)
  return (fs.statSync(folder).mode & 0o001) !== 0 && (above === folder || isOpenToOthers(above))
}

/** Root may listen at any port, so another user has to try. */
test.runIf(
  process.getuid?.() === 0 && isOpenToOthers(process.cwd()) && Number(fs.readFileSync(lowest, 'utf8')) > 80,
)('a port that is kept for root ends with one line that does not call it taken', async () => {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-nobody-'))
  fs.chownSync(dataDir, 65_534, 65_534)
  const { code, lines } = await start({ PORT: '80', RAMPART_DATA_DIR: dataDir }, { uid: 65_534 })
  fs.rmSync(dataDir, { recursive: true })
  expect([code, lines]).toEqual([
    1,
    [
      expect.stringMatching(
        /^Port 80 is not allowed to this user \(PORT\): .* choose another: PORT=10\d\d npm start$/,
      ),
    ],
  ])
})

test.each([['--port', '3700'], ['--help'], ['-h'], ['serve'], ['--serve', '--help'], ['--dev', '--hlp']])(
  'words after npm start are answered with what it does and where settings stand: %s',
  async (...words) => {
    const unknown = words.find((word) => !['--serve', '--dev', '--help', '-h'].includes(word))
    const untouched = path.join(folder, 'untouched')
    const { code, lines } = await start({ RAMPART_DATA_DIR: untouched }, { words })
    expect(code).toBe(unknown === undefined ? 0 : 1)
    if (unknown !== undefined) expect(lines.splice(0, 2)).toEqual([`There is no ${unknown}.`, ''])
    expect(lines[0]).toMatch(/^npm start {2,}installs what is missing/)
    expect(lines).toContain(
      'It runs until Ctrl-C or SIGTERM. Settings are environment variables, which docs/configure.md lists. Example: PORT=3700 npm start',
    )
    expect(fs.existsSync(untouched)).toBe(false)
  },
)

test('a TMPDIR that is missing is named, and the start goes on', async () => {
  const missing = path.join(folder, 'no-such-folder')
  expect((await start({ PORT: 'eighty', TMPDIR: missing })).lines).toEqual([
    `TMPDIR=${missing} is no folder; the system's own is used instead.`,
    'PORT must be a port number. Example: PORT=3000',
  ])
})

test('with a real service and the embedded database a start says whose backups are', async () => {
  const server = net.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = AddressSchema.parse(server.address())
  const real = {
    SERVICE_BASE_URL: 'https://api.example.com/onboarding',
    SERVICE_API_KEY: 'a-key',
    PUBLIC_URL: 'https://dash.example.com',
    NEXTAUTH_SECRET: 'n'.repeat(32),
    RAMPART_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
  }
  const own = await start({ PORT: String(port), RAMPART_DATA_DIR: shared, ...real })
  const theirs = await start({ PORT: String(port), ...real, DATABASE_URL: 'postgresql://localhost/rampart' })
  server.close()
  const warning = expect.stringMatching(
    /^Nobody backs up the database but you: .*npm run rampart backup FOLDER/,
  )
  expect(own.lines).toEqual([warning, expect.stringMatching(/^Port .* is taken/)])
  expect(theirs.lines).toEqual([expect.stringMatching(/^Port .* is taken/)])
})

test.each([
  ['a file', 'theirs', 'theirs is a file. Give a folder'],
  [
    'files of somebody else',
    'theirs/postgres/dump.sql',
    'theirs/postgres holds "dump.sql", which Rampart did',
  ],
])('a data directory that is %s ends with one line, and is left as it was', async (_what, name, words) => {
  const file = path.join(fs.mkdtempSync(path.join(folder, 'given-')), name)
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, 'theirs')
  const dataDir = file.replace(/theirs.*$/, 'theirs')
  expect(await start({ RAMPART_DATA_DIR: dataDir })).toEqual({
    code: 1,
    lines: [expect.stringContaining(words)],
  })
  expect(fs.readFileSync(file, 'utf8')).toBe('theirs')
  expect(fs.readdirSync(path.dirname(file))).toEqual([path.basename(file)])
})

/** Without a mounted /sys, root could make anything there. */
const sysfs = 0x62656572
const unmakable = ['/proc/rampart/data', '/dev/null', '/dev/null/data', '/sys/kernel/data'].filter(
  (folder) => !folder.startsWith('/sys') || fs.statfsSync('/sys').type === sysfs,
)

test.each(unmakable)('a data directory that cannot be made ends with one line: %s', async (dataDir) => {
  expect(await start({ RAMPART_DATA_DIR: dataDir })).toEqual({
    code: 1,
    lines: [expect.stringMatching(/^(Rampart cannot work in )?RAMPART_DATA_DIR=.* folder/)],
  })
})

test('what is half set ends with one line, and what has no meaning is said before', async () => {
  expect(await start({ SERVICE_API_KEY: 'key', SERVICE_BASEURL: 'https://api.example.com' })).toEqual({
    code: 1,
    lines: [
      'SERVICE_BASEURL is no setting of Rampart and has no effect. Did you mean SERVICE_BASE_URL?',
      expect.stringMatching(
        /^SERVICE_BASE_URL is missing: with SERVICE_API_KEY set it must be given\. Example/,
      ),
    ],
  })
})

test.each(['DATABASE_DIRECT_URL', 'DATABASE_MIGRATE_URL', 'DATABASE_READ_URL'])(
  '%s that names another database ends with one line, and nothing is written to either',
  async (variable) => {
    const [own, other] = [await createEmptyDatabase(), await createEmptyDatabase()]
    const { code, lines } = await start({
      PORT: String(await freePort()),
      SANDBOX_PORT: String(await freePort()),
      NEXTAUTH_SECRET: 'n'.repeat(32),
      RAMPART_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
      DATABASE_URL: own.url,
      [variable]: other.url,
    })
    expect([code, lines]).toEqual([
      1,
      [expect.stringMatching(new RegExp(`^${variable} names the database test_\\w+, and DATABASE_URL`))],
    ])
    for (const { url, drop } of [own, other]) {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      const { rows } = await client.query(`SELECT tablename FROM pg_tables WHERE schemaname = 'public'`)
      expect(rows).toEqual([])
      await client.end()
      await drop()
    }
  },
)

test('a role that may make no tables ends with one line that says which variable names another', async () => {
  const { url, drop } = await createEmptyDatabase()
  const admin = new pg.Client({ connectionString: url })
  await admin.connect()
  await admin.query(`CREATE ROLE rampart_app_only LOGIN PASSWORD 'open-sesame'`)
  const own = new URL(url)
  own.username = 'rampart_app_only'
  own.password = 'open-sesame'
  const { code, lines } = await start({
    PORT: String(await freePort()),
    SANDBOX_PORT: String(await freePort()),
    NEXTAUTH_SECRET: 'n'.repeat(32),
    RAMPART_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
    DATABASE_URL: own.href,
  })
  expect([code, lines]).toEqual([
    1,
    [
      expect.stringMatching(
        /^DATABASE_MIGRATE_URL must name the role that owns the tables: rampart_app_only may/,
      ),
    ],
  ])
  expect(lines.join()).not.toContain('open-sesame')
  await admin.query('DROP ROLE rampart_app_only')
  await admin.end()
  await drop()
})

test('a database that does not answer ends with one line that names it, without its password', async () => {
  const variables = {
    PORT: String(await freePort()),
    SANDBOX_PORT: String(await freePort()),
    DATABASE_URL: `postgresql://rampart:open-sesame@127.0.0.1:${await freePort()}/rampart`,
    NEXTAUTH_SECRET: 'n'.repeat(32),
    RAMPART_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
  }
  const { code, lines } = await start(variables)
  expect(code).toBe(1)
  expect(lines).toEqual([
    expect.stringMatching(/^DATABASE_URL: the database at .* does not answer \(.*ECONNREFUSED/),
  ])
  expect(lines.join()).not.toContain('open-sesame')
})

test('an old Node ends with one line that says which one is needed', async () => {
  const old = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.19.0' } })`
  const { code, lines } = await start({}, { flags: ['--import', `data:text/javascript,${old}`] })
  expect(code).toBe(1)
  expect(lines).toEqual([
    expect.stringMatching(/^Rampart needs Node 20\.9 or newer to start; this is Node 18\.19\.0/),
  ])
})
