// Signatures of requests to S3, of which the service sends the text that the client signed: AWS
// version 2 (upstream calls it 1), and version 4. Upstream: api/s3tokens.py.
import { createHmac } from 'node:crypto';

const services = ['s3', 'iam', 'sts'];

/** Signs a text with the secret. Returns undefined for a text of version 4 that is malformed. */
export function s3SignatureOf(text: Buffer, secret: string): string | undefined {
  if (text.toString('latin1', 0, 4) !== 'AWS4')
    return createHmac('sha1', secret).update(text).digest('base64');
  const lines = text.toString().split('\n');
  const [algorithm, , scope = ''] = lines;
  const parts = scope.split('/');
  const [, , service = '', end] = parts;
  const isValid =
    algorithm === 'AWS4-HMAC-SHA256' &&
    lines.length === 4 &&
    parts.length === 4 &&
    end === 'aws4_request' &&
    services.includes(service);
  if (!isValid) return undefined;
  const key = parts.reduce<string | Buffer>(
    (above, part) => createHmac('sha256', above).update(part).digest(),
    `AWS4${secret}`,
  );
  return createHmac('sha256', key).update(text).digest('hex');
}
