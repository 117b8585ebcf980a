import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { makeAuthority } from './certificates.ts'

const AddressSchema = z.object({ port: z.number() })

const root = path.join(import.meta.dirname, '..')

/** The function runs what `npm run …` runs, from a folder inside the project. */
function run(...words: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['../bin/command.mjs', ...words], {
    cwd: path.join(root, 'lib'),
    env: {
      NODE_ENV: 'production',
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    },
    encoding: 'utf8',
  })
  return { status, said: stdout + stderr }
}

test.each(['bench', 'prove'])(
  '%s without a name lists each name with when it is worth running',
  (command) => {
    const programs = fs
      .globSync(`proofs/${command}/*.ts`, { cwd: root })
      .filter((file) => !file.includes('.test.'))
    const list = new RegExp(
      `^npm run ${command} -- NAME, where NAME is one of:\\n( {2}[\\w-]+ {2,}\\S.+\\n){${programs.length}}$`,
    )
    expect(run(`proofs/${command}.ts`)).toEqual({ status: 1, said: expect.stringMatching(list) })
    expect(run(`proofs/${command}.ts`, 'toString')).toEqual({
      status: 1,
      said: expect.stringMatching(list),
    })
  },
)

test('a command passes its arguments on', () => {
  expect(run('proofs/conformance/main.ts', '--help')).toMatchObject({
    status: 0,
    said: expect.stringMatching(/^npm run conformance\n/),
  })
})

test.each([
  'bin/build-pages.ts',
  'proofs/bench.ts',
  'proofs/prove.ts',
  'proofs/figures.ts',
  'bin/sbom.ts',
  'bin/pictures.ts',
])('%s explains itself and does nothing else, whatever is installed', (program) => {
  // The program does not exist there, and neither does any package.
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-help-'))
  fs.mkdirSync(path.join(folder, 'bin'))
  for (const file of ['command', 'compile-ahead', 'help', 'hooks', 'install', 'launch', 'tree-lock'])
    fs.copyFileSync(path.join(root, 'bin', `${file}.mjs`), path.join(folder, 'bin', `${file}.mjs`))
  // One function reads the words of them all.
  for (const word of program === 'proofs/bench.ts' ? ['--help', '-h', 'help'] : ['--help']) {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['bin/command.mjs', program, word], {
      cwd: folder,
      encoding: 'utf8',
    })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toMatch(/^npm run \w+.*\n\nIt /)
  }
  expect(fs.readdirSync(folder)).toEqual(['bin'])
  fs.rmSync(folder, { recursive: true })
})

test('a build takes no words', () => {
  expect(run('bin/build-pages.ts', '--fast')).toEqual({
    status: 1,
    said: expect.stringMatching(/^There is no --fast here\.\n\nnpm run build\n/),
  })
})

/**
 * The function runs a program of this text, as the project's commands run theirs.
 * @param settings are in a file that Node reads, as the command "rampart" of docs/install.md has them
 */
async function launch(
  text: string,
  variables: Record<string, string>,
  settings?: Record<string, string>,
): Promise<string> {
  const folder = fs.mkdtempSync(path.join(root, 'node_modules', '.launch-'))
  fs.writeFileSync(path.join(folder, 'program.mjs'), text)
  const file = path.relative(root, path.join(folder, 'program.mjs'))
  const lines = Object.entries(settings ?? {}).map((setting) => setting.join('='))
  fs.writeFileSync(path.join(folder, 'settings'), lines.join('\n'))
  const words = settings ? [`--env-file=${path.join(folder, 'settings')}`] : []
  const child = spawn(process.execPath, [...words, 'bin/command.mjs', file], {
    cwd: root,
    env: { NODE_ENV: 'production', PATH: process.env.PATH, ...variables },
  })
  let said = ''
  for (const output of [child.stdout, child.stderr])
    output.on('data', (chunk) => {
      said += chunk
    })
  await once(child, 'close')
  fs.rmSync(folder, { recursive: true })
  return said.trim()
}

test('a command takes over what Node itself reads from a file of settings', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-authority-'))
  const authority = path.join(folder, 'ca.pem')
  fs.writeFileSync(authority, makeAuthority().cert)
  const text = `import http from 'node:http'
    import tls from 'node:tls'
    console.log(tls.getCACertificates('extra').length, http.globalAgent.options.proxyEnv !== undefined)`
  const settings = { NODE_EXTRA_CA_CERTS: authority, NODE_USE_ENV_PROXY: '1' }
  expect(await launch(text, {}, settings)).toBe('1 true')
  fs.rmSync(folder, { recursive: true })
})

const askConnection = `import pg from 'pg'
  const { ssl, options, sslnegotiation, replication, client_encoding } = new pg.Client('postgresql://u@127.0.0.1/x').connectionParameters
  console.log(JSON.stringify({ ssl, options, sslnegotiation, replication, client_encoding }))`
const untouched = { ssl: false, client_encoding: '' }

test.each([
  [{ PGSSLMODE: 'require' }, 'PGSSLMODE'],
  [{ PGSSLMODE: 'no-verify', PGSSLNEGOTIATION: 'direct' }, 'PGSSLMODE, PGSSLNEGOTIATION'],
  [{ PGOPTIONS: '-c search_path=app', PGCLIENT_ENCODING: 'LATIN1' }, 'PGCLIENT_ENCODING, PGOPTIONS'],
  [{ PGREPLICATION: 'database', PGUSER: 'ana', PGOPTIONS: '' }, 'PGREPLICATION'],
])('a command connects as its addresses say, whatever psql is told by %o', async (variables, names) => {
  const said = (await launch(askConnection, variables)).split('\n')
  expect(JSON.parse(said.find((line) => line.startsWith('{')) ?? '')).toEqual(untouched)
  expect(said.filter((line) => !line.startsWith('{'))).toEqual([
    `Rampart does not use ${names}: an address such as DATABASE_URL says how to connect.`,
  ])
})

test('a command connects as its addresses say, whatever a file of settings says', async () => {
  const variables = { PGSSLMODE: 'no-verify', PGREPLICATION: 'database', PGOPTIONS: '-c search_path=app' }
  const said = (await launch(askConnection, {}, variables)).split('\n')
  expect(JSON.parse(said.find((line) => line.startsWith('{')) ?? '')).toEqual(untouched)
})

test('no program gets settings from a .env, by which Next would give some to its later processes alone', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-dotenv-'))
  fs.writeFileSync(path.join(folder, '.env'), 'STAFF_SIGN_IN=any\n')
  fs.writeFileSync(path.join(folder, '.env.local'), 'USER_IDLE_MINUTES=9\n')
  const text = `import loadConfig from 'next/dist/server/config.js'
    for (const phase of ['phase-production-build', 'phase-production-server', 'phase-development-server'])
      await loadConfig.default(phase, ${JSON.stringify(folder)}, { silent: true })
    console.log(process.env.STAFF_SIGN_IN, process.env.USER_IDLE_MINUTES)`
  expect(await launch(text, {})).toBe('undefined undefined')
  fs.rmSync(folder, { recursive: true })
})

test.each([
  [['.env'], [], [], 'Rampart does not read .env. To start with it: node --env-file=.env bin/start.mjs'],
  [
    ['.env.local'],
    [],
    ['--serve'],
    'Rampart does not read .env.local. To start with it: node --env-file=.env.local bin/start.mjs --serve',
  ],
  [['.env'], ['--env-file=.env'], [], ''],
  [['.env.example', '.envrc'], [], [], ''],
])('a start with %j, node %j and the words %j says: %j', (files, flags, words, expected) => {
  // Nothing that the start would install is named there, so it ends.
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-start-'))
  fs.cpSync(path.join(root, 'bin'), path.join(folder, 'bin'), { recursive: true })
  for (const file of files) fs.writeFileSync(path.join(folder, file), 'STAFF_SIGN_IN=any\n')
  const { stderr } = spawnSync(process.execPath, [...flags, 'bin/start.mjs', ...words], {
    cwd: folder,
    encoding: 'utf8',
    env: { NODE_ENV: 'production', PATH: process.env.PATH },
  })
  const said = stderr.split('\n').filter((line) => line.startsWith('Rampart does not read'))
  expect(said.join()).toBe(expected)
  fs.rmSync(folder, { recursive: true })
})

describe('a call to this machine', () => {
  let server: http.Server
  let port: number
  beforeAll(async () => {
    server = http.createServer((_request, response) => response.end('this machine')).listen(0, '127.0.0.1')
    await once(server, 'listening')
    port = AddressSchema.parse(server.address()).port
  })
  afterAll(() => server.close())

  const ask = (name: string) =>
    `console.log(await fetch('http://${name}:${port}').then((answer) => answer.text(), (error) => error.cause.code))`

  test.each([
    {},
    { NO_PROXY: 'db.example.com' },
    { no_proxy: '.example.com db.example.org', NO_PROXY: 'ignored.example' },
    { no_proxy: '*' },
  ])('goes past a proxy that is set, whatever else does: %o', async (others) => {
    // No server listens at the discard port.
    const proxy = {
      NODE_USE_ENV_PROXY: '1',
      HTTP_PROXY: 'http://127.0.0.1:9',
      http_proxy: 'http://127.0.0.1:9',
    }
    const names = ['localhost', '127.0.0.1', 'rampart.localhost']
    const inChild = `import { spawnSync } from 'node:child_process'
      const http = "require('node:http').get('http://localhost:${port}', (answer) => answer.pipe(process.stdout))"
      console.log(spawnSync(process.execPath, ['-e', http], { encoding: 'utf8' }).stdout)`
    const said = await launch([inChild, ...names.map(ask)].join('\n'), { ...proxy, ...others })
    expect(said.split('\n')).toEqual(Array(4).fill('this machine'))
  })

  test('needs no file of hosts that names localhost', async () => {
    expect(await launch(ask('nobody-names-this.localhost'), {})).toBe('this machine')
    const lookup = `import dns, { lookup } from 'node:dns'
      for (const options of [4, 6, {}, { all: true }, { family: 'IPv6', all: true }])
        lookup('localhost', options, (_error, ...answer) => console.log(JSON.stringify(answer)))
      dns.lookup('LOCALHOST.', (_error, ...answer) => console.log(JSON.stringify(answer)))`
    const [four, six] = [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ]
    expect((await launch(lookup, {})).split('\n').map((line) => JSON.parse(line))).toEqual([
      ['127.0.0.1', 4],
      ['::1', 6],
      ['127.0.0.1', 4],
      [[four, six]],
      [[six]],
      ['127.0.0.1', 4],
    ])
  })
})
