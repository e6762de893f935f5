// Runs the commands of the pages that a newcomer reads first. `npm run suite:docs` runs all pages.
import { runPages } from '../docs/page-suite.ts';

runPages(['works in a new folder'], ['README.md', 'docs/guides/your-first-hour.md']);
