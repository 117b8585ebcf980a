/** The value under a name that a delivery, a form or an address may have given: `toString` or `__proto__` finds none. */
export const ownValue = <T>(values: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined
