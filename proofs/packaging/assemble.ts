import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { enterCommand } from './container.ts'

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

/** The steps are those that make a file system. An unknown instruction is an error, so that no step can be overlooked. */
type Step =
  | { readonly kind: 'workdir'; readonly folder: string }
  | { readonly kind: 'copy'; readonly from: string | null; readonly sources: string[]; readonly to: string }
  | { readonly kind: 'run'; readonly command: string }

interface Stage {
  readonly name: string
  readonly base: string
  readonly steps: readonly Step[]
  /** The instructions after the last file say how the image runs. */
  readonly environment: Readonly<Record<string, string>>
  readonly folder: string
  readonly user: string
  readonly volumes: readonly string[]
  readonly ports: readonly string[]
  readonly command: readonly string[]
  readonly healthCommand: readonly string[]
  readonly stopSignal: string
}

/** The function reads the instructions that our Dockerfile uses, and throws for any other. */
export function parseDockerfile(text: string): Stage[] {
  const stages: ReturnType<typeof newStage>[] = []
  for (const [line, name, rest] of instructionsIn(text)) {
    if (name === 'FROM') {
      const [, base = '', , called] = /^(\S+)( AS (\S+))?$/.exec(rest) ?? []
      stages.push(newStage(base, called ?? String(stages.length)))
      continue
    }
    const stage = stages.at(-1)
    if (!stage) throw new Error(`${line} comes before FROM`)
    const read = readers[name]
    if (!read) throw new Error(`The image is assembled without knowledge of ${name}: ${line}`)
    read(stage, rest)
  }
  return stages
}

const newStage = (base: string, name: string) => ({
  name,
  base,
  steps: [] as Step[],
  environment: {} as Record<string, string>,
  folder: '/',
  user: '0:0',
  volumes: [] as string[],
  ports: [] as string[],
  command: [] as readonly string[],
  healthCommand: [] as readonly string[],
  stopSignal: 'SIGTERM',
})

const readers: Readonly<Record<string, (stage: ReturnType<typeof newStage>, rest: string) => void>> = {
  ARG(stage, rest) {
    const [, name = '', value = ''] = /^(\w+)=(\S*)$/.exec(rest) ?? []
    if (name === '') throw new Error(`ARG ${rest} has no default`)
    stage.environment[name] = value
  },
  ENV(stage, rest) {
    for (const part of rest.split(/\s+/)) {
      const [, name = '', value = ''] = /^(\w+)=([^\s"']*)$/.exec(part) ?? []
      if (name === '') throw new Error(`ENV ${part} cannot be read`)
      stage.environment[name] = value.replace(/\$(\w+)/g, (_whole, other) => stage.environment[other] ?? '')
    }
  },
  WORKDIR(stage, rest) {
    stage.folder = rest
    stage.steps.push({ kind: 'workdir', folder: rest })
  },
  COPY(stage, rest) {
    const words = rest.split(/\s+/)
    const [, from] = /^--from=(\S+)$/.exec(words[0] ?? '') ?? []
    const places = from === undefined ? words : words.slice(1)
    const to = places.pop()
    if (to === undefined || places.length === 0 || places.some((place) => /^--|[*?[$]/.test(place)))
      throw new Error(`COPY ${rest} cannot be read`)
    stage.steps.push({ kind: 'copy', from: from ?? null, sources: places, to })
  },
  RUN(stage, rest) {
    if (/^(--|\[)/.test(rest)) throw new Error(`RUN ${rest} cannot be read`)
    stage.steps.push({ kind: 'run', command: rest })
  },
  USER(stage, rest) {
    stage.user = rest
  },
  VOLUME(stage, rest) {
    stage.volumes.push(rest)
  },
  EXPOSE(stage, rest) {
    stage.ports.push(rest)
  },
  STOPSIGNAL(stage, rest) {
    stage.stopSignal = rest
  },
  CMD(stage, rest) {
    stage.command = wordsIn(rest)
  },
  HEALTHCHECK(stage, rest) {
    stage.healthCommand = wordsIn(/ CMD (\[.*\])$/.exec(` ${rest}`)?.[1] ?? '')
  },
}

/** Only the form without a shell is read. */
function wordsIn(text: string): string[] {
  const words: unknown = JSON.parse(text)
  if (Array.isArray(words) && words.every((word) => typeof word === 'string')) return words
  throw new Error(`${text} is no list of words`)
}

/** Each instruction has its line, its name and its words. A line that ends with \ goes on. */
function instructionsIn(text: string): [line: string, name: string, rest: string][] {
  const lines = text
    .split('\n')
    .filter((line) => !/^\s*#/.test(line))
    .join('\n')
    .replace(/\\\n\s*/g, '')
    .split('\n')
  return lines.flatMap((line) => {
    const [, name, rest] = /^(\w+)\s+(.+)$/.exec(line.trim()) ?? []
    if (line.trim() === '') return []
    if (name === undefined || rest === undefined) throw new Error(`${line} is no instruction`)
    return [[line, name.toUpperCase(), rest.trim()]]
  })
}

/**
 * The result says whether a file of the context stays out of the image. The lines are those that `.dockerignore` uses: names
 * and paths, `*` within a name, and a leading double star for any folder.
 */
export function ignoredBy(text: string): (file: string) => boolean {
  const patterns = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      if (/[!?[\]\\]/.test(line)) throw new Error(`${line} of .dockerignore cannot be read`)
      const body = line
        .replace(/^\*\*\//, '')
        .replace(/[.+^${}()|]/g, '\\$&')
        .replaceAll('*', '[^/]*')
      return new RegExp(`^${line.startsWith('**/') ? '(.*/)?' : ''}${body}(/|$)`)
    })
  return (file) => patterns.some((pattern) => pattern.test(file))
}
