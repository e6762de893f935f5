// Closes the clouds and the private MySQL at the end of a plain mocha run (`npx mocha test/...`).
import { closeClouds } from './cloud.ts';
import { databases } from './databases.ts';

export const mochaHooks = {
  async afterAll(): Promise<void> {
    await closeClouds();
    await databases.stop();
  },
};
