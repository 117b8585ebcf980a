import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { childrenOf } from '../prove/faults/process.ts'
import { CannotRunHere } from '../prove/faults/test-bed.ts'

/** The container finds the Node of this process before any other. */
const pathInside = '/opt/node:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** This user has no rights anywhere. */
const nobody = 65_534

interface Entered {
  readonly root: string
  readonly folder: string
  readonly command: readonly string[]
  /** The command has these variables and no others. */
  readonly environment: Readonly<Record<string, string>>
  /** Folders of this machine appear at these places. */
  readonly mounts?: Readonly<Record<string, string>>
  /** The root is read-only then, but for /tmp and these volumes, and the user is nobody. */
  readonly readOnlyBut?: readonly string[]
}

/**
 * The words start a command in this root, which this machine's system completes as a base image would. Its process is the
 * first of a space of its own, as in a container.
 */
export function enterCommand(entered: Entered): string[] {
  const { root, folder, command, environment, mounts = {}, readOnlyBut } = entered
  const devices = ['null', 'zero', 'full', 'random', 'urandom']
  const script = [
    'set -e',
    'mount --make-rprivate /',
    'mount --bind "$ROOT" "$ROOT"',
    ...['usr', 'etc'].map(
      (name) => `mount --bind /${name} "$ROOT/${name}" && mount -o remount,bind,ro "$ROOT/${name}"`,
    ),
    'mount --bind "$NODE" "$ROOT/opt/node" && mount -o remount,bind,ro "$ROOT/opt/node"',
    'mount -t tmpfs -o mode=0755 devices "$ROOT/dev"',
    ...devices.map((name) => `touch "$ROOT/dev/${name}" && mount --bind /dev/${name} "$ROOT/dev/${name}"`),
    'ln -s /proc/self/fd "$ROOT/dev/fd"',
    ...Object.entries(mounts).map(([from, to]) => `mount --bind '${from}' "$ROOT${to}"`),
    'mount -t proc processes "$ROOT/proc"',
    ...(readOnlyBut
      ? [
          'mount -o remount,ro "$ROOT/dev"',
          ...['/tmp', ...readOnlyBut].map(
            (place) => `mount -t tmpfs -o mode=1777,size=256m writable "$ROOT${place}"`,
          ),
          'mount -o remount,bind,ro "$ROOT"',
        ]
      : []),
    'unset NODE',
    `exec chroot "$ROOT" ${readOnlyBut ? withoutRights.join(' ') : ''} sh -c 'unset ROOT; cd "$0" && exec "$@"' "$@"`,
  ]
  const variables = { ...environment, ROOT: root, NODE: path.dirname(process.execPath) }
  const inside = ['sh', '-c', script.join('\n'), 'sh', folder, ...command]
  return ['unshare', '--mount', '--pid', '--fork', '--kill-child', ...withOnly(variables), ...inside]
}

const withOnly = (variables: Readonly<Record<string, string>>): string[] => [
  'env',
  '-i',
  ...Object.entries({ PATH: pathInside, ...variables }).map(([name, value]) => `${name}=${value}`),
]

const withoutRights = [
  'setpriv',
  `--reuid=${nobody}`,
  `--regid=${nobody}`,
  '--clear-groups',
  '--no-new-privs',
  '--inh-caps=-all',
  '--bounding-set=-all',
]

/** The function throws a `CannotRunHere` where no container can be had without a container engine. */
export function requireContainers(): void {
  if (process.platform !== 'linux') throw new CannotRunHere('needs Linux')
  if (process.getuid?.() !== 0) throw new CannotRunHere('needs root to make a read-only root')
  for (const program of ['unshare', 'nsenter', 'setpriv', 'ip', 'tar', 'bash'])
    if (!inPath(program)) throw new CannotRunHere(`needs ${program}`)
  try {
    execFileSync('unshare', ['--mount', '--net', '--pid', '--fork', 'true'], { stdio: 'ignore' })
  } catch {
    throw new CannotRunHere('needs the right to make namespaces')
  }
}

const inPath = (program: string): boolean =>
  (process.env.PATH ?? '').split(':').some((folder) => fs.existsSync(path.join(folder, program)))

export interface Container {
  /** Both outputs so far. */
  output(): string
  /** The promise settles once the output has this text. It rejects when the process ends before. */
  says(text: string): Promise<void>
  /** A second command runs beside the first, as a health check does. The result is its exit code. */
  run(command: readonly string[]): Promise<number>
  /** The files that were written, by their paths in the container, with what they hold. */
  written(): { readonly file: string; readonly text: string }[]
  /** The promise settles with the exit code. */
  readonly ended: Promise<number | null>
  stop(signal: NodeJS.Signals): Promise<{ readonly code: number | null; readonly ms: number }>
}

/** The container has this command as its first process, nobody as its user, and writes nowhere else than in its volumes. */
export function startContainer(
  { root, folder, volumes }: { root: string; folder: string; volumes: readonly string[] },
  given: Pick<Entered, 'command' | 'environment' | 'mounts'>,
): Container {
  const entered = { ...given, root, folder, environment: { HOME: '/tmp', ...given.environment } }
  const [program = '', ...words] = enterCommand({ ...entered, readOnlyBut: volumes })
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'] })
  const leave = () => child.kill('SIGKILL')
  process.once('exit', leave)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk
    })
  const ended = once(child, 'exit').then(([code]): number | null => {
    process.off('exit', leave)
    return code
  })
  return {
    output: () => output,
    ended,
    async says(text) {
      while (!output.includes(text)) {
        if (child.exitCode !== null) throw new Error(`It ended with ${child.exitCode}: ${output}`)
        await sleep(50)
      }
    },
    async run(second) {
      const first = firstOf(child)
      const target = [`--target=${first}`, '--mount', '--pid', '--root', `--wd=/proc/${first}/root${folder}`]
      const words = [...target, ...withOnly(entered.environment), ...withoutRights, ...second]
      const [code] = await once(spawn('nsenter', words, { stdio: ['ignore', 'inherit', 'inherit'] }), 'exit')
      return Number(code)
    },
    written() {
      const inside = `/proc/${firstOf(child)}/root`
      return ['/tmp', ...volumes].flatMap((volume) =>
        fs.readdirSync(inside + volume, { recursive: true, withFileTypes: true }).flatMap((entry) => {
          const file = path.join(entry.parentPath, entry.name)
          return entry.isFile()
            ? [{ file: file.slice(inside.length), text: fs.readFileSync(file, 'utf8') }]
            : []
        }),
      )
    },
    async stop(signal) {
      const began = performance.now()
      process.kill(firstOf(child), signal)
      const code = await ended
      return { code, ms: Math.round(performance.now() - began) }
    },
  }
}

/** The first process of the container is the only child of `unshare`. */
function firstOf(child: ChildProcess): number {
  const [first] = childrenOf(child.pid ?? 0)
  if (!first) throw new Error('The container has ended')
  return first.pid
}
