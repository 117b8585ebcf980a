import './odd-names.built.test.ts'
