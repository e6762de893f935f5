// Links a request with the explanation of its failed decision: in the log, the journal and, if
// asked for, a header.
import { configuredOrigin } from '../../kernel/settings.ts';
import type { Interceptor, Reply, RoutedRequest } from '../../kernel/model.ts';

declare module '../../kernel/model.ts' {
  interface IncomingRequest {
    /** The address of the explanation, if the request has failed because of a decision. */
    explanation?: string;
  }
}

export const explanationLinks: Interceptor = {
  async aroundHandler(request, next): Promise<Reply> {
    try {
      const reply = await next();
      // A decision may fail without an error: an empty list of candidates, or a server in ERROR.
      link(request);
      return reply;
    } catch (error) {
      link(request);
      throw error;
    }
  },
};

function link(request: RoutedRequest): void {
  const { cloud, requestId } = request;
  if (!cloud.explanations.hasFailure(requestId)) return;
  const { config } = cloud;
  const path = `/_emulator/explain/requests/${encodeURIComponent(requestId)}`;
  const url = `${configuredOrigin(config)}${path}`;
  request.explanation = url;
  request.logFields = { ...request.logFields, explanation: url };
  if (config.explainHeader)
    request.replyHeaders = { ...request.replyHeaders, 'x-cumulet-explain': url };
}
