import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeAuthority } from '../../test/certificates.ts'
import { composeNginx } from '../prove/proxies/programs.ts'

// These programs come with a system and not with Node. Where one is missing, its test says so.

let folder: string
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'rampart-programs-'))
})
afterAll(() => fs.rmSync(folder, { recursive: true }))

function run(program: string, ...words: string[]) {
  const { status, stdout, stderr, error } = spawnSync(program, words, { encoding: 'utf8' })
  return { missing: error !== undefined, status, said: `${stdout ?? ''}${stderr ?? ''}` }
}

/** 10 is a service without protection. */
const mostExposed = 1.5

test('systemd takes the unit, and finds it well protected', ({ skip }) => {
  const version = run('systemd-analyze', '--version')
  skip(version.missing, 'needs systemd-analyze')
  const [, major = '0'] = /^systemd (\d+)/.exec(version.said) ?? []
  skip(Number(major) < 250, 'needs systemd-analyze 250, which looks at a file')
  const unit = path.join(folder, 'rampart.service')
  const text = fs.readFileSync('ops/systemd/rampart.service', 'utf8')
  // The program that starts must exist, and this Node does.
  fs.writeFileSync(unit, text.replace('/usr/bin/node', process.execPath))
  expect(run('systemd-analyze', 'verify', unit)).toEqual({ missing: false, status: 0, said: '' })
  const { said } = run('systemd-analyze', 'security', '--offline=true', unit)
  const [, exposed = '10'] = /Overall exposure level for \S+: ([\d.]+)/.exec(said) ?? []
  expect(Number(exposed), said).toBeLessThanOrEqual(mostExposed)
})

test('nginx takes its file', ({ skip }) => {
  const nginx = ['/usr/sbin/nginx', '/usr/bin/nginx'].find((file) => fs.existsSync(file))
  if (nginx === undefined) return skip('needs nginx')
  const { key, cert } = makeAuthority().certify('localhost')
  fs.writeFileSync(path.join(folder, 'dash.key'), key, { mode: 0o600 })
  fs.writeFileSync(path.join(folder, 'dash.pem'), cert)
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  const server = composeNginx({ folder, port: 8443, rampart: 3000, other: 8080 })
  const file = path.join(folder, 'nginx.conf')
  fs.writeFileSync(
    file,
    `pid ${folder}/pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${places.join('\n')}\n${server}}\n`,
  )
  const { status, said } = run(nginx, '-t', '-p', folder, '-c', file)
  expect(said).toContain('test is successful')
  expect(status).toBe(0)
})

test('the shell takes the script that makes the roles', () => {
  expect(run('sh', '-n', 'ops/postgres/create-roles.sh')).toEqual({ missing: false, status: 0, said: '' })
})
