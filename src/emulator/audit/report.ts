// Renders an audit: for programs, and as lines that people can read.
import { groupedValues } from '../../kernel/db/grouping.ts';
import { counted } from '../../kernel/user/sentences.ts';
import type { AuditReport, Finding } from './audit.ts';
import { auditFormat } from './model.ts';

/** How many inconsistencies of a check the text shows. */
const maxShown = 20;

/** Renders an audit as the API returns it. */
export const auditView = ({ examined, inconsistencies }: AuditReport): object => ({
  format: auditFormat,
  examined,
  count: inconsistencies.length,
  inconsistencies: inconsistencies.map(({ region, service, check, resource, text, repair }) => ({
    region,
    service,
    check,
    resource,
    text,
    repair,
  })),
  text: textOf({ examined, inconsistencies }),
});

function textOf({ examined, inconsistencies }: AuditReport): string[] {
  const amounts = Object.entries(examined)
    .filter(([, count]) => count > 0)
    .map(([noun, count]) => counted(count, noun.replace(/s$/, '')));
  const scope = amounts.length ? `Examined ${amounts.join(', ')}.` : 'There is nothing to examine.';
  if (!inconsistencies.length) return [scope, 'Nothing is inconsistent.'];
  const byCheck = groupedValues(
    inconsistencies,
    ({ check }) => check,
    (one) => one,
  );
  const found = `${inconsistencies.length} inconsistenc${inconsistencies.length === 1 ? 'y' : 'ies'}`;
  return [
    scope,
    `Found ${found}. Nothing was changed: the commands below repair them.`,
    ...[...byCheck].flatMap(([check, findings]) => ['', ...sectionOf(check, findings)]),
  ];
}

function sectionOf(check: string, findings: readonly Finding[]): string[] {
  const more = findings.length - maxShown;
  return [
    `${check.replaceAll('_', ' ')} (${findings.length})`,
    ...findings
      .slice(0, maxShown)
      .flatMap(({ text, repair }) => [`  ${text}`, ...repair.map((command) => `    $ ${command}`)]),
    ...(more > 0 ? [`  and ${more} more (--json lists all)`] : []),
  ];
}
