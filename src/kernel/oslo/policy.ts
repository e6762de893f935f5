// The rule language of oslo.policy. A rule is parsed and compiled to a function when it is first
// evaluated, so that a start does not parse a thousand rules that nobody asks for.

import { loadYaml } from '../lazy.ts';
import { fieldHolds, parseField, type FieldCheck } from './field-check.ts';

/**
 * A rule in its source form: in the rule language, or as the older list (any of) of lists (all of)
 * of checks.
 */
export type RuleText = string | readonly (string | readonly string[])[];

/** Rules by name. */
export type Rules = Readonly<Record<string, string>>;

export type Scope = 'project' | 'domain' | 'system';

/**
 * A rule's default in a service's code. `deprecated` is the older rule, which stays valid with
 * `enforceNewDefaults: false`.
 */
export interface RuleDefault {
  readonly rule: string;
  readonly deprecated?: string;
  readonly scopes?: readonly Scope[];
  readonly description?: string;
}

export type RuleDefaults = Readonly<Record<string, string | RuleDefault>>;

/** The rules of an operator's policy file. */
export type RuleOverrides = Readonly<Record<string, RuleText>>;

/**
 * A caller's credentials, under the names that `oslo_context`'s `to_policy_values` uses. `null`
 * reads as Python's `None`, so that `project_id:%(project_id)s` holds between two nulls, as
 * upstream; an absent or undefined key equals nothing.
 */
export interface Credentials {
  user_id?: string | null | undefined;
  project_id?: string | null | undefined;
  domain_id?: string | null | undefined;
  user_domain_id?: string | null | undefined;
  project_domain_id?: string | null | undefined;
  roles: string[];
  system_scope?: string | null | undefined;
  is_admin?: boolean | undefined;
  service_roles?: string[] | undefined;
  [key: string]: unknown;
}

export type Target = Readonly<Record<string, unknown>>;

/**
 * The right side of a check: constant text, alternating with the keys of the target (at odd
 * indexes) whose values are inserted.
 */
export type Template = readonly string[];

/** A parsed rule. */
export type Check =
  | { readonly kind: 'always' | 'never' }
  | { readonly kind: 'and' | 'or'; readonly checks: readonly Check[] }
  | { readonly kind: 'not'; readonly check: Check }
  | { readonly kind: 'rule'; readonly name: string }
  | { readonly kind: 'role'; readonly match: Template }
  | FieldCheck
  | { readonly kind: 'literal'; readonly value: string; readonly match: Template }
  | { readonly kind: 'credential'; readonly path: readonly string[]; readonly match: Template };

export interface PolicyOptions {
  /**
   * Whether the deprecated rules of the defaults are ignored. True by default, as in `opts.py` of
   * oslo.policy.
   */
  readonly enforceNewDefaults?: boolean | undefined;
  /** The file name in problems of the overrides. */
  readonly fileName?: string | undefined;
}

export interface Policy {
  /**
   * Whether the rule allows it. An unknown rule is evaluated as the rule `default`, and denies if
   * there is no such rule either.
   */
  allows(name: string, credentials: Credentials, target: Target): boolean;
  /**
   * Whether the rule's scope_types include the scope of the token. An operator's override does not
   * change them.
   */
  scopeMatches(name: string, credentials: Credentials): boolean;
  /**
   * Checks all rules. Malformed and circular rules deny everything.
   * @returns the problems, each a sentence with file and rule
   */
  problems(): readonly string[];
}

type Test = (credentials: Credentials, target: Target) => boolean;

const always: Test = () => true;
const never: Test = () => false;

/**
 * Parses one rule. Upstream (`_parser.py`) logs a malformed rule, and lets the invalid check or the
 * whole rule deny; `loadPolicy` reports it, and lets the whole rule deny.
 * @throws Error with the invalid token
 */
export function parseRule(text: RuleText): Check {
  if (typeof text !== 'string') return parseLists(text);
  if (text === '') return { kind: 'always' };
  const tokens = tokenize(text);
  const [check, end] = parseOr(tokens, 0);
  if (end < tokens.length) throw new Error(`unexpected "${tokens[end]}" in "${text}"`);
  return check;
}

function parseLists(lists: Exclude<RuleText, string>): Check {
  if (lists.length === 0) return { kind: 'always' };
  const either = lists
    .filter((entry) => entry.length > 0)
    .map((entry) =>
      joined('and', typeof entry === 'string' ? [parseCheck(entry)] : entry.map(parseCheck)),
    );
  // A list of empty lists denies, although an empty list allows: _parse_list_rule in _parser.py
  // upstream.
  return either.length === 0 ? { kind: 'never' } : joined('or', either);
}

/**
 * Splits a rule at white space. Parentheses at the start and end of a word are tokens of their own;
 * those within a word belong to `%(key)s`.
 */
function tokenize(text: string): string[] {
  return text.split(/\s+/).flatMap((word) => {
    const [, open = '', body = '', close = ''] = /^(\(*)(.*?)(\)*)$/.exec(word) ?? [];
    return [...open.split(''), ...(body === '' ? [] : [body]), ...close.split('')];
  });
}

type Parsed = [check: Check, next: number];

function parseOr(tokens: readonly string[], at: number): Parsed {
  return parseSeries('or', parseAnd, tokens, at);
}

function parseAnd(tokens: readonly string[], at: number): Parsed {
  return parseSeries('and', parseOperand, tokens, at);
}

function parseSeries(
  word: 'and' | 'or',
  part: typeof parseOperand,
  tokens: readonly string[],
  at: number,
): Parsed {
  let [check, next] = part(tokens, at);
  const checks = [check];
  while (tokens[next]?.toLowerCase() === word) {
    [check, next] = part(tokens, next + 1);
    checks.push(check);
  }
  return [joined(word, checks), next];
}

function parseOperand(tokens: readonly string[], at: number): Parsed {
  const token = tokens[at];
  if (token === undefined) {
    throw new Error(
      at === 0
        ? 'a rule of blanks only; "" allows everyone'
        : `a check is missing after "${tokens[at - 1]}"`,
    );
  }
  if (token === '(') {
    const [check, end] = parseOr(tokens, at + 1);
    if (tokens[end] === undefined) throw new Error('a "(" is never closed');
    if (tokens[end] !== ')')
      throw new Error(`unexpected "${tokens[end]}" where "and", "or" or ")" is expected`);
    return [check, end + 1];
  }
  const word = token.toLowerCase();
  if (word === 'not') {
    const [check, end] = parseOperand(tokens, at + 1);
    return [{ kind: 'not', check }, end];
  }
  if (word === 'and' || word === 'or' || token === ')')
    throw new Error(`unexpected "${token}" where a check is expected`);
  return [parseCheck(token), at + 1];
}

function joined(kind: 'and' | 'or', checks: readonly Check[]): Check {
  const [only] = checks;
  return only !== undefined && checks.length === 1 ? only : { kind, checks };
}

function parseCheck(token: string): Check {
  if (token === '@') return { kind: 'always' };
  if (token === '!') return { kind: 'never' };
  const colon = token.indexOf(':');
  if (colon < 1) throw new Error(`"${token}" is not a check: "kind:match", "@" or "!" is expected`);
  const left = token.slice(0, colon);
  const right = token.slice(colon + 1);
  if (left === 'http' || left === 'https')
    throw new Error(`"${token}": checks by a remote server are not supported`);
  if (left === 'rule') return { kind: 'rule', name: right };
  if (left === 'field') return parseField(right, token);
  const match = parseTemplate(right, token);
  if (left === 'role') return { kind: 'role', match };
  const value = literalText(left);
  if (value !== undefined) return { kind: 'literal', value, match };
  if (/['"%()[\]{}\\]/.test(left)) {
    throw new Error(
      `"${token}": "${left}" is neither a key of the credentials nor a quoted word, ` +
        'number, True, False or None',
    );
  }
  return { kind: 'credential', path: left.split('.'), match };
}

/**
 * Python's `str()` of a literal on the left of a check, which upstream reads with
 * `ast.literal_eval`; undefined for a path of credentials.
 */
function literalText(left: string): string | undefined {
  if (left === 'True' || left === 'False' || left === 'None') return left;
  const quoted = /^(['"])([^'"\\]*)\1$/.exec(left);
  if (quoted) return quoted[2];
  if (/^-?(0|[1-9]\d*)$/.test(left)) return String(BigInt(left));
  if (/^-?(\d+\.\d*|\.\d+)$/.test(left))
    return Number.isInteger(Number(left)) ? `${Number(left)}.0` : String(Number(left));
  return undefined;
}

function parseTemplate(right: string, token: string): Template {
  const parts = right.split(/%\(([^()]*)\)s/);
  return parts.map((part, place) => {
    if (place % 2 === 1) return part;
    if (part.replaceAll('%%', '').includes('%'))
      throw new Error(`"${token}": only %(key)s may follow a "%"`);
    return part.replaceAll('%%', '%');
  });
}

/**
 * Builds a policy from a service's defaults and an operator's overrides. It never throws: see
 * `problems`.
 */
export function loadPolicy(
  defaults: RuleDefaults,
  overrides: RuleOverrides,
  options: PolicyOptions = {},
): Policy {
  const names = [...new Set([...Object.keys(defaults), ...Object.keys(overrides)])];
  const defaultOf = (name: string): RuleDefault | undefined => {
    const entry = Object.hasOwn(defaults, name) ? defaults[name] : undefined;
    return typeof entry === 'string' ? { rule: entry } : entry;
  };
  const overrideOf = (name: string): RuleText | undefined =>
    Object.hasOwn(overrides, name) ? overrides[name] : undefined;
  const parsed = new Map<string, Check>(); // a few texts serve most operations of a service
  const parse = (text: string): Check => {
    const check = parsed.get(text) ?? parseRule(text);
    parsed.set(text, check);
    return check;
  };
  const read = (name: string): Check | undefined => {
    const override = overrideOf(name);
    if (override !== undefined) return parseRule(override);
    const { rule, deprecated } = defaultOf(name) ?? {};
    if (rule === undefined) return undefined;
    const old = options.enforceNewDefaults === false ? deprecated : undefined;
    return old === undefined ? parse(rule) : joined('or', [parse(rule), parse(old)]);
  };
  const problems: string[] = [];
  const report = (name: string, text: string): void => {
    const where =
      overrideOf(name) === undefined
        ? `default of rule "${name}"`
        : `${options.fileName ?? 'policy file'}: rule "${name}"`;
    problems.push(`${where}: ${text}`);
  };
  const tests = new Tests(read, report);
  return {
    allows: (name, credentials, target) =>
      (tests.of(name) ?? tests.of('default') ?? never)(credentials, target),
    scopeMatches(name, credentials) {
      const scopes = defaultOf(name)?.scopes ?? [];
      return !scopes.length || scopes.includes(scopeOf(credentials));
    },
    problems() {
      for (const name of names) tests.of(name);
      return problems;
    },
  };
}

type Report = (name: string, text: string) => void;

/**
 * The compiled rules. Circular rules deny, and each circle is reported once; upstream only warns,
 * and fails with a recursion error when such a rule is checked. As upstream, a reference to an
 * unknown rule means the rule `default`.
 */
class Tests {
  private readonly read: (name: string) => Check | undefined;
  private readonly report: Report;
  private readonly checks = new Map<string, Check>();
  private readonly compiled = new Map<string, Test>();
  private readonly circular = new Set<string>();

  /**
   * @param read returns the parsed rule of a name, or undefined if the policy has no such rule; it
   *   throws an Error if the rule is malformed
   * @param report receives each problem with the name of its rule
   */
  constructor(read: (name: string) => Check | undefined, report: Report) {
    this.read = read;
    this.report = report;
  }

  /** The test of a rule; undefined if there is no such rule. */
  of(name: string): Test | undefined {
    return this.compiled.get(name) ?? this.resolve(name, []);
  }

  private resolve(name: string, path: readonly string[]): Test | undefined {
    const known = this.compiled.get(name);
    if (known) return known;
    const check = this.checkOf(name);
    if (check === undefined) return undefined;
    const start = path.indexOf(name);
    if (start >= 0) {
      for (const member of path.slice(start)) this.circular.add(member);
      this.report(
        name,
        `the rules refer to each other in a circle: ${[...path.slice(start), name].join(' -> ')}`,
      );
      return never;
    }
    const test = compile(check, (wanted) => {
      const isMissing = this.checkOf(wanted) === undefined;
      if (isMissing)
        this.report(
          name,
          `"rule:${wanted}" is not ` +
            `defined${this.checkOf('default') ? ', so "default" is asked' : ''}`,
        );
      return this.resolve(isMissing ? 'default' : wanted, [...path, name]) ?? never;
    });
    this.compiled.set(name, this.circular.has(name) ? never : test);
    return this.compiled.get(name);
  }

  private checkOf(name: string): Check | undefined {
    const check = this.checks.get(name) ?? this.parsedOrNever(name);
    if (check) this.checks.set(name, check);
    return check;
  }

  private parsedOrNever(name: string): Check | undefined {
    try {
      return this.read(name);
    } catch (error) {
      this.report(name, (error as Error).message);
      return { kind: 'never' };
    }
  }
}

function compile(check: Check, reference: (name: string) => Test): Test {
  switch (check.kind) {
    case 'always':
      return always;
    case 'never':
      return never;
    case 'rule':
      return reference(check.name);
    case 'not': {
      const test = compile(check.check, reference);
      return (credentials, target) => !test(credentials, target);
    }
    case 'and': {
      const tests = check.checks.map((part) => compile(part, reference));
      return (credentials, target) => tests.every((test) => test(credentials, target));
    }
    case 'or': {
      const tests = check.checks.map((part) => compile(part, reference));
      return (credentials, target) => tests.some((test) => test(credentials, target));
    }
    case 'field':
      return (_credentials, target) => fieldHolds(check, target);
    case 'role':
      return roleTest(renderer(check.match));
    case 'literal': {
      const render = renderer(check.match);
      return (_credentials, target) => render(target) === check.value;
    }
    default:
      return credentialTest(check.path, renderer(check.match));
  }
}

type Render = (target: Target) => string | undefined;

function roleTest(render: Render): Test {
  return (credentials, target) => {
    const role = render(target)?.toLowerCase();
    return role !== undefined && credentials.roles.some((held) => held.toLowerCase() === role);
  };
}

function credentialTest(path: readonly string[], render: Render): Test {
  return (credentials, target) => {
    const wanted = render(target);
    if (wanted === undefined) return false;
    // Enforcer.enforce in upstream's policy.py adds a second name for the scope before it checks
    // any rule.
    if (path[0] === 'system' && credentials.system_scope)
      return path.length === 1 && credentials.system_scope === wanted;
    return holds(credentials, path, 0, wanted);
  };
}

/**
 * Whether the value at the path is the wanted text. If the path leads through a list, any element
 * may match.
 */
function holds(value: unknown, path: readonly string[], at: number, wanted: string): boolean {
  const key = path[at];
  if (key === undefined) return textOf(value) === wanted;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return false;
  const found = (value as Readonly<Record<string, unknown>>)[key];
  if (Array.isArray(found)) return found.some((element) => holds(element, path, at + 1, wanted));
  return holds(found, path, at + 1, wanted);
}

/**
 * The text of a template for a target; undefined, which matches nothing, if the target lacks one of
 * its keys.
 */
function renderer(template: Template): Render {
  const [constant = ''] = template;
  if (template.length === 1) return () => constant;
  return (target) => {
    let text = '';
    for (const [place, part] of template.entries()) {
      const piece =
        place % 2 === 0 ? part : Object.hasOwn(target, part) ? textOf(target[part]) : undefined;
      if (piece === undefined) return undefined;
      text += piece;
    }
    return text;
  };
}

/**
 * Python's `str()`, for which rules are written: `True:%(user.enabled)s`. Lists and mappings have
 * no text.
 */
function textOf(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return value;
    case 'boolean':
      return value ? 'True' : 'False';
    case 'number':
    case 'bigint':
      return String(value);
    default:
      return value === null ? 'None' : undefined;
  }
}

function scopeOf(credentials: Credentials): Scope {
  if (credentials.system_scope || credentials['system']) return 'system';
  return credentials.domain_id ? 'domain' : 'project';
}

/**
 * Reads a policy file in YAML or JSON. `loadPolicy` checks the rules in it.
 * @throws Error with the file name if the file is not a mapping of names to rules
 */
export function readPolicyFile(yamlText: string, fileName: string): RuleOverrides {
  // PyYAML uses the last of duplicate keys, and supports merge keys.
  const { isMap, isScalar, parseDocument } = loadYaml();
  const document = parseDocument(yamlText, { uniqueKeys: false, merge: true });
  const [flaw] = [...document.errors, ...document.warnings];
  if (flaw) throw new Error(`${fileName}: ${flaw.message.split('\n')[0]?.replace(/:$/, '')}`);
  // An unquoted ! is a YAML tag: upstream reads `name: !` as no value, which allows everyone.
  const bare = isMap(document.contents)
    ? document.contents.items.find(
        ({ value }) => isScalar(value) && value.tag === '!' && value.value === '',
      )
    : undefined;
  if (bare) throw new Error(`${fileName}: rule "${String(bare.key)}": "!" must stand in quotes`);

  const content: unknown = document.toJS({ mapAsMap: true });
  if (content === null) return {};
  if (!(content instanceof Map)) {
    throw new Error(
      `${fileName}: a mapping of rule names to rules is expected, such as "compute:get": ` +
        '"role:reader"',
    );
  }
  return Object.fromEntries(
    [...content].map(([name, rule]: [unknown, unknown]) => {
      if (isRuleText(rule)) return [String(name), rule];
      throw new Error(
        `${fileName}: rule "${String(name)}": text in quotes is expected ("@" allows ` +
          'everyone, "!" no one)',
      );
    }),
  );
}

function isRuleText(rule: unknown): rule is RuleText {
  if (typeof rule === 'string') return true;
  const isText = (entry: unknown): boolean => typeof entry === 'string';
  return (
    Array.isArray(rule) &&
    rule.every((entry) => isText(entry) || (Array.isArray(entry) && entry.every(isText)))
  );
}
