/** Counts the rows of a file that comes in pieces, without the heading of a CSV file: each call takes a piece and answers all so far. */
export function rowCounter(format: 'csv' | 'ndjson'): (piece: Uint8Array) => number {
  let [ends, quoted] = [0, false]
  return (piece) => {
    for (const byte of piece) {
      // A cell in quotes may hold a line end; a quote in it is written twice, which leaves it as it was.
      if (byte === quote && format === 'csv') quoted = !quoted
      else if (byte === lineFeed && !quoted) ends++
    }
    return Math.max(0, format === 'csv' ? ends - 1 : ends)
  }
}

const [quote, lineFeed] = [0x22, 0x0a]
