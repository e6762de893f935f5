// What fault injection keeps on a cloud and on a request.
import type { FaultRule } from './store.ts';

/** The fault rules, the oldest first, as this process last read them, at their revision then. */
export interface FaultRuleCache {
  revision: number;
  rules: readonly FaultRule[];
}

declare module '../../kernel/model.ts' {
  interface Cloud {
    readonly faultRules: FaultRuleCache;
  }
  interface IncomingRequest {
    /** The id of the fault rule that ended the request. */
    faultRule?: number;
    /** The ids of all fault rules that affected the request, also of those that only delayed it. */
    faultRules?: readonly number[];
  }
}
