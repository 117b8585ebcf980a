// Plain Node knows nothing of Next's marker package, which throws outside its bundler: here it is empty.
import { registerHooks } from 'node:module'

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'server-only'
      ? { url: 'data:text/javascript,', shortCircuit: true }
      : next(specifier, context),
})
