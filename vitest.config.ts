import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/GlobalSetup.ts"],
    setupFiles: ["test/support/Seed.ts"],
    // Only what hangs meets them: a machine may be many times slower than the one that a test was written on.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    pool: "forks",
    // Every test builds its own layers: nothing leaks through modules, and they load once a worker.
    isolate: false,
    poolOptions: { forks: { minForks: 3, maxForks: 3 } }
  }
})
