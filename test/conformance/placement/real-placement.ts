// The real Placement, which gets the same providers as the emulator.
import type {
  ReferenceCandidate,
  ReferenceProvider,
} from '../../services/placement/reference-search.ts';
import { debianVersion, PythonProcess } from '../python.ts';

/** A request to Placement: a path, and a version such as 1.39. */
export interface Question {
  readonly path: string;
  readonly version: string;
}

export interface Reply {
  readonly status: number;
  readonly text: string;
}

export class RealPlacement {
  readonly version = debianVersion('python3-placement');
  private readonly python: PythonProcess;

  private constructor(python: PythonProcess) {
    this.python = python;
  }

  /** @returns undefined if it is not installed */
  static start(): RealPlacement | undefined {
    const script = new URL('placement.py', import.meta.url);
    const python = PythonProcess.start(script, 'placement.deploy');
    return python && new RealPlacement(python);
  }

  /** Replaces all providers, and sends requests. */
  async ask(
    providers: readonly ReferenceProvider[],
    questions: readonly Question[],
  ): Promise<Reply[]> {
    const requests = questions.map(({ path, version }) => [path, version]);
    const replies = (await this.python.ask({ providers, requests })) as [number, string][];
    return replies.map(([status, text]) => ({ status, text }));
  }

  stop(): Promise<void> {
    return this.python.stop();
  }
}

interface ListedCandidate {
  readonly allocations: unknown;
  readonly mappings?: Record<string, string[]>;
}

/** The candidates of a reply of any version in the same form. */
export const candidatesIn = ({ text }: Reply): ReferenceCandidate[] =>
  (JSON.parse(text) as { allocation_requests: ListedCandidate[] }).allocation_requests.map(
    ({ allocations, mappings = {} }) => ({ allocations: amountsOf(allocations), mappings }),
  );

function amountsOf(allocations: unknown): Record<string, Record<string, number>> {
  type Named = { resource_provider: { uuid: string }; resources: Record<string, number> };
  if (Array.isArray(allocations))
    return Object.fromEntries(
      (allocations as Named[]).map((one) => [one.resource_provider.uuid, one.resources]),
    );
  return Object.fromEntries(
    Object.entries(allocations as Record<string, Named>).map(([uuid, one]) => [
      uuid,
      one.resources,
    ]),
  );
}
