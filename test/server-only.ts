// The marker package throws outside Next. This empty file replaces it in tests.
export {}
