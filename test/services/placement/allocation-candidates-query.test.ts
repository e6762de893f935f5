// The query of GET /allocation_candidates: the parameters of each version, and the errors for
// invalid values.
import { expect } from 'chai';
import { onEachDatabase } from '../../support/cloud.ts';
import { aggregate, senderFor, expectRefusal, makeProvider, newest, provider } from './helpers.ts';

const one = aggregate(1);
const two = aggregate(2);
const tree = provider(1);
const invalid = 'Invalid query string parameters: ';
const traitForm = `${invalid}Expected 'required' parameter value of the form: `;
const anyForm = `${invalid}The format 'in:HW_CPU_X86_VMX,CUSTOM_MAGIC'`;
const policyMissing =
  'The "group_policy" parameter is required when specifying more than one "resources{N}" ' +
  'parameter.';

/** Queries, the version that introduced them, and the error of the version before. */
const news: readonly (readonly [since: string, query: string, before: string | RegExp])[] = [
  ['1.16', 'resources=VCPU:1&limit=1', /'limit' was unexpected/],
  ['1.17', 'resources=VCPU:1&required=CUSTOM_A', /'required' was unexpected/],
  ['1.21', `resources=VCPU:1&member_of=${one}`, /'member_of' was unexpected/],
  ['1.21', `resources=VCPU:1&member_of=in:${one},${two}`, /'member_of' was unexpected/],
  [
    '1.22',
    'resources=VCPU:1&required=!CUSTOM_A',
    `${traitForm}HW_CPU_X86_VMX,CUSTOM_MAGIC. Got: !CUSTOM_A`,
  ],
  [
    '1.24',
    `resources=VCPU:1&member_of=${one}&member_of=${two}`,
    'Multiple member_of parameters are not supported',
  ],
  ['1.25', 'resources1=VCPU:1', /('resources1' was unexpected|'resources' is a required property)/],
  ['1.25', 'resources=VCPU:1&group_policy=none', /'group_policy' was unexpected/],
  ['1.31', `resources=VCPU:1&in_tree=${tree}`, /'in_tree' does not match any of the regexes/],
  ['1.31', `resources1=VCPU:1&in_tree1=${tree}`, /'in_tree1' does not match any of the regexes/],
  [
    '1.32',
    `resources=VCPU:1&member_of=!${one}`,
    'Forbidden member_of parameters are not supported in the specified microversion',
  ],
  [
    '1.32',
    `resources1=VCPU:1&member_of1=!in:${one},${two}`,
    'Forbidden member_of1 parameters are not supported in the specified microversion',
  ],
  ['1.33', 'resources_a-B=VCPU:1', /'resources_a-B' does not match any of the regexes/],
  [
    '1.35',
    'resources=VCPU:1&root_required=CUSTOM_A',
    /'root_required' does not match any of the regexes/,
  ],
  ['1.36', 'resources1=VCPU:1&same_subtree=1', /'same_subtree' does not match any of the regexes/],
  [
    '1.39',
    'resources=VCPU:1&required=in:CUSTOM_A,CUSTOM_B',
    `${anyForm} only supported since microversion 1.39. Got: in:CUSTOM_A,CUSTOM_B`,
  ],
];

/** Invalid queries with the message, the code and the version (the newest one by default). */
const refused: readonly (readonly [
  query: string,
  message: string | RegExp,
  code?: string | undefined,
  version?: string,
])[] = [
  // errors of the schema
  ['', /^Invalid query string parameters: 'resources' is a required property/, undefined, '1.24'],
  [
    'resources=VCPU:1&foo=1',
    /Additional properties are not allowed \('foo' was unexpected\)/,
    undefined,
    '1.24',
  ],
  [
    'resources=VCPU:1&foo=1',
    /'foo' does not match any of the regexes: '\^in_tree\(\[a-zA-Z0-9_-\]\{1,64\}\)\?\$', '\^member_of\(\[a-zA-Z0-9_-\]\{1,64\}\)\?\$', '\^required\(\[a-zA-Z0-9_-\]\{1,64\}\)\?\$', '\^resources\(\[a-zA-Z0-9_-\]\{1,64\}\)\?\$'/,
  ],
  ['resources=VCPU:1&a[b]=1', /'a\[b\]' does not match any of the regexes/],
  ['resources=VCPU:1&limit=0', /'0' does not match '\^\[1-9\]\[0-9\]\*\$'/],
  ['resources=VCPU:1&limit=-1', /'-1' does not match/],
  ['resources=VCPU:1&limit=5&limit=x', /'x' does not match/],
  ['resources=VCPU:1&limit=x&limit=5', /'x' does not match/],
  ['resources1=VCPU:1&group_policy=bad', /'bad' is not one of \['none', 'isolate'\]/],
  ['resources0=VCPU:1', /'resources0' does not match any of the regexes/, undefined, '1.32'],
  ['resources01=VCPU:1', /'resources01' does not match any of the regexes/, undefined, '1.32'],
  ['resources.=VCPU:1', /'resources\.' does not match any of the regexes/],
  [`resources${'a'.repeat(65)}=VCPU:1`, /does not match any of the regexes/],
  ['resources=%ff', /^Invalid query string parameters: 'utf-8' codec can't decode/],
  // resources
  [
    'resources=',
    'Badly formed resources parameter. Expected resources query string parameter in form: ' +
      '?resources=VCPU:2,MEMORY_MB:1024. Got: empty string.',
  ],
  [
    'resources=VCPU',
    'Badly formed resources parameter. Expected resources query string parameter in form: ' +
      '?resources=VCPU:2,MEMORY_MB:1024. Got: VCPU.',
  ],
  ['resources=VCPU:fred', 'Requested resource VCPU expected positive integer amount. Got: fred.'],
  ['resources=VCPU:-2', 'Requested resource VCPU requires amount >= 1. Got: -2.'],
  [
    'resources=NOPE:1',
    'Invalid resource class in resources parameter: No such resource class NOPE.',
  ],
  // traits
  [
    'resources=VCPU:1&required=',
    `${traitForm}HW_CPU_X86_VMX,CUSTOM_MAGIC. Got an empty trait in: `,
    undefined,
    '1.21',
  ],
  [
    'resources=VCPU:1&required=CUSTOM_A,',
    `${traitForm}HW_CPU_X86_VMX,!CUSTOM_MAGIC. Got an empty trait in: CUSTOM_A,`,
  ],
  [
    'resources=VCPU:1&required=in:',
    `${traitForm}in:HW_CPU_X86_VMX,CUSTOM_MAGIC. Got an empty trait in: in:`,
  ],
  [
    'resources=VCPU:1&required=in:!CUSTOM_A',
    `${anyForm} does not support forbidden traits. Got: in:!CUSTOM_A`,
  ],
  ['resources=VCPU:1&required=CUSTOM_NOPE', 'No such trait(s): CUSTOM_NOPE.'],
  ['resources=VCPU:1&required=!CUSTOM_NOPE', 'No such trait(s): CUSTOM_NOPE.'],
  ['resources=VCPU:1&root_required=CUSTOM_NOPE', 'No such trait(s): CUSTOM_NOPE.'],
  [
    'resources=VCPU:1&required=CUSTOM_A,!CUSTOM_A',
    'Conflicting required and forbidden traits found in the following traits keys: required: ' +
      '(CUSTOM_A)',
  ],
  [
    'resources=VCPU:1&required=in:CUSTOM_A,CUSTOM_B&required=!CUSTOM_A,!CUSTOM_B&resources1=VCPU:1&required1=CUSTOM_A,!CUSTOM_A',
    'Conflicting required and forbidden traits found in the following traits keys: ' +
      'required1: (CUSTOM_A), required: (CUSTOM_A, CUSTOM_B)',
  ],
  [
    'resources=VCPU:1&required=CUSTOM_A,!CUSTOM_A,CUSTOM_B,!CUSTOM_B',
    'Conflicting required and forbidden traits found in the following traits keys: required: ' +
      '(CUSTOM_A), required: (CUSTOM_B)',
  ],
  // aggregates and trees
  [
    `resources=VCPU:1&member_of=${one},${two}`,
    "Multiple values for 'member_of' must be prefixed with the 'in:' or '!in:' keyword using " +
      `the valid microversion. Got: ${one},${two}`,
  ],
  [
    'resources=VCPU:1&member_of=x',
    `${invalid}Expected 'member_of' parameter to contain valid UUID(s). Got: x`,
  ],
  [
    `resources1=VCPU:1&member_of1=${one}&member_of1=${two}`,
    /^Invalid query string parameters|^Multiple member_of1 parameters/,
    undefined,
    '1.23',
  ],
  [
    'resources=VCPU:1&in_tree=zz',
    `${invalid}Expected 'in_tree' parameter to be a format of uuid. Got: zz`,
  ],
  // the root
  [
    'resources=VCPU:1&root_required=CUSTOM_A&root_required=CUSTOM_B',
    "Query parameter 'root_required' may be specified only once.",
    'placement.query.duplicate_key',
  ],
  [
    'resources=VCPU:1&root_required=in:CUSTOM_A,CUSTOM_B',
    `${anyForm} only supported since microversion 1.39. Got: in:CUSTOM_A,CUSTOM_B`,
  ],
  [
    'resources=VCPU:1&root_required=CUSTOM_A,!CUSTOM_A',
    'Conflicting required and forbidden traits found in root_required: CUSTOM_A',
    'placement.query.bad_value',
  ],
  // subtrees and groups without resources
  [
    'resources1=VCPU:1&same_subtree=1,',
    'Empty string (unsuffixed group) can not be specified in `same_subtree` ',
    'placement.query.bad_value',
  ],
  [
    'resources1=VCPU:1&same_subtree=5',
    "Real suffixes should be specified in `same_subtree`: ['5'] not found in ['1'].",
    'placement.query.bad_value',
  ],
  [
    'required1=CUSTOM_A&same_subtree=1',
    'There must be at least one resources or resources[$S] parameter.',
    'placement.query.missing_value',
  ],
  [
    '',
    'There must be at least one resources or resources[$S] parameter.',
    'placement.query.missing_value',
  ],
  [
    'resources1=VCPU:1&required2=CUSTOM_A&group_policy=none',
    'Resourceless suffixed group request should be specified in `same_subtree` query param: ' +
      "bad group(s) - ['2'].",
    'placement.query.bad_value',
  ],
  [
    'resources1=VCPU:1&required=CUSTOM_A',
    'Resourceless suffixed group request should be specified in `same_subtree` query param: ' +
      "bad group(s) - [''].",
    'placement.query.bad_value',
  ],
  ['resources1=VCPU:1&required2=CUSTOM_A&same_subtree=2', policyMissing],
  // orphans, before 1.36
  [
    'required=CUSTOM_A&required1=CUSTOM_A',
    'All traits parameters must be associated with resources.  Found the following orphaned ' +
      'traits keys: required, required1',
    undefined,
    '1.35',
  ],
  [
    `resources=VCPU:1&member_of3=${one}`,
    'All member_of parameters must be associated with resources. Found the following ' +
      'orphaned member_of keys: member_of3',
    undefined,
    '1.35',
  ],
  [
    `resources=VCPU:1&in_tree1=${tree}`,
    'All request groups must specify resources.',
    undefined,
    '1.35',
  ],
  [
    'group_policy=none',
    'At least one request group (`resources` or `resources{$S}`) is required.',
    undefined,
    '1.35',
  ],
  // the policy
  ['resources1=VCPU:1&resources2=VCPU:1', policyMissing],
];

/** Shortens a query for the title of a test. */
const shortened = (query: string): string =>
  query.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'UUID').replace(/a{65}/, 'a...');

onEachDatabase('Placement: query of allocation candidates', { auth: 'noauth2' }, (world) => {
  const send = senderFor(world);
  const get = (query: string, version = newest) =>
    send(`GET /allocation_candidates?${query}`, version);
  const before = (version: string): string => `1.${Number(version.slice(2)) - 1}`;

  beforeEach(async () => {
    await makeProvider(send, tree, {
      inventories: { VCPU: 4 },
      traits: ['CUSTOM_A', 'CUSTOM_B'],
      aggregates: [one, two],
    });
  });

  describe('GET /allocation_candidates', () => {
    it('returns 404 before 1.10', async () => {
      expectRefusal(await get('resources=VCPU:1', '1.9'), 404, '');
      await get('resources=VCPU:1', '1.10').expect(200);
    });

    for (const [since, query, message] of news) {
      it(`accepts ${shortened(query)} from ${since} on`, async () => {
        await get(query, since).expect(200);
        expectRefusal(await get(query, before(since)), 400, message);
      });
    }

    for (const [query, message, code, version = newest] of refused) {
      it(`returns 400 at ${version} for '${shortened(query)}'`, async () => {
        expectRefusal(await get(query, version), 400, message, code);
      });
    }

    it('uses the last resources, the first limit and the first group_policy', async () => {
      const { body } = await get('resources=VCPU:9&resources=VCPU:2').expect(200);
      expect(body.allocation_requests[0].allocations[tree].resources).to.deep.equal({ VCPU: 2 });
      await makeProvider(send, provider(2), { inventories: { VCPU: 4 } });
      expect(
        (await get('resources=VCPU:1&limit=1&limit=2').expect(200)).body.allocation_requests,
      ).to.have.length(1);
      const groups = 'resources1=VCPU:1&resources2=VCPU:1&group_policy=isolate&group_policy=none';
      expect((await get(groups).expect(200)).body.allocation_requests).to.deep.equal([]);
    });

    it('validates the whole query before it looks up names', async () => {
      expectRefusal(await get('resources=NOPE:1&required1='), 400, /Got an empty trait in/);
      expectRefusal(
        await get('resources=NOPE:1&resources1=VCPU:1&resources2=VCPU:1'),
        400,
        policyMissing,
      );
    });

    it('returns no candidates for an unknown tree or aggregate, or a large amount', async () => {
      for (const query of [`in_tree=${provider(9)}`, `member_of=${aggregate(9)}`]) {
        expect((await get(`resources=VCPU:1&${query}`).expect(200)).body).to.deep.equal({
          allocation_requests: [],
          provider_summaries: {},
        });
      }
      expect(
        (await get('resources=VCPU:99999999999999999999').expect(200)).body.allocation_requests,
      ).to.deep.equal([]);
      expect(
        (await get(`resources=VCPU:1&member_of=!${aggregate(9)}`).expect(200)).body
          .allocation_requests,
      ).to.have.length(1);
    });
  });

  it('returns 400 for an unknown name only if all earlier groups have candidates', async () => {
    await makeProvider(send, provider(2), {
      inventories: { PCPU: 4 },
      traits: ['CUSTOM_A'],
      aggregates: [two],
    });
    const later = 'resources1=PCPU:1&required1=CUSTOM_NOPE';
    const message = 'No such trait(s): CUSTOM_NOPE.';
    const empty = { allocation_requests: [], provider_summaries: {} };
    const candidates = (query: string) => send(`GET /allocation_candidates?${query}`, newest);
    expectRefusal(await candidates(`resources=PCPU:1&${later}`), 400, message);
    for (const group of [
      'PCPU:5',
      `PCPU:1&in_tree=${provider(9)}`,
      `PCPU:1&member_of=${one}`,
      'PCPU:1&required=!CUSTOM_A',
      'PGPU:1',
    ])
      expect(
        (await candidates(`resources=${group}&${later}`).expect(200)).body,
        group,
      ).to.deep.equal(empty);
    expectRefusal(
      await candidates('resources1=PCPU:1&required1=CUSTOM_NOPE&resources=PCPU:5'),
      400,
      message,
    );
    expect((await candidates('resources=PCPU:5&resources1=NOPE:1').expect(200)).body).to.deep.equal(
      empty,
    );
    expectRefusal(
      await candidates('resources=PCPU:1&resources1=NOPE:1'),
      400,
      'Invalid resource class in resources parameter: No such resource class NOPE.',
    );
  });

  it('searches for roots and aggregates before it looks up the traits of a group', async () => {
    await makeProvider(send, provider(2), {
      inventories: { PCPU: 4 },
      traits: ['CUSTOM_A'],
      aggregates: [two],
    });
    const candidates = (query: string) => send(`GET /allocation_candidates?${query}`, newest);
    for (const query of ['root_required=!CUSTOM_A', `member_of=${aggregate(3)}`])
      expect(
        (await candidates(`resources=PCPU:1&required=CUSTOM_NOPE&${query}`).expect(200)).body,
      ).to.deep.include({ allocation_requests: [] });
    for (const query of ['root_required=CUSTOM_A', `member_of=${two}`, `in_tree=${provider(9)}`])
      expectRefusal(
        await candidates(`resources=PCPU:1&required=CUSTOM_NOPE&${query}`),
        400,
        'No such trait(s): CUSTOM_NOPE.',
      );
  });
});
