import type { Check } from './check.ts'
import { signInChecks } from './checks/sign-in.checks.ts'

/** Every check, one for each rule of the contract. */
export const checks: readonly Check[] = [signInChecks].flat()
