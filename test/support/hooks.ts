// What ends with a run of mocha itself, `npx mocha test/...`: its clouds, and its private MySQL.
import { closeClouds } from './cloud.ts';
import { databases } from './databases.ts';

export const mochaHooks = {
  async afterAll(): Promise<void> {
    await closeClouds();
    await databases.stop();
  },
};
