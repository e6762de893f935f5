// Metrics for Prometheus, with a registry for each cloud, so that clouds in one process do not
// share counters.
import { Counter, Histogram, Registry } from 'prom-client';

/** The labels of a reply. */
export interface Counted {
  readonly service: string;
  readonly region: string;
  readonly operation: string;
  readonly status: string;
}

export interface Metrics {
  readonly registry: Registry;
  count(counted: Counted, milliseconds: number): void;
}

export function openMetrics(): Metrics {
  const registry = new Registry();
  const requests = new Counter({
    name: 'cumulet_requests_total',
    help: 'Requests answered, by operation and status.',
    labelNames: ['service', 'region', 'operation', 'status'],
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'cumulet_request_seconds',
    help: 'Duration of requests.',
    labelNames: ['service', 'operation'],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers: [registry],
  });
  return {
    registry,
    count: ({ service, region, operation, status }, milliseconds) => {
      requests.inc({ service, region, operation, status });
      seconds.observe({ service, operation }, milliseconds / 1000);
    },
  };
}
