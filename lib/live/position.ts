import 'server-only'

/** Where in the messages of one process a browser stands. */
export interface Position {
  /** Which start of which process numbered them. */
  readonly boot: string
  /** The number of the last message that was received. */
  readonly count: number
}

export const formatPosition = ({ boot, count }: Position): string => `${boot}.${count}`

/** Null for what no process of ours wrote. */
export function parsePosition(text: string): Position | null {
  const [, boot, count] = /^([0-9a-z]{1,20})\.(\d{1,15})$/.exec(text) ?? []
  return boot === undefined || count === undefined ? null : { boot, count: Number(count) }
}
