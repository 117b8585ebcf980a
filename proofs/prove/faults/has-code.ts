/** Whether a system call failed for this reason, such as `ENOSPC`. */
export const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code
