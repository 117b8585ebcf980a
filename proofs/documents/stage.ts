import { spawn } from 'node:child_process'
import crypto from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { type Child, startChild } from '../../bin/child.ts'
import { findText } from '../../bin/folders.ts'
import { freePort, type Postgres, startPostgres } from '../../bin/postgres.ts'
import { makeAuthority } from '../../test/certificates.ts'
import { findDebianPostgres } from '../prove/faults/standby.ts'
import { CannotRunHere } from '../prove/faults/test-bed.ts'

/**
 * The stage is a machine as an operator has it, in a folder: Debian's PostgreSQL and nginx, the sandbox as the service, an
 * authority for certificates, and scripts for what needs root (`bin`). Pages name its files and addresses as an operator
 * would, and each name has one of the folder in its place.
 */
export interface DocumentsStage {
  readonly shell: PageShell
  /** The public address leads through nginx. */
  readonly publicUrl: string
  readonly sandboxUrl: string
  readonly apiKey: string
  /** The certificate of the authority. */
  readonly ca: string
  /** The text has the names of this machine instead of those of the pages. */
  translate(text: string): string
  /** From now on this name of the pages has another in its place. */
  replace(from: string, to: string): void
  close(): Promise<void>
}

/**
 * @param tree the folder of Rampart's sources with their packages and their build, or null when the pages make `/opt/rampart`
 * Throws `CannotRunHere`.
 */
export async function openDocumentsStage(tree: string | null): Promise<DocumentsStage> {
  const nginx = ['/usr/sbin/nginx', '/usr/bin/nginx'].find((file) => fs.existsSync(file))
  if (nginx === undefined) throw new CannotRunHere('needs nginx: apt-get install nginx')
  for (const program of ['curl', 'openssl', 'bash', 'setsid'])
    if (!(process.env.PATH ?? '').split(':').some((folder) => fs.existsSync(path.join(folder, program))))
      throw new CannotRunHere(`needs ${program}`)
  const debian = await findDebianPostgres()
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-documents-'))
  const closing: (() => Promise<unknown>)[] = []
  // The cleanup also runs when the process is interrupted, because these programs would outlive it.
  const leave = () => {
    for (const name of ['rampart', 'nginx']) killByFile(path.join(folder, 'run', `${name}.pid`))
    started?.quit()
    fs.rmSync(folder, { recursive: true, force: true })
  }
  let started: Postgres | undefined
  process.once('exit', leave)
  const close = async () => {
    for (const end of closing.splice(0).toReversed()) await end().catch(console.error)
    process.off('exit', leave)
    leave()
  }
  try {
    // When root runs it, PostgreSQL runs as another user, who needs access here.
    fs.chmodSync(folder, 0o711)
    for (const made of ['etc/rampart', 'etc/ssl', 'etc/nginx/conf.d', 'etc/systemd/system', 'opt', 'run'])
      fs.mkdirSync(path.join(folder, made), { recursive: true })
    for (const made of ['usr/local/bin', 'var/lib/rampart', 'var/backups', 'root', 'shell'])
      fs.mkdirSync(path.join(folder, made), { recursive: true })
    const postgres = await startPostgres({
      dataDir: path.join(folder, 'postgres'),
      password: 'temporary',
      logFile: path.join(folder, 'postgres.log'),
      native: debian.native,
      variables: debian.libraries,
    })
    started = postgres
    closing.push(async () => {
      started = undefined
      await postgres.stop()
    })
    const { port: postgresPort } = new URL(postgres.url('postgres'))
    const authority = makeAuthority()
    const { key, cert } = authority.certify('localhost', new Date(Date.now() + 90 * 86_400_000))
    fs.writeFileSync(path.join(folder, 'etc/ssl/dash.pem'), cert)
    fs.writeFileSync(path.join(folder, 'etc/ssl/dash.key'), key, { mode: 0o600 })
    const ca = path.join(folder, 'etc/ssl/ca.pem')
    fs.writeFileSync(ca, authority.cert)
    const [port, publicPort, sandboxPort] = [await freePort(), await freePort(), await freePort()]
    const apiKey = crypto.randomUUID()
    const sandbox = await startSandbox(postgres, { folder, sandboxPort, apiKey, ca })
    closing.push(() => sandbox.stop())
    const replaced = placesOf(folder, tree, { port, publicPort, sandboxPort, postgresPort, apiKey })
    const translate = (text: string) =>
      replaced.reduce((translated, [from, to]) => translated.replaceAll(from, to), text)
    fs.writeFileSync(
      path.join(folder, 'replace.sed'),
      replaced.map(([from, to]) => `s|${from.replaceAll('.', '\\.')}|${to}|g\n`).join(''),
    )
    writeNginxFile(folder)
    const variables = {
      ...debian.libraries,
      PATH: [
        path.join(folder, 'usr/local/bin'),
        path.resolve('proofs/documents/bin'),
        path.dirname(process.execPath),
        path.join(debian.native, 'bin'),
        process.env.PATH,
      ].join(':'),
      HOME: process.env.HOME ?? folder,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? path.join(folder, 'compile-cache'),
      CURL_CA_BUNDLE: ca,
      PORT: String(port),
      PROJECTORS: '1',
      DOCUMENTS_FOLDER: folder,
      DOCUMENTS_NGINX: nginx,
      DOCUMENTS_PGPORT: postgresPort,
    }
    // An installation takes longest.
    const patience = tree === null ? 900_000 : 200_000
    const shell = openPageShell(path.join(folder, 'shell'), { variables, patience, typed: `${apiKey}\n` })
    closing.push(() => shell.close())
    closing.push(() => shell.run('systemctl stop rampart; systemctl stop nginx', 'The end'))
    if (tree !== null) await shell.run(`cd ${tree}`, 'The tree')
    return {
      shell,
      publicUrl: `https://localhost:${publicPort}`,
      sandboxUrl: `http://localhost:${sandboxPort}`,
      apiKey,
      ca: authority.cert,
      translate,
      replace: (from, to) => void replaced.push([from, to]),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

function killByFile(file: string) {
  const pid = Number(findText(file))
  if (pid > 0)
    try {
      process.kill(pid, 'SIGTERM')
    } catch {
      // The program has ended by itself.
    }
}

interface Places {
  readonly port: number
  readonly publicPort: number
  readonly sandboxPort: number
  readonly postgresPort: string
  readonly apiKey: string
}

/** The names of the pages, each with what stands for it on this machine. */
function placesOf(folder: string, tree: string | null, places: Places): [from: string, to: string][] {
  const { port, publicPort, sandboxPort, postgresPort, apiKey } = places
  return [
    ['REPOSITORY', process.cwd()],
    ['git checkout VERSION', 'git checkout HEAD'],
    ['/opt/rampart', tree ?? path.join(folder, 'opt/rampart')],
    ...[
      '/etc/rampart',
      '/etc/ssl',
      '/etc/nginx',
      '/etc/systemd',
      '/usr/local/bin',
      '/var/lib/rampart',
      '/var/cache/rampart',
    ].map((place): [string, string] => [place, folder + place]),
    ...['/var/backups', '/root/'].map((place): [string, string] => [place, folder + place]),
    ['/usr/bin/node', process.execPath],
    ['https://api.example.com/', `http://localhost:${sandboxPort}/`],
    ['https://api.example.net/', `http://127.0.0.1:${sandboxPort}/`],
    ['the-key-that-the-service-gave-you', apiKey],
    ['https://dash.example.com', `https://localhost:${publicPort}`],
    ['server_name dash.example.com', 'server_name localhost'],
    ['listen 443', `listen 127.0.0.1:${publicPort}`],
    ['localhost:3000', `localhost:${port}`],
    ['127.0.0.1:3000', `127.0.0.1:${port}`],
    ['@localhost/', `@localhost:${postgresPort}/`],
  ]
}

async function startSandbox(
  postgres: Postgres,
  of: { folder: string; sandboxPort: number; apiKey: string; ca: string },
): Promise<Child> {
  const client = new pg.Client({ connectionString: postgres.url('postgres') })
  await client.connect()
  await client.query('CREATE DATABASE sandbox')
  await client.end()
  return startChild('sandbox', 'sandbox/main.ts', {
    variables: {
      NODE_ENV: 'production',
      NODE_EXTRA_CA_CERTS: of.ca,
      SANDBOX_PORT: String(of.sandboxPort),
      SANDBOX_DATABASE_URL: postgres.url('sandbox'),
      SANDBOX_API_KEY: of.apiKey,
    },
    logs: of.folder,
  })
}

/** Debian's own file would write where root alone may. */
function writeNginxFile(folder: string) {
  const run = path.join(folder, 'run')
  const kept = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `  ${name}_temp_path ${run}/${name};`,
  )
  fs.writeFileSync(
    path.join(run, 'nginx.conf'),
    `${process.getuid?.() === 0 ? 'user root;\n' : ''}pid ${run}/nginx.pid;
error_log ${run}/nginx.log;
events {}
http {
  access_log off;
${kept.join('\n')}
  include ${run}/nginx-server.conf;
}
`,
  )
}

interface PageShell {
  /**
   * The shell runs a block as if somebody pasted it. It throws when a command fails, unless its line has a comment such as
   * `# ends with 3 …`.
   */
  run(commands: string, title: string): Promise<string>
  close(): Promise<void>
}

const border = '-- the block has ended --'

/**
 * Variables, functions and the folder of one block are there in the next.
 * @param typed a command that asks for the API key reads this
 * @param patience A block may take this many milliseconds, also on a busy machine.
 */
function openPageShell(
  folder: string,
  {
    variables,
    typed,
    patience,
  }: { variables: Readonly<Record<string, string>>; typed: string; patience: number },
): PageShell {
  const [block, printed, failed, input] = ['block.sh', 'printed', 'failed', 'typed'].map((name) =>
    path.join(folder, name),
  )
  if (!block || !printed || !failed || !input) throw new Error('no folder')
  fs.writeFileSync(input, typed, { mode: 0o600 })
  const shell = spawn('bash', ['--noprofile', '--norc'], {
    cwd: folder,
    env: { NODE_ENV: 'production', ...variables },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  shell.stdout.setEncoding('utf8')
  shell.stdin.write(`set -E -o pipefail; trap 'echo "$BASH_COMMAND|$?" >> ${failed}' ERR\n`)
  return {
    async run(commands, title) {
      // A block has no exit code of its own.
      fs.writeFileSync(block, `${commands}\n:\n`)
      fs.writeFileSync(failed, '')
      shell.stdin.write(`. ${block} < ${input} > ${printed} 2>&1\nprintf '%s\\n' '${border}'\n`)
      const signal = AbortSignal.timeout(patience)
      try {
        while (!String((await once(shell.stdout, 'data', { signal }))[0]).includes(border));
      } catch {
        shell.kill('SIGKILL')
        throw new Error(`${title} does not end. It printed:\n${fs.readFileSync(printed, 'utf8')}`)
      }
      const said = fs.readFileSync(printed, 'utf8')
      const lines = commands.split('\n').map((line) => line.trim())
      const faults = [...fs.readFileSync(failed, 'utf8').matchAll(/^(.*)\|(\d+)$/gm)].filter(
        ([, command = '', code]) =>
          !lines.some((line) => line.startsWith(command) && line.includes(`# ends with ${code} `)),
      )
      if (faults.length > 0)
        throw new Error(`${title}: ${faults.map(([fault]) => fault).join(', ')}. It printed:\n${said}`)
      return said
    },
    async close() {
      shell.stdin.end()
      if (shell.exitCode === null && shell.signalCode === null) await once(shell, 'exit')
    },
  }
}
