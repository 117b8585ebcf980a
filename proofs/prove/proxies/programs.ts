import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../../../bin/postgres.ts'
import type { Certified } from '../../../test/certificates.ts'
import { CannotRunHere, sleep } from '../faults/test-bed.ts'

/** The place says where a proxy runs, and what it serves. */
export interface Place {
  readonly folder: string
  /** The two ports belong to the proxy, with TLS, and to Rampart. */
  readonly port: number
  readonly rampart: number
  /** Further replicas of Rampart have these ports. */
  readonly replicas?: readonly number[]
  readonly certified: Certified
}

export interface RunningProxy {
  /** The proxy reads its settings again, as an administrator would tell it to. */
  reload(): Promise<void>
  stop(): Promise<void>
}

/** Each proxy is Debian's, with the block of docs/proxies.md, or with the file of the container that ops/compose.yaml starts. */
export const proxies = { nginx, compose, caddy, haproxy, apache, varnish } satisfies Record<
  string,
  (place: Place) => Promise<RunningProxy>
>

async function nginx(place: Place): Promise<RunningProxy> {
  return startNginx(place, documented('nginx', place))
}

async function compose(place: Place): Promise<RunningProxy> {
  for (const [name, content] of [
    ['dash.pem', place.certified.cert],
    ['dash.key', place.certified.key],
  ] as const)
    fs.writeFileSync(path.join(place.folder, name), content, { mode: 0o600 })
  return startNginx(place, composeNginx({ ...place, other: await freePort() }))
}

/** The text is ops/nginx/rampart.conf with the ports and files of this machine. */
export function composeNginx(
  place: Pick<Place, 'folder' | 'port' | 'rampart'> & { readonly other: number },
): string {
  const { folder, port, rampart, other } = place
  return fs
    .readFileSync('ops/nginx/rampart.conf', 'utf8')
    .replace('172.30.240.10:3000', `127.0.0.1:${rampart}`)
    .replace('listen 8443', `listen 127.0.0.1:${port}`)
    .replace('listen 8080', `listen 127.0.0.1:${other}`)
    .replaceAll('/etc/nginx/tls/', `${folder}/`)
}

async function startNginx(place: Place, block: string): Promise<RunningProxy> {
  const program = find('nginx', '/usr/sbin/nginx')
  const file = path.join(place.folder, 'nginx.conf')
  for (const name of ['body', 'proxy', 'other']) fs.mkdirSync(path.join(place.folder, name))
  const kept = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${place.folder}/${name.split('_')[0]};`,
  )
  fs.writeFileSync(
    file,
    `${isRoot ? 'user root;' : ''}
pid ${place.folder}/nginx.pid;
error_log ${place.folder}/nginx.log;
worker_processes 2;
events { worker_connections 4096; }
http {
  access_log off;
  ${kept.join('\n  ')}
  ${block}
}
`,
  )
  const child = run(program, ['-p', place.folder, '-c', file, '-g', 'daemon off;'], place)
  await listens(place.port, child)
  return { reload: async () => void child.kill('SIGHUP'), stop: () => end(child, 'SIGTERM') }
}

async function caddy(place: Place): Promise<RunningProxy> {
  const program = find('caddy', '/usr/bin/caddy')
  const file = path.join(place.folder, 'Caddyfile')
  const address = `unix//${place.folder}/caddy.sock`
  const own = `{\n  admin ${address}\n  auto_https disable_redirects\n  skip_install_trust\n}\n`
  fs.writeFileSync(file, own + documented('caddy', place))
  const more = ['--config', file, '--adapter', 'caddyfile']
  const child = run(program, ['run', ...more], place)
  await listens(place.port, child)
  return {
    async reload() {
      await execute(program, ['reload', ...more, '--address', address, '--force'])
    },
    stop: () => end(child, 'SIGTERM'),
  }
}

async function haproxy(place: Place): Promise<RunningProxy> {
  const program = find('haproxy', '/usr/sbin/haproxy')
  const file = path.join(place.folder, 'haproxy.cfg')
  fs.writeFileSync(file, `global\n  maxconn 4096\n${documented('haproxy', place)}`)
  const child = run(program, ['-W', '-f', file], place)
  await listens(place.port, child)
  // The proxy needs time for its first health check.
  await sleep(2_500)
  return { reload: async () => void child.kill('SIGUSR2'), stop: () => end(child, 'SIGTERM') }
}

async function apache(place: Place): Promise<RunningProxy> {
  const program = find('apache2', '/usr/sbin/apache2')
  const file = path.join(place.folder, 'apache.conf')
  const modules = [
    'mpm_event',
    'authz_core',
    'socache_shmcb',
    'slotmem_shm',
    'ssl',
    'http2',
    'proxy',
    'proxy_http',
    'proxy_balancer',
    'lbmethod_byrequests',
  ]
  const load = modules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`)
  fs.writeFileSync(
    file,
    `ServerRoot ${place.folder}
ServerName localhost
PidFile ${place.folder}/apache.pid
ErrorLog ${place.folder}/apache.log
DefaultRuntimeDir ${place.folder}
${load.join('\n')}
${isRoot ? 'User www-data\nGroup www-data' : ''}
Listen 127.0.0.1:${place.port}
${documented('apache', place)}
`,
  )
  const child = run(program, ['-f', file, '-D', 'FOREGROUND'], place)
  await listens(place.port, child)
  return { reload: async () => void child.kill('SIGUSR1'), stop: () => end(child, 'SIGTERM') }
}

/** Varnish runs behind the nginx of this page, which speaks TLS for it. */
async function varnish(place: Place): Promise<RunningProxy> {
  const program = find('varnish', '/usr/sbin/varnishd')
  const port = await freePort()
  const file = path.join(place.folder, 'rampart.vcl')
  fs.writeFileSync(file, documented('vcl', place))
  const name = path.join(place.folder, 'varnish')
  const [, settings = ''] = /^varnishd .*( -p \S+)$/m.exec(page()) ?? []
  const words = ['-F', '-j', 'none', '-n', name, '-a', `127.0.0.1:${port}`, '-f', file, '-s', 'malloc,64m']
  const child = run(program, [...words, ...settings.trim().split(' ')], place)
  await listens(port, child)
  const front = await nginx({ ...place, rampart: port })
  let reloads = 0
  return {
    async reload() {
      const label = `again${++reloads}`
      await execute('/usr/bin/varnishadm', ['-n', name, 'vcl.load', label, file])
      await execute('/usr/bin/varnishadm', ['-n', name, 'vcl.use', label])
      await front.reload()
    },
    async stop() {
      await front.stop()
      await end(child, 'SIGTERM')
    },
  }
}

const isRoot = process.getuid?.() === 0
const execute = promisify(execFile)

function find(name: string, program: string): string {
  if (fs.existsSync(program)) return program
  throw new CannotRunHere(`needs ${name}: apt-get install ${name === 'apache' ? 'apache2' : name}`)
}

const page = () => fs.readFileSync('docs/proxies.md', 'utf8')

/** The block is that of the page, with the addresses and files of this machine. */
function documented(language: string, { folder, port, rampart, replicas = [], certified }: Place): string {
  const [, block] = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'ms').exec(page()) ?? []
  if (block === undefined) throw new Error(`docs/proxies.md has no block of ${language}`)
  const files = { 'dash.pem': certified.cert, 'dash.key': certified.key }
  const bundle = { 'dash-with-key.pem': certified.cert + certified.key }
  for (const [name, content] of Object.entries({ ...files, ...bundle }))
    fs.writeFileSync(path.join(folder, name), content, { mode: 0o600 })
  const lines = block.split('\n').flatMap((line) => {
    if (/^\s*(server|BalancerMember) .*10\.0\.0\.12/.test(line))
      return replicas.map((replica) => line.replace('10.0.0.12:3000', `127.0.0.1:${replica}`))
    return line
      .replace(/^( *listen) 443/, `$1 127.0.0.1:${port}`)
      .replace(/bind :443/, `bind 127.0.0.1:${port}`)
      .replace('*:443', `127.0.0.1:${port}`)
      .replace(/^dash\.example\.com \{/, `https://localhost:${port} {\n  bind 127.0.0.1`)
      .replace('dash.example.com', 'localhost')
      .replace(' 10.0.0.12:3000', '')
      .replace('10.0.0.11:3000', `127.0.0.1:${rampart}`)
      .replace('"10.0.0.11"', '"127.0.0.1"')
      .replace('"3000"', `"${rampart}"`)
      .replaceAll('/etc/ssl/', `${folder}/`)
  })
  const text = lines.join('\n')
  if (/10\.0\.0\.|example\.com|\b443\b/.test(text))
    throw new Error(`This of the block of ${language} was not understood: ${text}`)
  return text
}

function run(program: string, words: readonly string[], { folder }: Place): ChildProcess {
  const output = fs.openSync(path.join(folder, `${path.basename(program)}.out`), 'a')
  const child = spawn(program, words, {
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    stdio: ['ignore', output, output],
  })
  const leave = () => child.kill('SIGKILL')
  process.once('exit', leave)
  child.once('exit', () => process.off('exit', leave))
  return child
}

async function listens(port: number, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    if (child.exitCode !== null)
      throw new Error(`${child.spawnfile} ended with ${child.exitCode}: ${child.spawnargs.join(' ')}`)
    if (await isAnswered(port)) return
    await sleep(100)
  }
  throw new Error(`${child.spawnfile} does not listen`)
}

const isAnswered = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = net.connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill(signal)
  // A proxy waits for clients that have a page open.
  const late = setTimeout(() => child.kill('SIGKILL'), 5_000)
  await exited
  clearTimeout(late)
}
