import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { librariesOf, unpackDebianPackages } from '../../../bin/debian-packages.ts'
import { freePort } from '../../../bin/postgres.ts'
import { makeAuthority } from '../../../test/certificates.ts'
import { CannotRunHere, sleep } from '../faults/test-bed.ts'

export interface Postfix {
  readonly port: number
  /** The mails are those in its mailboxes, each as its file has it. */
  mails(): string[]
  stop(): Promise<void>
}

/**
 * Debian's Postfix is unpacked on this machine and not installed. It offers STARTTLS with Debian's default certificate,
 * which nobody trusts, and refuses a client without a full host name. All mail to example.com goes to one mailbox. The
 * function throws `CannotRunHere`.
 */
export async function startPostfix(parent: string): Promise<Postfix> {
  if (process.getuid?.() !== 0) throw new CannotRunHere('Postfix runs as root alone')
  const packages = await unpackDebianPackages('postfix')
  if (packages === null) throw new CannotRunHere("needs Debian's Postfix")
  const folder = path.join(parent, 'postfix')
  const debian = path.join(folder, 'debian')
  fs.mkdirSync(folder, { mode: 0o755 })
  // Postfix runs its programs as other users, who may not have access to the project.
  fs.cpSync(packages, debian, { recursive: true, verbatimSymlinks: true })
  const place = (name: string) => path.join(folder, name)
  for (const name of ['conf', 'data', 'spool', 'mailboxes']) fs.mkdirSync(place(name), { mode: 0o755 })
  for (const name of queues) fs.mkdirSync(path.join(place('spool'), name), { mode: 0o700 })
  for (const name of ['maildrop', 'public']) fs.mkdirSync(path.join(place('spool'), name), { mode: 0o730 })
  fs.mkdirSync(path.join(place('spool'), 'pid'))
  const owned = [...queues, 'maildrop', 'public'].map((name) => path.join(place('spool'), name))
  execFileSync('chown', ['nobody:games', place('data'), place('mailboxes'), ...owned])
  const port = await freePort()
  const { cert, key } = makeAuthority().certify('localhost')
  fs.cpSync(path.join(debian, 'etc/postfix'), place('conf'), { recursive: true })
  fs.writeFileSync(path.join(place('conf'), 'cert.pem'), cert)
  fs.writeFileSync(path.join(place('conf'), 'key.pem'), key, { mode: 0o600 })
  fs.writeFileSync(path.join(place('conf'), 'main.cf'), settings(folder, debian))
  fs.writeFileSync(path.join(place('conf'), 'master.cf'), services(port))
  const output = fs.openSync(place('output'), 'a')
  const libraries = [path.join(debian, 'usr/lib/postfix'), librariesOf(debian)].join(':')
  const child = spawn(path.join(debian, 'usr/lib/postfix/sbin/master'), ['-c', place('conf'), '-d'], {
    env: { ...process.env, LD_LIBRARY_PATH: libraries, MAIL_CONFIG: place('conf') },
    stdio: ['ignore', output, output],
  })
  const leave = () => child.kill('SIGKILL')
  process.once('exit', leave)
  await listens(port, child)
  return {
    port,
    mails() {
      const file = path.join(place('mailboxes'), 'all')
      return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split(/^(?=From )/m) : []
    },
    async stop() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
      process.off('exit', leave)
    },
  }
}

const queues = 'active bounce corrupt defer deferred flush hold incoming private saved trace'.split(' ')

const settings = (folder: string, debian: string) => `
compatibility_level = 3.6
queue_directory = ${folder}/spool
command_directory = ${debian}/usr/sbin
daemon_directory = ${debian}/usr/lib/postfix/sbin
shlib_directory = ${debian}/usr/lib/postfix
meta_directory = ${folder}/conf
data_directory = ${folder}/data
mail_owner = nobody
setgid_group = games
default_privs = daemon
import_environment = MAIL_CONFIG MAIL_LOGTAG TZ LANG=C LD_LIBRARY_PATH POSTLOG_SERVICE POSTLOG_HOSTNAME
export_environment = TZ LANG LD_LIBRARY_PATH
maillog_file = ${folder}/log
maillog_file_prefixes = ${folder}
myhostname = mail.example.com
inet_interfaces = loopback-only
inet_protocols = ipv4
smtpd_tls_cert_file = ${folder}/conf/cert.pem
smtpd_tls_key_file = ${folder}/conf/key.pem
smtpd_tls_security_level = may
smtpd_relay_restrictions = permit_mynetworks reject
smtpd_helo_required = yes
smtpd_helo_restrictions = reject_invalid_helo_hostname reject_non_fqdn_helo_hostname
mydestination =
alias_maps =
virtual_mailbox_domains = example.com
virtual_mailbox_base = ${folder}/mailboxes
virtual_mailbox_maps = static:all
virtual_uid_maps = static:65534
virtual_gid_maps = static:65534
virtual_minimum_uid = 1
`

const services = (port: number) => `
127.0.0.1:${port} inet n - n - - smtpd
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
proxymap unix - - n - - proxymap
error unix - - n - - error
retry unix - - n - - error
virtual unix - n n - - virtual
anvil unix - - n - 1 anvil
postlog unix-dgram n - n - 1 postlogd
`

async function listens(port: number, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    if (child.exitCode !== null) throw new Error(`Postfix ended with ${child.exitCode}`)
    const socket = net.connect(port, '127.0.0.1')
    const answered = await Promise.race([once(socket, 'data').then(() => true), sleep(1_000)]).catch(
      (error: unknown) => {
        if (error instanceof Error) return false
        throw error
      },
    )
    socket.destroy()
    if (answered === true) return
    await sleep(100)
  }
  throw new Error('Postfix does not listen')
}
