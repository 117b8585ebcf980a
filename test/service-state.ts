/** The watcher stored this state of the service, which began and was checked so many minutes ago. */
export function serviceState(
  outcome: 'seen' | 'key-refused' | 'unanswered',
  sinceMinutes = 0,
  checkedMinutes = 0,
): string {
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()
  const checked = ago(checkedMinutes)
  return `{"look": "${outcome}", "since": "${ago(sinceMinutes)}", "lookedAt": "${checked}", "seenAt": "${checked}"}`
}
