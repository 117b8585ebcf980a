/** A start that failed for a reason a person can mend; its message is the one line they read. */
export class StartError extends Error {
  override name = 'StartError'
}
