// This file is plain JavaScript without packages, because it runs before anything is installed, on any Node from 20.9 on.
import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { aloneInTree } from './tree-lock.mjs'

export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))

const lockOfInstalled = path.join(root, 'node_modules', '.package-lock.json')

/** The file exists while npm changes what is installed, because half of a package looks like a whole one. */
const unfinished = path.join(root, 'node_modules', '.unfinished')

/** The project brings this Node. */
const brought = path.join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node')

/** No program here loads these files, and `slim.mjs` removes them. */
export const unused = [
  // These files serve to compile C++ against the Node that we bring.
  /^node-linux-[^/]+\/(include|share)\//,
  // These files make pictures smaller, which no page asks for: `images` in next.config.mjs.
  /^(sharp|@img)\//,
  // Source maps of packages serve to debug those packages.
  /\.map$/,
  // These are CommonJS copies of viem and ox, which are only imported.
  /^(viem|ox)\/_cjs\//,
  // These files are for other databases than PostgreSQL, and for other ways to load its file than the client's own.
  /^@prisma\/client\/runtime\/query_compiler_(small_bg|fast_bg\.(?!postgresql))/,
  /^@prisma\/client\/runtime\/query_compiler_.*\.wasm-base64\.js$/,
]

/** A package's field `libc` uses this name. It is null outside Linux. */
const libcHere = findLibc()

/** These settings of the user's npm would leave out packages, put them elsewhere, or refuse them. */
const whateverNpmIsSet = [
  '--include=optional',
  '--include=peer',
  '--bin-links',
  '--package-lock',
  '--install-strategy=hoisted',
  '--no-legacy-peer-deps',
  '--no-dry-run',
  '--no-package-lock-only',
  '--no-engine-strict',
  '--no-global',
  '--location=project',
]

/**
 * The function installs exactly the locked packages when others are installed. It exits with one line when it cannot.
 * @param {'to-run' | 'all'} wanted all packages, or all but those that only tests and tools need
 */
export async function install(wanted) {
  if (!isAtLeast('20.9'))
    stop(
      `Rampart needs Node 20.9 or newer to start; this is Node ${process.versions.node}. Install a newer one from your system or nodejs.org.`,
    )
  if (missing(wanted).length === 0) return
  // Prisma's tools require these versions.
  if (wanted === 'all' && !['20.19', '22.12', '24'].some((least) => isAtLeast(least) && isSameMajor(least)))
    stop(
      `What tests and tools need installs with Node 20.19, 22.12, 24 or newer only; this is Node ${process.versions.node}. npm start runs with it.`,
    )
  await aloneInTree({ say: console.log }, async (lock, others) => {
    for (let alone = false; !alone && missing(wanted).length > 0; ) {
      console.log(
        wanted === 'all'
          ? 'Installing all locked packages; this takes about a minute.'
          : 'Installing the packages that Rampart needs to run.',
      )
      const failure = await runNpm(wanted, lock)
      // A person's npm that started meanwhile may have changed the packages, and uses no lock.
      alone = !(await others())
      if (alone && failure !== undefined) stop(failure)
    }
  })
  const left = missing(wanted)
  if (left.length > 0) stop(`npm left out what Rampart needs here: ${left.map(describe).join(', ')}.`)
}

/**
 * Existing packages stay in place when they are all that Rampart needs to run, because another command of this tree may use
 * them. `npm ci` would delete them first.
 * @returns why it failed, in a line; undefined when it did not
 */
async function runNpm(wanted, lock) {
  const words = missing('to-run').length > 0 ? ['ci'] : ['install', '--no-save']
  const kinds = wanted === 'all' ? '--include=dev' : '--omit=dev'
  try {
    fs.mkdirSync(path.dirname(unfinished), { recursive: true })
    fs.writeFileSync(unfinished, '')
  } catch (error) {
    return `The packages could not be installed: ${error.message}. As the owner of ${root}: npm ci ${kinds}`
  }
  if (words[0] === 'install') keepWhatRuns()
  const how = await run([...words, kinds, ...whateverNpmIsSet], lock)
  if (how === 0) return void fs.rmSync(unfinished, { force: true })
  return how === 'ENOENT'
    ? 'The packages could not be installed: there is no npm in the PATH. Install npm, then start again.'
    : typeof how === 'number'
      ? `The packages could not be installed: npm ${words[0]} ended with ${how}, and said above why.`
      : `The packages could not be installed: npm ${words[0]} was ended by ${how}, as a system does that has too little memory.`
}

/**
 * npm replaces a package that lacks the link to its command. npm 10 leaves none to the Node that we bring, which runs other
 * programs of this tree. It also trusts its list only where no folder is newer.
 */
function keepWhatRuns() {
  const link = path.join(root, 'node_modules', '.bin', 'node')
  if (fs.existsSync(brought) && !fs.existsSync(link)) {
    fs.mkdirSync(path.dirname(link), { recursive: true })
    fs.rmSync(link, { force: true })
    fs.symlinkSync(path.relative(path.dirname(link), brought), link)
  }
  fs.utimesSync(lockOfInstalled, new Date(), new Date())
}

/**
 * The result is the exit code, the signal, or why it did not start. A signal ends npm first, or npm would continue without
 * us.
 */
function run(words, lock) {
  const npm = spawn('npm', [...words, '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit', lock],
    detached: true,
  })
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
  const end = (_, number) => endInstall(npm, number)
  for (const signal of signals) process.on(signal, end)
  return new Promise((resolve) => {
    npm.once('error', (error) => resolve(error.code))
    npm.once('exit', (code, signal) => resolve(code ?? signal))
  }).finally(() => {
    for (const signal of signals) process.off(signal, end)
  })
}

/** The signal ends npm with everything that it has started, and then us, with the exit code of a shell. */
function endInstall(npm, number) {
  try {
    process.kill(-npm.pid, 'SIGKILL')
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
  process.exit(128 + number)
}

/**
 * The list has the locked packages that are not installed. npm writes a lock file of what it installed into node_modules at
 * its end, and another program may have moved or removed packages since.
 */
function missing(wanted) {
  const locked = packagesOf(path.join(root, 'package-lock.json'))
  const present =
    fs.existsSync(lockOfInstalled) && !fs.existsSync(unfinished) ? packagesOf(lockOfInstalled) : {}
  return (
    Object.entries(locked)
      .filter(([place]) => place.startsWith('node_modules/'))
      // A linked folder is ours, and its entry tells what it is for.
      .filter(([, about]) => isNeeded(about.link ? locked[about.resolved] : about, wanted))
      .filter(
        ([place, { integrity, link }]) =>
          present[place]?.integrity !== integrity || !(place in present) || !isThere(place, link),
      )
      .map(([place, { engines }]) => ({ place, engines }))
  )
}

const packagesOf = (file) => JSON.parse(fs.readFileSync(file, 'utf8')).packages

/** Other package managers use a link where npm uses a folder. */
function isThere(place, link = false) {
  const folder = path.join(root, place)
  const found = fs.lstatSync(folder, { throwIfNoEntry: false })
  const about = `${place.slice('node_modules/'.length)}/package.json`
  return (
    found?.isSymbolicLink() === link &&
    (unused.some((files) => files.test(about)) || fs.existsSync(path.join(folder, 'package.json')))
  )
}

/** An optional package that names no platform is only a fallback, or comes with one that does. */
function isNeeded({ dev, devOptional, optional, os, cpu, libc }, wanted) {
  if ((dev || devOptional) && wanted === 'to-run') return false
  if (!optional) return true
  return (
    Boolean(os || cpu) && suits(os, process.platform) && suits(cpu, process.arch) && suits(libc, libcHere)
  )
}

/** The list of names is as in package.json: one of them must match, or none of those with a `!`. */
function suits(names, own) {
  if (names === undefined) return true
  const list = [names].flat()
  return list.some((name) => name.startsWith('!')) ? !list.includes(`!${own}`) : list.includes(own)
}

function findLibc() {
  if (process.platform !== 'linux') return null
  // Without this setting a report looks up names in the network.
  process.report.excludeNetwork = true
  return process.report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl'
}

function describe({ place, engines }) {
  const name = place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)
  return engines?.node ? `${name} (for Node ${engines.node}; this is ${process.versions.node})` : name
}

/** An older Node never answers a request with the header `Upgrade`: it knows no `shouldUpgradeCallback`. */
export const leastToRunOn = '24.9'

/**
 * The result is the system's Node from this version on, or else the one that the project brings. The function exits with one
 * line where there is neither.
 */
export function nodeToRunOn() {
  if (process.execPath !== brought && isAtLeast(leastToRunOn)) return process.execPath
  // npm puts the brought Node before the system's, and this variable names the one that started npm.
  const system = process.env.npm_node_execpath
  if (
    process.execPath === brought &&
    system &&
    system !== brought &&
    isAtLeast(leastToRunOn, versionOf(system))
  )
    return system
  if (fs.existsSync(brought)) return brought
  return stop(
    `Rampart needs Node ${leastToRunOn} or newer to run: this is Node ${process.versions.node}, and ${brought} does not exist. Install one from your system or nodejs.org.`,
  )
}

const versionOf = (node) => spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout?.slice(1) ?? '0'

function isAtLeast(wanted, version = process.versions.node) {
  const [major, minor = 0] = wanted.split('.').map(Number)
  const [ownMajor, ownMinor] = version.split('.').map(Number)
  return ownMajor > major || (ownMajor === major && ownMinor >= minor)
}

/** The comparison accepts every version from 24 on. */
const isSameMajor = (least) => isAtLeast('24') || process.versions.node.startsWith(`${least.split('.')[0]}.`)

function stop(line) {
  console.error(line)
  process.exit(1)
}
