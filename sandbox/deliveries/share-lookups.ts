import type { LookupFunction } from 'node:net'

/**
 * Looks a name up once for all who ask for it meanwhile. Few names can be looked up at a time, and many deliveries to
 * one dead name would hold up everybody else's.
 */
export function shareLookups(lookup: LookupFunction): LookupFunction {
  const asking = new Map<string, Parameters<LookupFunction>[2][]>()
  return (hostname, options, callback) => {
    const key = JSON.stringify([hostname, options])
    const others = asking.get(key)
    if (others) return void others.push(callback)
    const callbacks = [callback]
    asking.set(key, callbacks)
    lookup(hostname, options, (...answer) => {
      asking.delete(key)
      for (const each of callbacks) each(...answer)
    })
  }
}
