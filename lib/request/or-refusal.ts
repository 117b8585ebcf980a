import 'server-only'
import { Refused } from './refusals.ts'

/** What a use case answers, or its refusal where it throws `Refused`. */
export const orRefusal = <T>(answer: Promise<T>): Promise<T | Refused> =>
  answer.catch((error: unknown) => {
    if (error instanceof Refused) return error
    throw error
  })
