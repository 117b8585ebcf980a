import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { enterCommand } from './container.ts'
import { ignoredBy, parseDockerfile, type Stage } from './dockerfile.ts'

export interface Image extends Stage {
  /** The file system of the image, without what its base image brings. */
  readonly root: string
}

/**
 * The function does the steps of the Dockerfile in a folder: it copies what they copy, and runs what they run in a root of
 * its own. The system of this machine stands in for the base image.
 * @param standIns take the place of these commands, by what this tree has installed and built
 */
export function assemble(folder: string, standIns: Readonly<Record<string, (root: string) => void>>): Image {
  const roots = new Map<string, string>()
  let last: Image | undefined
  for (const stage of parseDockerfile(fs.readFileSync('ops/Dockerfile', 'utf8'))) {
    const root = path.join(folder, stage.name)
    for (const needed of ['dev', 'proc', 'tmp', 'root', 'usr', 'etc', 'opt/node', 'var/run/postgresql'])
      fs.mkdirSync(path.join(root, needed), { recursive: true })
    for (const link of ['bin', 'lib', 'lib64', 'sbin'])
      if (fs.existsSync(`/${link}`)) fs.symlinkSync(`usr/${link}`, path.join(root, link))
    roots.set(stage.name, root)
    doSteps(stage, root, roots, standIns)
    last = { ...stage, root }
  }
  if (!last) throw new Error('The Dockerfile has no stage')
  return last
}

function doSteps(
  stage: Stage,
  root: string,
  roots: ReadonlyMap<string, string>,
  standIns: Readonly<Record<string, (root: string) => void>>,
) {
  let folder = '/'
  for (const step of stage.steps) {
    if (step.kind === 'workdir') {
      folder = step.folder
      fs.mkdirSync(path.join(root, folder), { recursive: true })
    } else if (step.kind === 'copy') {
      const origin = step.from === null ? undefined : roots.get(step.from)
      const to = path.join(root, path.posix.resolve(folder, step.to))
      for (const source of step.sources)
        if (origin === undefined) copyOfContext(source, to, step.to.endsWith('/'))
        else copyTree(path.join(origin, source), to)
    } else {
      const standIn = standIns[step.command]
      if (standIn) standIn(path.join(root, folder))
      else runIn(root, folder, step.command, stage.environment)
    }
  }
}

/** A folder's contents go to the place; a file goes into it where it ends with a slash. */
function copyOfContext(source: string, to: string, into: boolean) {
  const ignored = ignoredBy(fs.readFileSync('.dockerignore', 'utf8'))
  const target = fs.statSync(source).isFile() && into ? path.join(to, path.basename(source)) : to
  fs.cpSync(source, target, { recursive: true, filter: (file) => !ignored(path.normalize(file)) })
}

function copyTree(from: string, to: string) {
  fs.mkdirSync(to, { recursive: true })
  // Both trees belong to this proof, so their files may be shared.
  execFileSync('cp', ['-a', '--link', `${from}/.`, to])
}

function runIn(root: string, folder: string, command: string, environment: Readonly<Record<string, string>>) {
  const { NODE_EXTRA_CA_CERTS: authorities } = process.env
  const variables = {
    ...environment,
    HOME: '/root',
    ...(authorities ? { NODE_EXTRA_CA_CERTS: authorities } : {}),
  }
  const entered = enterCommand({ root, folder, command: ['sh', '-c', command], environment: variables })
  const [program = '', ...words] = entered
  execFileSync(program, words, { stdio: ['ignore', 'inherit', 'inherit'] })
}

const LockSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({ dev: z.boolean().optional(), devOptional: z.boolean().optional() }),
  ),
})

/** The commands of the Dockerfile that need the network or minutes have these stand-ins, made of this tree. */
export const standInsOfTree = {
  'npm ci --omit=dev': (to: string) => {
    const { packages } = LockSchema.parse(JSON.parse(fs.readFileSync('package-lock.json', 'utf8')))
    const left = Object.entries(packages).flatMap(([place, { dev, devOptional }]) =>
      place.includes('node_modules/') && (dev || devOptional) ? [place] : [],
    )
    copyWithout(to, 'node_modules', ['node_modules/.cache', ...left])
  },
  'npm run build': (to: string) => copyWithout(to, '.next', ['.next/cache', '.next/dev']),
}

function copyWithout(to: string, place: string, left: readonly string[]) {
  const list = path.join(to, '.left-out')
  fs.writeFileSync(list, left.join('\n'))
  const script = 'tar --create --anchored --no-wildcards --exclude-from "$1" "$2" | tar --extract -C "$0"'
  execFileSync('bash', ['-o', 'pipefail', '-c', script, to, list, place])
  fs.rmSync(list)
}
