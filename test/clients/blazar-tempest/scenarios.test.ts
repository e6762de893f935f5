// Runs Blazar's own tempest plugin against a started server, with an accelerated clock and, on
// request, at real speed.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { prepare } from '../tempest/prepare.ts';
import { declarePlan, readPlan } from '../tempest/tempest.ts';

const here = (name: string): URL => new URL(name, import.meta.url);
const plan = here('plan.yaml');
const { modules } = parse(readFileSync(plan, 'utf8')) as { modules: readonly string[] };

const absent =
  process.env['CUMULET_TEST_BLAZAR_TEMPEST'] === undefined
    ? 'set CUMULET_TEST_BLAZAR_TEMPEST to its folder'
    : undefined;
const hasTime = Boolean(process.env['CUMULET_TEST_REAL_TIME']);

// Each module gets its own cloud, because the gabbi files count hosts and leases.
for (const module of modules) {
  const common = { plan: readPlan(plan), packages: [module], prepare, ahead: here('plugin.py') };
  const name = module.replace('blazar_tempest_plugin.tests.', '');
  declarePlan({
    title: `Blazar's ${name} with an accelerated clock`,
    movesClock: true,
    lacking: absent,
    ...common,
  });
  const lacking =
    absent ??
    (hasTime ? undefined : 'takes about ten minutes; set CUMULET_TEST_REAL_TIME=1 to run it');
  declarePlan({ title: `Blazar's ${name} at real speed`, movesClock: false, lacking, ...common });
}
