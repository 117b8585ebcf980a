import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { CannotRunHere } from './fault-test.ts'

/**
 * Puts a small file system in memory at `folder`, which must not exist. Root mounts it; others do so in a namespace of
 * their own, where the system lets them, and reach it through /proc.
 * @returns what takes it away. Throws `CannotRunHere`
 */
export function mountSmallDisk(folder: string): Promise<() => void> | (() => void) {
  return process.getuid?.() === 0 ? mountAsRoot(folder) : mountInNamespace(folder)
}

const words = ['-t', 'tmpfs', '-o', 'size=192m', 'tmpfs']

function mountAsRoot(folder: string): () => void {
  fs.mkdirSync(folder)
  const { status, stderr, error } = spawnSync('mount', [...words, folder], { encoding: 'utf8' })
  if (status !== 0) throw new CannotRunHere(`cannot mount: ${error?.message ?? stderr.trim().split('\n')[0]}`)
  return () => spawnSync('umount', [folder])
}

async function mountInNamespace(folder: string): Promise<() => void> {
  const place = `${folder}-mounted`
  fs.mkdirSync(place)
  // The namespace lives as long as this shell, which ends with us, since its input does.
  const script = `mount ${words.join(' ')} "$0" && echo mounted && exec cat`
  const holder = spawn('unshare', ['--user', '--map-root-user', '--mount', 'sh', '-c', script, place], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const mounted = await Promise.race([
    once(holder.stdout, 'data').then(() => true),
    once(holder, 'exit').then(
      () => false,
      () => false,
    ),
  ])
  if (!mounted) throw new CannotRunHere('needs root to mount')
  fs.symlinkSync(`/proc/${holder.pid}/root${place}`, folder)
  return () => holder.kill()
}
