import { defineConfig } from 'vitest/config';

/** `unit` needs Node alone, `cdk` synthesises stacks, `e2e` starts the real servers (`npm run test:e2e`). */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          setupFiles: ['test/setup.ts'],
          testTimeout: 30_000,
          exclude: ['test/cdk/**', 'test/e2e/**', 'test/conformance/**', 'node_modules/**'],
        },
      },
      { test: { name: 'cdk', include: ['test/cdk/**/*.test.ts'], testTimeout: 60_000 } },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.e2e.ts'],
          globalSetup: ['test/e2e/global-setup.ts'],
          testTimeout: 180_000,
          hookTimeout: 180_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
