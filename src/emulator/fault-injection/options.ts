// The flags of `cumulet fault add`, and the rule that they make.
import { InvalidArgumentError, Option, type Command } from 'commander';
import { parseDuration } from '../../cli/config.ts';
import { SECOND } from '../../kernel/clock.ts';
import type { FaultEffect, FaultMatch, FaultPlan } from './model.ts';

type Headers = Readonly<Record<string, string>>;

/** The flags as commander has parsed them. */
export interface FaultOptions
  extends
    Pick<
      FaultMatch,
      'service' | 'region' | 'operation' | 'method' | 'path' | 'project' | 'user' | 'inside'
    >,
    Pick<FaultEffect, 'status' | 'message' | 'code' | 'drop'>,
    Pick<FaultPlan, 'count' | 'skip' | 'probability' | 'seed'> {
  readonly minVersion?: string;
  readonly maxVersion?: string;
  readonly header?: Headers;
  readonly responseHeader?: Headers;
  /** Microseconds. */
  readonly delay?: number;
  readonly after?: boolean;
}

/** Adds the flags of a rule to a command. */
export function withFaultFlags(command: Command): Command {
  const number = (flags: string, description: string) =>
    new Option(flags, description).argParser(numberOf);
  return command
    .option('--service <name>', 'requests of this service, such as compute')
    .option('--region <name>', 'in this region')
    .option(
      '--operation <name>',
      'this operation of api-ref, such as servers:create, or this action, such as os-start',
    )
    .option('--method <method>', 'with this method')
    .option(
      '--path <pattern>',
      "at these paths below the service's prefix, such as /v2.1/servers/*; ** stands for any",
    )
    .option('--project <id|name>', 'in this project')
    .option('--user <id|name>', 'of this user')
    .option('--min-version <version>', 'from this microversion on')
    .option('--max-version <version>', 'up to this microversion')
    .option('--header <name=text>', 'with a header that contains the text (repeatable)', headerOf)
    .option('--inside', 'that services send each other, and not those of clients')
    .addOption(number('--status <status>', 'the status of the refusal, from 400 to 599'))
    .option('--message <text>', 'what the refusal says')
    .option('--code <code>', "the service's own error code")
    .option(
      '--response-header <name=value>',
      'a header of the refusal, such as retry-after=3 (repeatable)',
      headerOf,
    )
    .option('--delay <time>', 'wait so long first, such as 500ms or 2s', parseDuration)
    .option('--drop', 'close the connection without an answer')
    .option('--after', 'do the request, and lose its answer then')
    .addOption(number('--count <number>', 'so many times, and then no more'))
    .addOption(number('--skip <number>', 'let so many matches pass first'))
    .addOption(number('--probability <number>', 'from 0 to 1: how likely a match is hit'))
    .option('--seed <text>', 'hit the same matches in each run');
}

/** The rule that the flags make. What is undefined in it is not sent. */
export function planFrom(options: FaultOptions): FaultPlan {
  const {
    service,
    region,
    operation,
    method,
    path,
    project,
    user,
    minVersion,
    maxVersion,
    header,
    inside,
  } = options;
  const { status, message, code, responseHeader, delay, drop, after } = options;
  const { count, skip, probability, seed } = options;
  const match = { service, region, operation, method, path, project, user, inside };
  const effect = {
    status,
    message,
    code,
    drop,
    headers: responseHeader,
    when: after ? 'after' : undefined,
  };
  return {
    match: { ...match, min_version: minVersion, max_version: maxVersion, headers: header },
    effect: { ...effect, delay_ms: delay && Math.round((delay * 1000) / SECOND) },
    count,
    skip,
    probability,
    seed,
  } as FaultPlan;
}

function numberOf(text: string): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number))
    throw new InvalidArgumentError('A number is expected.');
  return number;
}

function headerOf(text: string, before: Headers | undefined): Headers {
  const [, name, value] = /^([^=\s]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined) throw new InvalidArgumentError('Use NAME=VALUE, such as retry-after=3.');
  return { ...before, [name]: value! };
}
