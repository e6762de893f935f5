// Blazar's own tests for tempest against a started server, with an accelerated clock and, where
// there is time, at real speed.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { prepare } from '../tempest/prepare.ts';
import { declarePlan } from '../tempest/tempest.ts';

const here = (name: string): URL => new URL(name, import.meta.url);
const plan = here('plan.yaml');
const { modules } = parse(readFileSync(plan, 'utf8')) as { modules: readonly string[] };

const absent =
  process.env['CUMULET_TEST_BLAZAR_TEMPEST'] === undefined
    ? 'CUMULET_TEST_BLAZAR_TEMPEST names no folder with it'
    : undefined;
const hasTime = Boolean(process.env['CUMULET_TEST_REAL_TIME']);

// Each module has a cloud of its own: the gabbi files count hosts and leases.
for (const module of modules) {
  const common = { plan, packages: [module], prepare, ahead: here('plugin.py') };
  const name = module.replace('blazar_tempest_plugin.tests.', '');
  declarePlan({
    title: `Blazar's ${name} with an accelerated clock`,
    movesClock: true,
    lacking: absent,
    ...common,
  });
  const lacking =
    absent ?? (hasTime ? undefined : 'it takes some ten minutes: CUMULET_TEST_REAL_TIME=1');
  declarePlan({ title: `Blazar's ${name} at real speed`, movesClock: false, lacking, ...common });
}
