import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'

export interface PageShell {
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
 * @param patience A block may take this many milliseconds, also on a busy machine.
 */
export function openPageShell(
  folder: string,
  variables: Readonly<Record<string, string>>,
  patience: number,
): PageShell {
  const [block, printed, failed] = ['block.sh', 'printed', 'failed'].map((name) => path.join(folder, name))
  if (!block || !printed || !failed) throw new Error('no folder')
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
      shell.stdin.write(`. ${block} > ${printed} 2>&1\nprintf '%s\\n' '${border}'\n`)
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
