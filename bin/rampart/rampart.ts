import { runWords } from './run-words.ts'

process.exitCode = await runWords(process.argv.slice(2))
// A connection that hangs keeps no command alive that has ended.
setTimeout(() => process.exit(), 500).unref()
