import { warningsOf } from '#lib/platform/env/warnings.ts'
import { inTime } from '#lib/platform/in-time.ts'
import { messageOfError } from '#lib/platform/log/error-fields.ts'
import { OperatorError } from '#lib/platform/operator-error.ts'
import { counted } from '#lib/words/labels/formats.ts'
import { type ServerSettings, takeServerSettings } from './database-address.ts'
import type { Finding, FindingState } from './database-checks.ts'
import { type Check, checksOf, openPoolOfChecks, usualLimitMs } from './doctor-checks.ts'
import { hideSecrets } from './hide-secrets.ts'

/** A finding of one check, as `--json` prints it. */
interface Reported extends Finding {
  readonly check: string
}

/** The command checks everything that an installation needs, live, and changes nothing. Decision 0150. */
export async function doctorCommand({ json }: { readonly json: boolean }): Promise<number> {
  const hide = hideSecrets(process.env)
  const reported: Reported[] = []
  const report = (check: string, title: string, findings: readonly Finding[]) => {
    for (const { state, found, todo } of findings) {
      const one = { check, state, found: hide(found), todo: todo && hide(todo) }
      reported.push(one)
      if (!json) console.log(lineOf(title, one))
    }
  }
  const { settings, findings } = readSettings()
  report('settings', 'settings', findings)
  if (settings) {
    const pool = openPoolOfChecks()
    const checks = checksOf(settings, pool)
    const results = checks.map((check) => ({ check, findings: runCheck(check) }))
    for (const { check, findings } of results) report(check.name, check.name, await findings)
    // A connection that hangs has no end, and nobody waits for one.
    void pool.end().catch(() => undefined)
  }
  const worst = worstOf(reported)
  const exitCode = exitCodes[worst]
  if (json)
    console.log(JSON.stringify({ at: new Date().toISOString(), state: worst, findings: reported }, null, 2))
  else console.log(`\n${summary(reported)}`)
  return exitCode
}

/** Words that were not understood end with 2, for every command. */
const exitCodes = { ok: 0, failure: 1, warning: 3 } as const

function readSettings(): { readonly settings: ServerSettings | null; readonly findings: Finding[] } {
  const warnings = warningsOf().map((found): Finding => ({ state: 'warning', found, todo: null }))
  try {
    const settings = takeServerSettings()
    return {
      settings,
      findings:
        warnings.length > 0
          ? warnings
          : [{ state: 'ok', found: 'The settings can be read, and none is unknown.', todo: null }],
    }
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    const failure: Finding = {
      state: 'failure',
      found: error.message,
      todo: 'Correct that first: nothing else was checked.',
    }
    return { settings: null, findings: [...warnings, failure] }
  }
}

/** A check that fails or hangs is a finding, and stops no other check. */
async function runCheck({ run, limitMs = usualLimitMs }: Check): Promise<readonly Finding[]> {
  const late: Finding = {
    state: 'failure',
    found: `No answer came within ${limitMs / 1_000} s.`,
    todo: 'Something on the way takes connections and does not answer: look at it, and at firewalls in between.',
  }
  try {
    return await inTime(run(), limitMs, [late])
  } catch (error) {
    return [{ state: 'failure', found: messageOfError(error), todo: null }]
  }
}

const states = ['skipped', 'ok', 'warning', 'failure'] as const satisfies readonly FindingState[]

function worstOf(findings: readonly Finding[]): keyof typeof exitCodes {
  const worst = states.findLast((state) => findings.some((one) => one.state === state))
  return worst === 'failure' || worst === 'warning' ? worst : 'ok'
}

const marks = { ok: 'ok     ', warning: 'WARNING', failure: 'FAILURE', skipped: '-      ' } satisfies Record<
  FindingState,
  string
>

function lineOf(title: string, { state, found, todo }: Finding): string {
  const line = `${marks[state]}  ${title.padEnd(15)}  ${found}`
  return todo === null ? line : `${line}\n${' '.repeat(26)}→ ${todo}`
}

function summary(findings: readonly Finding[]): string {
  const count = (state: FindingState) => findings.filter((one) => one.state === state).length
  const parts = [
    `${count('ok')} ok`,
    counted(count('warning'), 'warning', 'warnings'),
    counted(count('failure'), 'failure', 'failures'),
  ]
  return `${parts.join(', ')}, ${count('skipped')} not set up or not checked.`
}
