import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { type Document, examplesIn, jsonBodyOf, operationsOf } from '../../../sandbox/http/openapi.ts'
import { apiKey } from '../../../sandbox/test/running.ts'
import { CannotRunHere } from '../faults/test-bed.ts'

/** The workshop has the folder of the clients, and the files of the documents from which they are made. */
export interface Workshop {
  readonly folder: string
  readonly documents: string
}

/** The command runs a program that was compiled with its clients. It is missing where compiling was the whole test. */
export interface Made {
  readonly command: readonly [program: string, ...words: string[]] | undefined
  readonly folder: string
}

interface Addresses {
  /** The controls are below this address. */
  readonly origin: string
  /** The service's base address has the onboarding path. */
  readonly publicUrl: string
}

type Make = (workshop: Workshop) => Promise<Made>

/** Each language has the generator whose clients its job uses. */
export const clientMakers = { typescript, python, go, java, rust } satisfies Record<string, Make>

/** The clients of further generators are compiled, and do what once failed. */
export const otherGenerators = {
  'openapi-python-client': openApiPythonClient,
  'openapi-generator-go': openApiGeneratorGo,
  ogen,
} satisfies Record<string, Make>

/** The files are the sandbox's documents: service.json and controls.json, and both as OpenAPI 3.0. */
export async function writeDocuments(origin: string, folder: string): Promise<string> {
  fs.mkdirSync(folder, { recursive: true })
  for (const [name, file] of [
    ['openapi', 'service'],
    ['openapi-controls', 'controls'],
  ] as const)
    for (const version of ['', '-3.0']) {
      const answer = await fetch(`${origin}/${name}${version}.json`)
      fs.writeFileSync(path.join(folder, `${file}${version}.json`), await answer.text())
    }
  return folder
}

/** The function runs a job against a sandbox. A program of ours holds its wallet, as a user's browser would. */
export async function doJob({ command, folder }: Made, sandbox: Addresses | undefined): Promise<string> {
  if (!command || !sandbox) return 'compiled'
  const account = privateKeyToAccount(generatePrivateKey())
  const signer = http.createServer(async (request, response) => {
    let message = ''
    for await (const chunk of request) message += chunk
    response.end(await account.signMessage({ message }))
  })
  signer.listen(0, '127.0.0.1')
  await once(signer, 'listening')
  // The cast is safe, because the server listens at a port.
  const { port } = signer.address() as AddressInfo
  try {
    const [program, ...words] = command
    const said = await execute(program, words, folder, {
      SANDBOX: sandbox.origin,
      BASE_URL: sandbox.publicUrl,
      API_KEY: apiKey,
      WALLET: account.address,
      SIGNER: `http://127.0.0.1:${port}/`,
      SCENARIOS: scenarios.join(' '),
    })
    const last = said.trim().split('\n').at(-1) ?? ''
    if (last !== 'done: 13 types of event') throw new Error(`did not do its job: ${last}`)
    return last
  } finally {
    signer.closeAllConnections()
    signer.close()
  }
}

/** These scenarios send events of every type. */
const scenarios = [
  'fiat-to-crypto',
  'crypto-to-fiat',
  'kyc',
  'kyb',
  'aml',
  'fiat-account',
  'entity-suspended',
  'wallet-created',
  'linked-profile',
  'link-bank-account',
  'duplicate-user',
  'sender-name-mismatch',
  'mail-bounced',
]

const jobs = import.meta.dirname
const root = path.join(jobs, '../../..')

/** openapi-typescript reads the document as 3.1, with openapi-fetch. Only types are compiled. */
export async function typescript({ folder, documents }: Workshop): Promise<Made> {
  fs.symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
  fs.copyFileSync(path.join(jobs, 'job.mts'), path.join(folder, 'job.mts'))
  const script = (file: string) =>
    ['proofs/node_modules', 'node_modules']
      .map((place) => path.join(root, place, file))
      .find(fs.existsSync) ?? file
  for (const name of ['service', 'controls'])
    await execute(
      process.execPath,
      [script('openapi-typescript/bin/cli.js'), path.join(documents, `${name}.json`), '-o', `${name}.d.ts`],
      folder,
    )
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2023', '--module', 'nodenext']
  const more = ['--allowImportingTsExtensions', '--types', 'node', 'job.mts']
  await execute(process.execPath, [script('typescript-7/bin/tsc'), ...options, ...more], folder)
  return { command: [process.execPath, 'job.mts'], folder }
}

/** openapi-generator reads the document as 3.1. */
async function python({ folder, documents }: Workshop): Promise<Made> {
  const interpreter = await pythonIn(folder)
  for (const name of ['service', 'controls']) {
    await openApiGenerator(folder, path.join(documents, `${name}.json`), 'python', name, {
      packageName: name,
    })
    await execute(interpreter, ['-m', 'pip', 'install', '--quiet', `./${name}`], folder)
  }
  return { command: [interpreter, path.join(jobs, 'job.py')], folder }
}

async function openApiPythonClient({ folder, documents }: Workshop): Promise<Made> {
  const interpreter = await pythonIn(folder)
  const programs = path.dirname(interpreter)
  // The generator calls ruff, which is installed with it.
  const variables = { PATH: `${programs}${path.delimiter}${process.env.PATH}` }
  await execute(interpreter, ['-m', 'pip', 'install', '--quiet', 'openapi-python-client==0.29.1'], folder)
  for (const name of ['service', 'controls']) {
    // The generator does not support JSON lines, so it leaves out the answer of one control.
    const strict = name === 'service' ? ['--fail-on-warning'] : []
    const document = path.join(documents, `${name}.json`)
    const words = ['--path', document, '--output-path', name, '--meta', 'none', ...strict]
    await execute(path.join(programs, 'openapi-python-client'), ['generate', ...words], folder, variables)
  }
  await execute(interpreter, ['-m', 'compileall', '-q', 'service', 'controls'], folder)
  const { servers } = readDocument(documents, 'service')
  const base = { BASE_URL: servers?.[0]?.url ?? '', API_KEY: apiKey }
  await execute(interpreter, ['-c', pythonCalls], folder, base)
  return { command: undefined, folder }
}

/** This client puts what it is given into headers without making it a text. */
const pythonCalls = `
import os, typing, uuid
from service import AuthenticatedClient
from service.api.users import create_user, get_user
from service.models import CreateUserRequest

direct = {"trust_env": False}
client = AuthenticatedClient(os.environ["BASE_URL"], os.environ["API_KEY"], prefix="", httpx_args=direct)
fields = {"email": f"{uuid.uuid4()}@demo.test", "first_name": "Ana", "last_name": "Ruiz", "country": "ES"}
user = create_user.sync(client=client, body=CreateUserRequest.from_dict(fields))
declared = typing.get_args(typing.get_type_hints(get_user.sync_detailed)["user_uuid"])[0]
read = get_user.sync_detailed(client=client, user_uuid=declared(str(user.user_uuid)))
assert read.status_code == 200, read
`

const readDocument = (documents: string, name: string): Document =>
  JSON.parse(fs.readFileSync(path.join(documents, `${name}.json`), 'utf8'))

async function pythonIn(folder: string): Promise<string> {
  await needs('python3', ['-c', 'import ensurepip, pip, venv'], 'Python with pip and venv')
  await execute('python3', ['-m', 'venv', 'venv'], folder)
  return path.join(folder, 'venv/bin/python')
}

/** oapi-codegen reads the document as 3.0 only. */
async function go({ folder, documents }: Workshop): Promise<Made> {
  await beginModule(folder)
  for (const name of ['service', 'controls']) {
    fs.mkdirSync(path.join(folder, name))
    const words = ['-package', name, '-generate', 'types,client', '-o', `${name}/client.go`]
    const tool = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2'
    await execute('go', ['run', tool, ...words, path.join(documents, `${name}-3.0.json`)], folder)
  }
  fs.copyFileSync(path.join(jobs, 'job.go'), path.join(folder, 'main.go'))
  await execute('go', ['mod', 'tidy'], folder)
  await execute('go', ['build', '-o', 'job', '.'], folder)
  return { command: [path.join(folder, 'job')], folder }
}

async function ogen({ folder, documents }: Workshop): Promise<Made> {
  await beginModule(folder)
  for (const name of ['service', 'controls']) {
    const words = ['--target', name, '--package', name, '--clean', path.join(documents, `${name}-3.0.json`)]
    await execute('go', ['run', 'github.com/ogen-go/ogen/cmd/ogen@v1.25.0', ...words], folder)
  }
  await execute('go', ['mod', 'tidy'], folder)
  await execute('go', ['build', './...'], folder)
  return { command: undefined, folder }
}

async function openApiGeneratorGo({ folder, documents }: Workshop): Promise<Made> {
  await needs('go', ['version'], 'Go')
  for (const [name, union] of [
    ['service', 'Event'],
    ['controls', 'Fault'],
  ] as const) {
    const client = path.join(folder, name)
    await openApiGenerator(folder, path.join(documents, `${name}.json`), 'go', name, {
      packageName: name,
      // A value of one possible text is any text to this generator, and then fits several alternatives.
      useOneOfDiscriminatorLookup: 'true',
    })
    const { paths, webhooks } = readDocument(documents, name)
    const bodies = operationsOf({ paths: { ...webhooks, ...paths } }).map(({ operation }) => operation)
    const sent = bodies.find(({ operationId }) => ['receiveEvent', 'addFault'].includes(`${operationId}`))
    const examples = JSON.stringify(examplesIn(jsonBodyOf(sent ?? {}) ?? {}))
    // Go writes a whole second without its milliseconds.
    fs.writeFileSync(path.join(client, 'sent.json'), examples.replaceAll('.000Z', 'Z'))
    fs.writeFileSync(path.join(client, 'sent_test.go'), goReads(name, union))
    await execute('go', ['mod', 'tidy'], client)
    await execute('go', ['build', './...'], client)
    await execute('go', ['test', '.'], client)
  }
  return { command: undefined, folder }
}

/** The test reads each example of a union, and writes it again with nothing lost. */
const goReads = (name: string, union: string) => `package ${name}

import (
	"encoding/json"
	"os"
	"reflect"
	"testing"
)

func TestSent(t *testing.T) {
	text, _ := os.ReadFile("sent.json")
	var examples []any
	if json.Unmarshal(text, &examples) != nil || len(examples) < 7 {
		t.Fatal("no examples")
	}
	for _, example := range examples {
		given, _ := json.Marshal(example)
		var read ${union}
		if err := json.Unmarshal(given, &read); err != nil {
			t.Errorf("%s: %s", err, given)
			continue
		}
		var again any
		written, _ := json.Marshal(read)
		if json.Unmarshal(written, &again) != nil || !reflect.DeepEqual(example, again) {
			t.Errorf("read %s as %s", given, written)
		}
	}
}
`

async function beginModule(folder: string) {
  await needs('go', ['version'], 'Go')
  await execute('go', ['mod', 'init', 'job'], folder)
}

/** openapi-generator reads the document as 3.0. One project holds two sets of packages and the job. */
async function java({ folder, documents }: Workshop): Promise<Made> {
  for (const name of ['controls', 'service'])
    await openApiGenerator(folder, path.join(documents, `${name}-3.0.json`), 'java', '.', {
      invokerPackage: name,
      apiPackage: `${name}.api`,
      modelPackage: `${name}.model`,
      hideGenerationTimestamp: 'true',
    })
  fs.rmSync(path.join(folder, 'src/test'), { recursive: true, force: true })
  fs.copyFileSync(path.join(jobs, 'Job.java'), path.join(folder, 'src/main/java/Job.java'))
  const release = ['-Dmaven.compiler.source=17', '-Dmaven.compiler.target=17']
  await execute('mvn', ['-q', '-B', ...release, 'compile', 'dependency:copy-dependencies'], folder)
  return { command: ['java', '-cp', 'target/classes:target/dependency/*', 'Job'], folder }
}

/** openapi-generator reads the document as 3.1. */
async function rust({ folder, documents }: Workshop): Promise<Made> {
  await needs('cargo', ['--version'], 'Rust with cargo')
  for (const name of ['service', 'controls'])
    await openApiGenerator(folder, path.join(documents, `${name}.json`), 'rust', name, {
      packageName: name,
      supportAsync: 'false',
      // A login is answered in two ways.
      supportMultipleResponses: 'true',
    })
  fs.mkdirSync(path.join(folder, 'src'))
  fs.copyFileSync(path.join(jobs, 'job.rs'), path.join(folder, 'src/main.rs'))
  fs.writeFileSync(
    path.join(folder, 'Cargo.toml'),
    `[package]
name = "job"
version = "0.1.0"
edition = "2021"

[dependencies]
service = { path = "service" }
controls = { path = "controls" }
chrono = "0.4"
reqwest = { version = "0.12", default-features = false, features = ["blocking"] }
serde_json = "1"
tiny_http = "0.12"
uuid = { version = "1", features = ["v4"] }
`,
  )
  await execute('cargo', ['build', '--quiet'], folder)
  return { command: [path.join(folder, 'target/debug/job')], folder }
}

/** The generator comes from Maven, once for all languages. */
async function openApiGenerator(
  folder: string,
  document: string,
  language: string,
  output: string,
  properties: Record<string, string>,
) {
  await needs('java', ['-version'], 'Java, for openapi-generator')
  await needs('mvn', ['-version'], 'Maven, for openapi-generator')
  const jar = path.join(path.dirname(folder), `openapi-generator-cli-${version}.jar`)
  const artifact = `-Dartifact=org.openapitools:openapi-generator-cli:${version}`
  const copy = ['-q', '-B', 'dependency:copy', artifact, `-DoutputDirectory=${path.dirname(jar)}`]
  if (!fs.existsSync(jar)) await execute('mvn', copy, folder)
  const list = Object.entries(properties).map(([name, value]) => `${name}=${value}`)
  const words = ['generate', '-i', document, '-g', language, '-o', output, `--additional-properties=${list}`]
  await execute('java', ['-jar', jar, ...words], folder)
}

const version = '7.14.0'

async function needs(program: string, words: string[], what: string) {
  await execute(program, words, root).catch(() => {
    throw new CannotRunHere(`needs ${what}`)
  })
}

/** The function runs a program and answers its whole output. It throws a failure with the end of that output. */
async function execute(
  program: string,
  words: readonly string[],
  cwd: string,
  variables: Record<string, string> = {},
): Promise<string> {
  const child = spawn(program, words, { cwd, env: { ...process.env, ...variables } })
  let said = ''
  for (const output of [child.stdout, child.stderr]) output.on('data', (chunk) => (said += chunk))
  const [code] = await once(child, 'close')
  if (code !== 0)
    throw new Error(
      `${[path.basename(program), ...words.slice(0, 1)].join(' ')} failed:\n${said.slice(-4_000)}`,
    )
  return said
}
