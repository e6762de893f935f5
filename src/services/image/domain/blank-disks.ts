// Blank disks: images that have a size but store no data, such as those of volumes. Hashing some
// gigabytes of zeros would take seconds, so the digests of the sizes that tests use are kept here.
import type { Image } from '../model.ts';

const gibibyte = 1024 ** 3;

/** The MD5 and the SHA-512 of so many GiB of zeros, from 1 on, in base64. */
const digests: readonly (readonly [md5: string, sha512: string])[] = [
  [
    'zVc8+qzgfnlJvAxGAokE/w==',
    'xQQa4WPPD2VgCs/n9qY/ISEBaH1BpXpOGP/SoHpFLNgXW49aSGjdIzC/5a4SPxgha9vJ4PgNEx5kuUkTp7QLtQ==',
  ],
  [
    'qYETDPK34J9GhtwnPPcYfg==',
    'BBTKxZjr+gjo6cbSVEqkFDhbmYXF1n16h0aqZDJMcV+pb/YzUQFtMN0riSdiUsEhxxYZ8VSWtcqVeF0LJf5N/Q==',
  ],
  [
    'xpjIf7UwWNSTSSth9MdBiQ==',
    'v1VKYVUdJQWF7P5sgrFKPiZZQxHyfUMygHaNnUvNja3b0YCmYRALHdJDfZlmlu4zMwjBm4pRm7rMSel7XxAWSA==',
  ],
  [
    'yaWmh42XtIzJZcHkGFnwNA==',
    'Q7XG9DT3HaroClAiEtyMDp5S2LB11YmvpDAJLq8tf5YMsJfLXsZWzer4fVqeYfqOgWZbB/QGZf2LCbauzLfwLw==',
  ],
  [
    '7EvMh3bqBEebeG4GOprORQ==',
    '5PIZl0B7nLDfNH9uui/q6xTBnxXPeE2ga3jh1f93akGVNciU3qEKhZ+nK8sjTpStoPyG3g/xJ7+SgO7ejUc+2w==',
  ],
  [
    'WM9jinM/kZAHtCh89TltDA==',
    'rodZN+/NnuzmstW77We9vYTkZUKs5F/296UygKoZYN6dlgxvnEmYp+QMqK9UpH9A35hkv5BX0OdXSVtmE+b3FA==',
  ],
  [
    '39zbwIcGp2MYANGhc+eE/A==',
    'MgFm/PD9wt2t2I8/WJmW9TDnVfZUqhOqpDmdFEYSXmAbiTE4IfVnL8pGG3D1+HPxH6KEvqasOVUHYrnhJ0oKVw==',
  ],
  [
    't3A1H62uWpa7r5cC7ZfSjQ==',
    'zMGLCOPHBajrztHBk16BaaKV2bBHnmhCHFtqyQSeknp5p8bGlPfsJJqXev8/dWowfMtmI55Yxg3rLZZO0hsmUw==',
  ],
  [
    'l2BgCcMwnToLS0Cun63HIA==',
    'bCJZCYk+CU5i7foeUQrf4ejGr2OtncmwSFUmUFbqDH3IKZo2t2eEMMRNKMpwv1hYTiBbntpm8LSwt/I3WohuAg==',
  ],
  [
    'LdJsTUeZ69Kfox5I1J6OUw==',
    'Cp7UOWhocAeEkYqDpZWEXXDlgusOYlxIrOJPTulOcFJH4hAznF9aVeWX8A0sMhewwHl+G/xhcWHgDeluruLQaA==',
  ],
  [
    'tMftjosjDkptQevY6ervpA==',
    '5tRK68nM/cTHuy0hqqNcTd4fCT12sCqta+tfvzRxYcFzPPfGfY3LRIBHdDGGa3aBgcrTQ/3hSIx4T+izh4TFrw==',
  ],
  [
    'hTMLur0DxxFps9FM4a4d/w==',
    'OjlHzmJL0eJmPfdbBhxHPNe2lchpxGqOaaMSONyekQzqy4AcA5ZjedAmizgpopwp/n3RTclwu1w1EG1A6EzujQ==',
  ],
  [
    'aJC7IX4awTU4kkg0y8JheA==',
    '4Pnc0goYJWXNZEAhNUtbzzCb7TsA+OXRssvT64c+HRnEv5WiStyW+GNqH4zZe1EgL13DDaGRgDE/vv3opfZulQ==',
  ],
  [
    'm6zXaCrAPiF4JqQy2XE46w==',
    'RRGSCkxkWxZgw3DulcB8DjvZdUDo4WAfccsWlAnF+ulftKr8/aHDvipGYYs6hyrjLqsFgD/x2rHqmZBF237F3A==',
  ],
  [
    '7L8dnWq1q/Dbgqt3LkTT/w==',
    'YIu56/KD3F2zCQH1ptzKAiQ9RoqHvukKkRdiYL2hcbPG3p4jsx/etsvRRjCxgUuU6PE0i3uzlBxUZ56ngDhswg==',
  ],
  [
    'dG+uzt8RoRHbrYm3nlzh8w==',
    'DbqKoTEpPwyXMTt6dO3L6wDULgHsRdJmlbAREjmziC2hzansNF+RuOZ+w9O37bqIaLp75u2dhP/eB2zr+RG10w==',
  ],
];

type Digests = Pick<Image, 'checksum' | 'hashAlgo' | 'hashValue'>;

/** The digests of so many bytes of zeros; null for sizes other than some GiB. */
export function digestsOfBlank(size: number): Digests {
  const [md5, sha512] = digests[size / gibibyte - 1] ?? [];
  if (md5 === undefined || sha512 === undefined)
    return { checksum: null, hashAlgo: null, hashValue: null };
  return { checksum: hex(md5), hashAlgo: 'sha512', hashValue: hex(sha512) };
}

const hex = (base64: string): string => Buffer.from(base64, 'base64').toString('hex');

/** Whether an image is a blank disk, which has no digests if its size is another one. */
export const isBlankDisk = ({ size, checksum }: Pick<Image, 'size' | 'checksum'>): boolean =>
  size !== null && (checksum === null || checksum === digestsOfBlank(size).checksum);
