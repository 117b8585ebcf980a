/**
 * `ownValue` looks up a name that a delivery, a form or an address may have given. `toString` and `__proto__` find nothing.
 */
export const ownValue = <T>(values: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined
