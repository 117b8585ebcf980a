import './every-input.built.test.ts'
