// The actions that --latency can make take time.
const cluster = [
  'create',
  'delete',
  'update',
  'resize',
  'scaleIn',
  'scaleOut',
  'check',
  'recover',
  'operation',
];
const node = ['create', 'delete', 'update', 'check', 'recover', 'operation'];

export const latencies: readonly string[] = [
  ...cluster.map((name) => `cluster.${name}`),
  ...node.map((name) => `node.${name}`),
];
