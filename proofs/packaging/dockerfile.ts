/** The steps are those that make a file system. An unknown instruction is an error, so that no step can be overlooked. */
export type Step =
  | { readonly kind: 'workdir'; readonly folder: string }
  | { readonly kind: 'copy'; readonly from: string | null; readonly sources: string[]; readonly to: string }
  | { readonly kind: 'run'; readonly command: string }

export interface Stage {
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
