/** Ports of their own, so that the tests run beside a Rampart that a person uses. */
export const port = 3105
export const sandboxPort = 4105
export const rampartUrl = `http://localhost:${port}`
export const sandboxUrl = `http://localhost:${sandboxPort}`
