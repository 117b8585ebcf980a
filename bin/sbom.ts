import fs from 'node:fs'
import path from 'node:path'
import { Enums, Models, Serialize, SPDX, Spec } from '@cyclonedx/cyclonedx-library'
import { z } from 'zod'
import { describeForOperator, OperatorError } from '#lib/platform/operator-error.ts'

const DependenciesSchema = z.record(z.string(), z.string()).default({})

const LockSchema = z.object({
  name: z.string(),
  version: z.string(),
  packages: z.record(
    z.string(),
    z.object({
      /** The name is set where a package is installed under another name. */
      name: z.string().optional(),
      version: z.string().optional(),
      license: z.string().optional(),
      integrity: z.string().optional(),
      link: z.boolean().default(false),
      dev: z.boolean().default(false),
      devOptional: z.boolean().default(false),
      optional: z.boolean().default(false),
      dependencies: DependenciesSchema,
      optionalDependencies: DependenciesSchema,
    }),
  ),
})
type Lock = z.output<typeof LockSchema>

interface Installed {
  readonly id: string
  readonly license: string
  readonly component: Models.Component
  /** The folders are relative to the root. There are several where packages need several versions of another. */
  readonly places: string[]
}

/** The error means that the list would not be complete. */
class SbomError extends OperatorError {}

// `npm run sbom -- FOLDER` writes two files: what `npm ci --omit=dev` installs on this machine, and its licences.
const [folder = 'sbom'] = process.argv.slice(2)
try {
  const lock = LockSchema.parse(JSON.parse(fs.readFileSync('package-lock.json', 'utf8')))
  const installed = findInstalled(lock)
  fs.mkdirSync(folder, { recursive: true })
  fs.writeFileSync(path.join(folder, 'rampart.cdx.json'), toCycloneDx(lock, installed))
  fs.writeFileSync(path.join(folder, 'third-party-licences.txt'), toText(installed))
  console.log(`${folder} holds the list of ${installed.size} packages, and their licences.`)
} catch (error) {
  console.error(describeForOperator(error))
  process.exitCode = 1
}

/**
 * Packages are listed by name and version. npm installs no package for another platform, and its lock calls such a package
 * optional.
 */
function findInstalled({ packages }: Lock): ReadonlyMap<string, Installed> {
  const found = new Map<string, Installed>()
  for (const [place, entry] of Object.entries(packages)) {
    const [, named] = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(place) ?? []
    if (named === undefined || entry.link || entry.dev) continue
    const { name = named, version, license, integrity } = entry
    if (!fs.existsSync(place)) {
      if (entry.optional || entry.devOptional) continue
      throw new SbomError(`${name} is not installed. Install it: npm ci`)
    }
    if (!version || !license)
      throw new SbomError(`${name} names no ${version ? 'licence' : 'version'} in package-lock.json.`)
    const id = `${name}@${version}`
    const known = found.get(id)
    if (known) {
      known.places.push(place)
      continue
    }
    const [group, bare = ''] = name.startsWith('@') ? name.split('/') : [undefined, name]
    const component = new Models.Component(Enums.ComponentType.Library, bare, {
      ...(group === undefined ? {} : { group }),
      version,
      bomRef: id,
      purl: `pkg:npm/${name.replace('@', '%40')}@${encodeURIComponent(version)}`,
      scope: scopeOf(place, entry.devOptional),
      licenses: new Models.LicenseRepository([licenceOf(license)]),
      hashes: new Models.HashDictionary(hashesOf(integrity)),
    })
    found.set(id, { id, license, component, places: [place] })
  }
  return found
}

/** A package without files is excluded, because `bin/slim.mjs` removed them. An optional one serves a package that can do without it. */
function scopeOf(place: string, devOptional: boolean): Enums.ComponentScope {
  if (!fs.existsSync(path.join(place, 'package.json'))) return Enums.ComponentScope.Excluded
  return devOptional ? Enums.ComponentScope.Optional : Enums.ComponentScope.Required
}

function licenceOf(text: string): Models.License {
  const id = SPDX.fixupSpdxId(text)
  if (id !== undefined) return new Models.SpdxLicense(id)
  return / (AND|OR|WITH) /.test(text) ? new Models.LicenseExpression(text) : new Models.NamedLicense(text)
}

function hashesOf(integrity = ''): Models.Hash[] {
  const [, digest] = /^sha512-(\S+)/.exec(integrity) ?? []
  return digest === undefined
    ? []
    : [[Enums.HashAlgorithm['SHA-512'], Buffer.from(digest, 'base64').toString('hex')]]
}

/**
 * The text is CycloneDX 1.6 in JSON. The same packages give the same text, since it contains neither the time nor the place
 * of its making.
 */
function toCycloneDx({ name, version, packages }: Lock, installed: ReadonlyMap<string, Installed>): string {
  const byPlace = new Map(
    [...installed.values()].flatMap(({ places, component }) => places.map((place) => [place, component])),
  )
  const rampart = new Models.Component(Enums.ComponentType.Application, name, {
    version,
    bomRef: `${name}@${version}`,
    licenses: new Models.LicenseRepository([new Models.SpdxLicense('MIT')]),
  })
  for (const [place, { dependencies, optionalDependencies }] of Object.entries(packages)) {
    // The parts of Rampart are beside `node_modules`, and what they need is what Rampart needs.
    const from = place.includes('node_modules/') ? byPlace.get(place) : rampart
    for (const wanted of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const to = resolve(byPlace, place === '' ? '' : `${place}/`, wanted)
      if (to) from?.dependencies.add(to.bomRef)
    }
  }
  const bom = new Models.Bom({
    metadata: new Models.Metadata({ component: rampart }),
    components: new Models.ComponentRepository([...installed.values()].map(({ component }) => component)),
  })
  const factory = new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6)
  return `${new Serialize.JsonSerializer(factory).serialize(bom, { sortLists: true, space: 2 })}\n`
}

/** Node resolves a package in the folder that wants it, and then in the folders around it. */
function resolve(
  byPlace: ReadonlyMap<string, Models.Component>,
  from: string,
  name: string,
): Models.Component | undefined {
  const found = byPlace.get(`${from}node_modules/${name}`)
  if (found || from === '') return found
  return resolve(byPlace, from.slice(0, Math.max(0, from.lastIndexOf('node_modules/'))), name)
}

/** Each text appears once, below all packages that come with it. */
function toText(installed: ReadonlyMap<string, Installed>): string {
  const sorted = [...installed.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const texts = new Map<string, string[]>()
  const without: string[] = []
  for (const { id, places } of sorted) {
    const own = new Set(places.flatMap(licenceFiles).map((file) => fs.readFileSync(file, 'utf8').trim()))
    for (const text of own) texts.set(text, [...(texts.get(text) ?? []), id])
    if (own.size === 0) without.push(id)
  }
  const list = sorted.map(({ id, license }) => `${id}: ${license}`)
  const rule = `\n\n${'-'.repeat(80)}\n\n`
  return `${[
    `Packages that are installed to run Rampart, each with its licence:\n\n${list.join('\n')}`,
    `Packages that come without a text of their licence: ${without.join(', ') || 'none'}`,
    ...[...texts].map(([text, ids]) => `${ids.join(', ')}:\n\n${text}`),
  ].join(rule)}\n`
}

/** The files include licences of copied code inside a package. Packages in its own `node_modules` have their own entries. */
function licenceFiles(place: string): string[] {
  return fs
    .readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && isLicence(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => !path.relative(place, file).split(path.sep).includes('node_modules'))
    .sort()
}

function isLicence(name: string): boolean {
  return /^(licen[cs]e|copying|notice|ofl)/i.test(name) && !/\.([cm]?[jt]sx?|json|map|html)$/i.test(name)
}
