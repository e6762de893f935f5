// Counters for Prometheus: one registry a cloud, so that two clouds in a process do not see each other's.
import { Counter, Histogram, Registry } from 'prom-client';
import type { Call, Reply } from './http/reply.ts';

export interface Metrics {
  readonly registry: Registry;
  told(call: Call, reply: Reply, milliseconds: number): void;
}

export function openMetrics(): Metrics {
  const registry = new Registry();
  const labelNames = ['service', 'region', 'operation', 'status'];
  const requests = new Counter({
    name: 'cumulet_requests_total',
    help: 'Answers given, by operation and status.',
    labelNames,
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'cumulet_request_seconds',
    help: 'How long answers took.',
    labelNames: ['service', 'operation'],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers: [registry],
  });
  return {
    registry,
    told: (call, reply, milliseconds) => {
      const service = call.service?.card.name ?? 'none';
      const operation = call.operation?.id ?? 'unknown';
      requests.inc({ service, region: call.region.name, operation, status: String(reply.status) });
      seconds.observe({ service, operation }, milliseconds / 1000);
    },
  };
}
