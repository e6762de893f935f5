// What runs around the whole test run: a private MySQL where one is installed, and a word about it.
import { closeClouds } from './cloud.ts';
import { writeCoverage } from './coverage.ts';
import { databases } from './databases.ts';

export const mochaHooks = {
  async afterAll(): Promise<void> {
    writeCoverage();
    await closeClouds();
    await databases.stop();
  },
};
