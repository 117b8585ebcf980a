import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import crypto from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { isRunning } from '../proofs/prove/faults/process.ts'

interface Project {
  readonly scripts?: Record<string, string>
  readonly dependencies?: Record<string, string>
  readonly optionalDependencies?: Record<string, string>
  readonly devDependencies?: Record<string, string>
}

const folders: string[] = []
const started: ChildProcess[] = []
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
  for (const folder of folders.splice(0)) fs.rmSync(folder, { recursive: true, force: true })
})

/** Projects are kept by their content. */
const made = new Map<string, string>()
afterAll(() => {
  for (const folder of made.values()) fs.rmSync(folder, { recursive: true, force: true })
})

/** The project has our installer and a lock, in a folder whose name needs care. Its packages are in folders of its own. */
function project(about: Project, ofPackages: object = {}): string {
  const key = JSON.stringify([about, ofPackages])
  const first = made.get(key) ?? makeProject(about, ofPackages)
  made.set(key, first)
  const folder = newFolder()
  folders.push(folder)
  fs.cpSync(first, folder, { recursive: true })
  return folder
}

const newFolder = () => fs.mkdtempSync(path.join(os.tmpdir(), 'rampart #1? 100%25-'))

function makeProject(about: Project, ofPackages: object): string {
  const folder = newFolder()
  fs.mkdirSync(path.join(folder, 'bin'))
  for (const file of ['install.mjs', 'tree-lock.mjs'])
    fs.copyFileSync(path.join('bin', file), path.join(folder, 'bin', file))
  writePackage(folder, { name: 'project', ...about })
  for (const [name, place] of Object.entries({
    ...about.dependencies,
    ...about.optionalDependencies,
    ...about.devDependencies,
  }))
    writePackage(path.join(folder, place.slice('file:'.length)), {
      name,
      ...ofPackages,
      ...(name in (about.optionalDependencies ?? {}) ? { os: [process.platform] } : {}),
    })
  npm(folder, 'install', '--package-lock-only', '--ignore-scripts')
  return folder
}

function writePackage(folder: string, about: object) {
  fs.mkdirSync(folder, { recursive: true })
  fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ version: '1.0.0', ...about }))
}

function npm(folder: string, ...words: string[]) {
  const { status, stderr } = spawnSync('npm', [...words, '--offline'], { cwd: folder, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
}

/** The function runs our installer in its own process. */
function install(folder: string, wanted: 'to-run' | 'all', variables: Record<string, string> = {}) {
  const child = spawn(
    process.execPath,
    ['-e', `import('./bin/install.mjs').then(({ install }) => install('${wanted}'))`],
    { cwd: folder, env: { ...process.env, npm_config_offline: 'true', ...variables } },
  )
  started.push(child)
  let said = ''
  for (const output of [child.stdout, child.stderr])
    output.on('data', (chunk) => {
      said += chunk
    })
  const ended = once(child, 'close').then(([code]) => ({ code, lines: said.trim().split('\n') }))
  return { child, ended, said: () => said }
}

const waitingLine = 'Another command installs or builds in this folder; this one goes on when it has ended.'
const read = (folder: string, file: string) =>
  fs.existsSync(path.join(folder, file)) ? fs.readFileSync(path.join(folder, file), 'utf8') : ''
const has = (folder: string, name: string) => fs.existsSync(path.join(folder, 'node_modules', name))

const onePackage: Project = { dependencies: { plain: 'file:plain' } }

/** The only package records which process installs it, and takes until it may end. */
function slowProject(): string {
  // The lock says that there is such a script, but not which.
  const folder = project(onePackage, { scripts: { install: 'true' } })
  const wait = 'until [ -e "may-end-$turn" ] || ! [ -e log ]; do sleep 0.05; done'
  const install = `cd .. && echo $$ > installing && echo begun >> log && turn=$(grep -c begun log) && ${wait} && echo ended >> log`
  writePackage(path.join(folder, 'plain'), { name: 'plain', scripts: { install } })
  return folder
}

/** The first or second installation of a slow project ends. */
const letEnd = (folder: string, turn: 1 | 2 = 1) => fs.writeFileSync(path.join(folder, `may-end-${turn}`), '')

test.each([
  ['SIGTERM', 143],
  ['SIGINT', 130],
] as const)('%s while packages are installed ends npm with it, and itself with %i', async (signal, code) => {
  const folder = slowProject()
  const { child, ended } = install(folder, 'to-run')
  const pid = () => Number(read(folder, 'installing'))
  await expect.poll(pid, { timeout: 30_000 }).toBeGreaterThan(0)
  const installing = pid()
  child.kill(signal)
  expect(await ended).toMatchObject({ code })
  await expect.poll(() => isRunning(installing)).toBe(false)
})

test('a user who may not install is told who may, in one line', async () => {
  const folder = project(onePackage)
  // A file in the place of the folder refuses root too.
  fs.writeFileSync(path.join(folder, 'node_modules'), '')
  const { code, lines } = await install(folder, 'to-run').ended
  expect(code).toBe(1)
  expect(lines.at(-1)).toMatch(/could not be installed: EEXIST.* As the owner of .*: npm ci --omit=dev$/)
})

test('of two commands that find nothing installed, one installs and the other waits and says so', async () => {
  const folder = slowProject()
  const first = install(folder, 'to-run')
  await expect.poll(() => read(folder, 'log')).toBe('begun\n')
  const second = install(folder, 'to-run')
  await expect.poll(second.said).toContain(waitingLine)
  letEnd(folder)
  expect(await second.ended).toEqual({ code: 0, lines: [waitingLine] })
  expect((await first.ended).code).toBe(0)
  expect(read(folder, 'log')).toBe('begun\nended\n')
})

test('a command that waits goes on when the npm of one that was killed has ended', async () => {
  const folder = slowProject()
  const killed = install(folder, 'to-run')
  await expect.poll(() => read(folder, 'log')).toBe('begun\n')
  const gone = once(killed.child, 'exit')
  killed.child.kill('SIGKILL')
  await gone
  const second = install(folder, 'to-run')
  await expect.poll(second.said).toContain(waitingLine)
  expect(read(folder, 'log')).toBe('begun\n')
  letEnd(folder)
  expect((await second.ended).code).toBe(0)
  expect(read(folder, 'log')).toBe('begun\nended\n')
})

test('a lock whose holder and its npm were killed holds nobody up', async () => {
  const folder = slowProject()
  const killed = install(folder, 'to-run')
  await expect.poll(() => read(folder, 'log')).toBe('begun\n')
  const npmOf = fs.readFileSync(`/proc/${killed.child.pid}/task/${killed.child.pid}/children`, 'utf8')
  killed.child.kill('SIGKILL')
  process.kill(-Number(npmOf), 'SIGKILL')
  const second = install(folder, 'to-run')
  await expect.poll(() => read(folder, 'log')).toBe('begun\nbegun\n')
  letEnd(folder, 2)
  expect(await second.ended).toMatchObject({ code: 0 })
})

test('a command waits for the npm that somebody calls by hand, and then has nothing to do', async () => {
  const folder = slowProject()
  const byHand = npmByHand(folder, 'ci')
  await expect.poll(() => read(folder, 'log')).toBe('begun\n')
  const command = install(folder, 'to-run')
  await expect.poll(command.said).toContain(waitingLine)
  letEnd(folder)
  expect(await command.ended).toEqual({ code: 0, lines: [waitingLine] })
  expect(await byHand).toEqual([0, null])
  expect(read(folder, 'log')).toBe('begun\nended\n')
})

test('neither a shell whose command line names npm is waited for, nor the npm that started the command', async () => {
  const folder = project(onePackage)
  writePackage(folder, { name: 'project', ...onePackage, scripts: { preinstall: 'node ask.mjs' } })
  fs.writeFileSync(
    path.join(folder, 'ask.mjs'),
    `import { aloneInTree } from './bin/tree-lock.mjs'
    await aloneInTree({ say: console.log }, () => console.log('alone'))`,
  )
  const shell = spawn('sh', ['-c', 'node ask.mjs && npm ci --offline --foreground-scripts; true'], {
    cwd: folder,
  })
  started.push(shell)
  let said = ''
  shell.stdout.on('data', (chunk) => {
    said += chunk
  })
  await expect.poll(() => said.match(/^alone$|^Another/gm)).toEqual(['alone', 'alone'])
})

test('an npm that somebody calls while packages are installed is waited for before they count', async () => {
  const folder = slowProject()
  const own = install(folder, 'to-run')
  await expect.poll(() => read(folder, 'log')).toBe('begun\n')
  const byHand = npmByHand(folder, 'install')
  await expect.poll(() => read(folder, 'log')).toBe('begun\nbegun\n')
  letEnd(folder, 1)
  await expect.poll(own.said).toContain(waitingLine)
  letEnd(folder, 2)
  expect(await byHand).toEqual([0, null])
  expect((await own.ended).code).toBe(0)
  expect(has(folder, 'plain')).toBe(true)
})

function npmByHand(folder: string, word: string) {
  const child = spawn('npm', [word, '--offline'], { cwd: folder, stdio: 'ignore' })
  started.push(child)
  return once(child, 'exit')
}

const withTools: Project = {
  dependencies: { plain: 'file:plain' },
  optionalDependencies: { here: 'file:here' },
  devDependencies: { tool: 'file:tool' },
}

test('to run, nothing is installed that only tests need; the rest is added to what is there', async () => {
  const folder = project(withTools)
  expect(await install(folder, 'to-run').ended).toMatchObject({ code: 0 })
  expect(['plain', 'here', 'tool'].map((name) => has(folder, name))).toEqual([true, true, false])
  fs.mkdirSync(path.join(folder, 'node_modules', '.cache'))
  expect(await install(folder, 'all').ended).toMatchObject({ code: 0 })
  expect(['plain', 'here', 'tool', '.cache'].map((name) => has(folder, name))).toEqual([
    true,
    true,
    true,
    true,
  ])
  expect(await install(folder, 'to-run').ended).toEqual({ code: 0, lines: [''] })
  expect(has(folder, 'tool')).toBe(true)
})

test('after `npm ci --omit=dev` nothing is left to install to run', async () => {
  const folder = project(withTools)
  npm(folder, 'ci', '--omit=dev')
  expect(await install(folder, 'to-run').ended).toEqual({ code: 0, lines: [''] })
})

/** Each of these alone would leave out packages, put them elsewhere, or install nothing. */
const hindering = {
  NODE_ENV: 'production',
  npm_config_omit: 'dev\n\noptional',
  npm_config_dry_run: 'true',
  npm_config_package_lock: 'false',
  npm_config_package_lock_only: 'true',
  npm_config_global: 'true',
  npm_config_location: 'global',
}

test('what is needed is installed whatever npm is set to', async () => {
  const folder = project(withTools)
  expect(await install(folder, 'all', hindering).ended).toMatchObject({ code: 0 })
  expect(['plain', 'here', 'tool'].map((name) => has(folder, name))).toEqual([true, true, true])
})

test('what wants another Node is installed though npm is set to refuse that, also by hand', async () => {
  // The sandbox wants a newer Node than starts Rampart.
  const folder = project(onePackage, { engines: { node: '>=999' } })
  expect(await install(folder, 'to-run', { npm_config_engine_strict: 'true' }).ended).toMatchObject({
    code: 0,
  })
  fs.rmSync(path.join(folder, 'node_modules'), { recursive: true })
  fs.copyFileSync('.npmrc', path.join(folder, '.npmrc'))
  fs.writeFileSync(path.join(folder, 'of-user'), 'engine-strict=true\n')
  npm(folder, 'ci', '--userconfig=of-user')
  expect(has(folder, 'plain')).toBe(true)
})

test('an installation that lacks this platform’s packages does not count as one', async () => {
  const folder = project(withTools)
  npm(folder, 'ci', '--omit=optional')
  expect(has(folder, 'here')).toBe(false)
  expect(await install(folder, 'to-run').ended).toMatchObject({ code: 0 })
  expect(has(folder, 'here')).toBe(true)
})

test('an installation that was killed whole with its npm does not count as one', async () => {
  const folder = project(withTools, { scripts: { install: 'true' } })
  expect((await install(folder, 'to-run').ended).code).toBe(0)
  const script = 'cd .. && echo $$ > installing && sleep 60'
  writePackage(path.join(folder, 'tool'), { name: 'tool', scripts: { install: script } })
  const killed = install(folder, 'all')
  await expect.poll(() => read(folder, 'installing'), { timeout: 30_000 }).not.toBe('')
  const npmOf = fs.readFileSync(`/proc/${killed.child.pid}/task/${killed.child.pid}/children`, 'utf8')
  killed.child.kill('SIGKILL')
  process.kill(-Number(npmOf), 'SIGKILL')
  const { code, lines } = await install(folder, 'to-run').ended
  expect([code, lines.at(-1)]).toEqual([0, 'Installing the packages that Rampart needs to run.'])
  expect(await install(folder, 'to-run').ended).toEqual({ code: 0, lines: [''] })
})

const withoutNpm =
  'The packages could not be installed: there is no npm in the PATH. Install npm, then start again.'

test('a package that was linked elsewhere, removed or half removed after npm had installed it is installed anew', async () => {
  const folder = installedPacked()
  const place = path.join(folder, 'node_modules', 'packed')
  for (const spoil of [
    // pnpm does so.
    () => fs.symlinkSync(path.join('..', 'package'), place),
    () => undefined,
    () => fs.mkdirSync(place),
  ]) {
    fs.rmSync(place, { recursive: true })
    spoil()
    expect((await install(folder, 'to-run', { PATH: folder }).ended).lines.at(-1)).toBe(withoutNpm)
    fs.rmSync(path.join(folder, 'node_modules', '.unfinished'))
    if (!fs.existsSync(place)) fs.mkdirSync(place)
  }
  expect((await install(folder, 'to-run').ended).code).toBe(0)
  expect(fs.lstatSync(place).isDirectory()).toBe(true)
  expect(has(folder, path.join('packed', 'package.json'))).toBe(true)
})

test('what is removed after each installation is not installed anew', async () => {
  const folder = installedPacked()
  fs.rmSync(path.join(folder, 'node_modules', 'sharp', 'package.json'))
  expect(await install(folder, 'to-run').ended).toEqual({ code: 0, lines: [''] })
})

test('what runs, and the Node that others run by without a link of npm, is left where it is while the rest is added', async () => {
  const folder = installedPacked()
  writePackage(path.join(folder, 'tool'), { name: 'tool' })
  npm(folder, 'install', '--package-lock-only', '--save-dev', './tool')
  const places = ['packed', nodePackage].map((name) => path.join(folder, 'node_modules', name))
  const known = () => places.map((place) => fs.statSync(path.join(place, 'package.json')).ino)
  const before = known()
  await sleep(20)
  fs.mkdirSync(path.join(folder, 'node_modules', '.cache'))
  const unused = path.join(places[0] ?? '', 'unused.map')
  fs.rmSync(unused)
  // npm 10 removes the link with a package for another processor that has the same command.
  fs.rmSync(path.join(folder, 'node_modules', '.bin', 'node'))
  expect((await install(folder, 'all').ended).code).toBe(0)
  expect(has(folder, 'tool')).toBe(true)
  expect(known()).toEqual(before)
  expect(fs.existsSync(unused)).toBe(false)
})

const nodePackage = `node-${process.platform}-${process.arch}`

/** Packages that are no folders of the project are installed there. */
function installedPacked(): string {
  const folder = newFolder()
  folders.push(folder)
  const first = made.get('packed') ?? makePacked()
  made.set('packed', first)
  fs.cpSync(first, folder, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
  return folder
}

function makePacked(): string {
  const folder = makeProject({}, {})
  const packages = { packed: {}, sharp: {}, [nodePackage]: { bin: { node: 'bin/node' } } }
  for (const [name, about] of Object.entries(packages)) {
    // npm looks for this folder in a package.
    writePackage(path.join(folder, 'package'), { name, ...about })
    writePackage(path.join(folder, 'package', 'bin', 'node'), {})
    fs.writeFileSync(path.join(folder, 'package', 'unused.map'), '')
    const packing = spawnSync('tar', ['-czf', `${name}.tgz`, 'package'], { cwd: folder })
    expect(packing.status).toBe(0)
  }
  npm(folder, 'install', ...Object.keys(packages).map((name) => `./${name}.tgz`))
  return folder
}

/** The module makes a Node say that it is of this version. */
const versionsOf = (version: string) =>
  `data:text/javascript,${encodeURIComponent(
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`,
  )}`

test.each([
  ['20.9.0', true],
  ['22.11.0', true],
  ['23.4.0', true],
  ['20.19.0', false],
  ['22.12.0', false],
  ['24.0.0', false],
  ['26.1.0', false],
])('what tests need is refused in one line where it does not install: Node %s', async (version, refused) => {
  const folder = project(withTools)
  // Whatever is not refused fails for want of npm.
  const spoofed = { NODE_OPTIONS: `--import=${versionsOf(version)}`, PATH: folder }
  const refusal = [expect.stringContaining(`this is Node ${version}. npm start runs`)]
  const all = await install(folder, 'all', spoofed).ended
  expect(all).toEqual({
    code: 1,
    lines: refused ? refusal : ['Installing all locked packages; this takes about a minute.', withoutNpm],
  })
  if (!refused) return
  const toRun = await install(folder, 'to-run', spoofed).ended
  expect(toRun.lines.at(-1)).toBe(withoutNpm)
})

test('when npm fails, one line says how, and no cause that nobody checked', async () => {
  const folder = project(onePackage)
  writePackage(folder, { name: 'project', ...onePackage, scripts: { preinstall: 'exit 7' } })
  const { code, lines } = await install(folder, 'to-run').ended
  expect(code).toBe(1)
  expect(lines.at(-1)).toBe('The packages could not be installed: npm ci ended with 7, and said above why.')
})

test('without npm, one line says so', async () => {
  const folder = project(onePackage)
  const { code, lines } = await install(folder, 'to-run', { PATH: folder }).ended
  expect(code).toBe(1)
  expect(lines.at(-1)).toBe(withoutNpm)
})

test.each([
  ['pnpm/10.1.0 npm/? node/v24.21.0 linux x64', 'pnpm'],
  ['yarn/1.22.22 npm/? node/v24.21.0 linux x64', 'yarn'],
])('another package manager is told that npm installs: %s', (npm_config_user_agent, by) => {
  const folder = project(onePackage)
  fs.copyFileSync('bin/slim.mjs', path.join(folder, 'bin', 'slim.mjs'))
  fs.mkdirSync(path.join(folder, 'node_modules'))
  const slim = (variables: Record<string, string>) =>
    spawnSync(process.execPath, ['bin/slim.mjs'], {
      cwd: folder,
      env: { ...process.env, npm_config_user_agent: '', ...variables },
      encoding: 'utf8',
    })
  expect(slim({ npm_config_user_agent })).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(new RegExp(`^Rampart is installed by npm, and ${by} takes .*\\n$`)),
  })
  expect(slim({ npm_config_user_agent: 'npm/11.6.2 node/v24.21.0 linux x64 workspaces/false' }).status).toBe(
    0,
  )
})

test('what runs before anything is installed uses nothing that Node 20.9 lacks', () => {
  for (const file of ['install', 'tree-lock', 'launch', 'start', 'test', 'command', 'slim'])
    expect(fs.readFileSync(`bin/${file}.mjs`, 'utf8')).not.toContain('import.meta.dirname')
})

describe('a program runs by', () => {
  const brought = path.resolve(`node_modules/node-${process.platform}-${process.arch}/bin/node`)

  /** The result is where the Node `by` of this version would run a program, when `npmBy` started npm. */
  function nodeToRunOn(by: string, version: string, npmBy: string): string {
    const ask = "import('./bin/install.mjs').then(({ nodeToRunOn }) => console.log(nodeToRunOn()))"
    const { stdout } = spawnSync(by, ['--import', versionsOf(version), '-e', ask], {
      env: { ...process.env, npm_node_execpath: npmBy },
      encoding: 'utf8',
    })
    return stdout.trim()
  }

  function temporaryFile(): string {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-node-'))
    folders.push(folder)
    return path.join(folder, 'node')
  }

  test('the system’s Node from 24.9 on, else by the one that the project brings', () => {
    const system = temporaryFile()
    fs.copyFileSync(process.execPath, system)
    for (const version of ['24.9.0', '25.0.0', '26.1.0'])
      expect(nodeToRunOn(system, version, system)).toBe(system)
    for (const version of ['22.20.0', '24.8.0']) expect(nodeToRunOn(system, version, system)).toBe(brought)
  })

  test('the system’s Node, too, where npm puts the brought one first', () => {
    const system = temporaryFile()
    fs.writeFileSync(system, '#!/bin/sh\necho v26.1.0\n', { mode: 0o755 })
    expect(nodeToRunOn(brought, '24.21.0', system)).toBe(system)
    for (const older of ['20.9.0', '24.8.0']) {
      fs.writeFileSync(system, `#!/bin/sh\necho v${older}\n`)
      expect(nodeToRunOn(brought, '24.21.0', system)).toBe(brought)
    }
  })

  test.each([
    ['no words', []],
    ['words', ['--env-file=settings']],
  ])('the same with what it forks, whatever its folder is called, and %s for Node', (_what, words) => {
    const folder = project({})
    for (const file of ['launch', 'hooks', 'compile-ahead'])
      fs.copyFileSync(`bin/${file}.mjs`, path.join(folder, 'bin', `${file}.mjs`))
    fs.writeFileSync(path.join(folder, 'settings'), '')
    fs.writeFileSync(
      path.join(folder, 'program.mjs'),
      `import 'server-only'
        import { fork } from 'node:child_process'
        console.log(process.send ? 'forked' : 'runs')
        if (!process.send) fork('program.mjs')`,
    )
    const launch = `import('./bin/launch.mjs').then(({ launch }) => launch('program.mjs', { packages: 'to-run' }))`
    const { stdout, stderr } = spawnSync(process.execPath, [...words, '-e', launch], {
      cwd: folder,
      encoding: 'utf8',
    })
    expect([stdout, stderr]).toEqual(['runs\nforked\n', ''])
  })

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('a child of an older Node, and %s ends both with %i', async (signal, code) => {
    const silent = net.createServer().listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const address = silent.address()
    if (typeof address !== 'object') throw new Error('no port')
    const system = temporaryFile()
    fs.copyFileSync(process.execPath, system)
    const command = ['bin/command.mjs', 'bin/rampart/rampart.ts', 'export-user', crypto.randomUUID(), 'asked']
    const child = spawn(system, ['--import', versionsOf('20.9.0'), ...command], {
      env: {
        ...process.env,
        npm_node_execpath: system,
        DATABASE_URL: `postgresql://rampart@127.0.0.1:${address?.port}/rampart`,
      },
    })
    started.push(child)
    const [connection] = await once(silent, 'connection')
    child.kill(signal)
    expect(await once(child, 'exit')).toEqual([code, null])
    connection.destroy()
    silent.close()
  })
})
