import 'server-only'

/** Streams that are written to before the process does something else. */
const streamsPerTurn = 100

/** Sends in small groups, so that an arriving delivery need not wait for all streams. */
export function sendToEach(viewers: readonly { send(bytes: Buffer): void }[], bytes: Buffer, from = 0): void {
  for (const viewer of viewers.slice(from, from + streamsPerTurn)) viewer.send(bytes)
  if (from + streamsPerTurn < viewers.length) setImmediate(sendToEach, viewers, bytes, from + streamsPerTurn)
}
